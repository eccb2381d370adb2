package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

func TestExamine(t *testing.T) {
	const line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 a2a3 d8f6"
	game := func(status string, scores ...int) func(*testing.T) *record.Game {
		return func(t *testing.T) *record.Game {
			g := lostGame(t, "a", line, scores...)
			g.Status = status
			return g
		}
	}
	book := func(t *testing.T) *record.Game {
		g := game("resign", 0, 0, -120, -900)(t)
		g.Notes[0], g.Notes[2] = record.Note{}, record.Note{}
		return g
	}
	clock := func(t *testing.T) *record.Game {
		g := game("resign", 20, 10, -30, -400)(t)
		g.Notes[4].Clock, g.Notes[4].HasClock = 2340*time.Millisecond, true
		return g
	}
	black := func(t *testing.T) *record.Game {
		g := game("resign")(t)
		g.Winner = "white"
		for ply, score := range map[int]int{1: 0, 3: 20, 5: 400, 7: 700} {
			g.Notes[ply] = record.Note{Evaluated: true, Centipawns: score}
		}
		return g
	}
	for _, tt := range []struct {
		name   string
		game   func(*testing.T) *record.Game
		us     rules.Color
		linked bool
		want   string
	}{
		{"one bad move", game("resign", 20, 10, -30, -400), rules.White, true, "blunder: 3.Bc4 (ply 5), from -0.30 to -4.00"},
		{"with its clock", clock, rules.White, true, "blunder: 3.Bc4 (ply 5), from -0.30 to -4.00, 2.3s on the clock"},
		{"as Black", black, rules.Black, true, "blunder: 2...Nc6 (ply 4), from -0.20 to -4.00"},
		{"the worst of two", game("resign", 300, 20, -170, -230), rules.White, true, "blunder: 1.e4 (ply 1), from +3.00 to +0.20"},
		{"mated from a good position", game("mate", 20, 10, 30, 40), rules.White, true, "blunder: 4.a3 (ply 7), from +0.40 to -15.00"},
		{"little by little", game("resign", -100, -200, -300, -400), rules.White, true, "outplayed"},
		{"mated, long lost", game("mate", -1300, -1400, -1450, -1500), rules.White, true, "outplayed"},
		{"bad out of the book", book, rules.White, true, "book: 2.Nf3 (ply 3), then -1.20"},
		{"on time", game("outoftime", 0, 0, 0, 0), rules.White, true, "clock"},
		{"on time while cut off", game("outoftime", 0, 0, 0, 0), rules.White, false, "connection"},
		{"we had left", game("timeout", 0, 0, 0, 0), rules.White, true, "connection"},
		{"nothing known", game("resign"), rules.White, true, "outplayed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := tt.game(t)
			if got := analyzeLoss(g, tt.us, tt.linked).describe(g); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// A lost game leaves a line in the log and in its record; others do not.
func TestPostMortem_IsLoggedAndRecorded(t *testing.T) {
	for name, lost := range map[string]bool{"lost": true, "won": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, lichesstest.Options{})
			r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 1000} })
			o := r.challengeAsBot(withColor(blitz, "white"))
			o.play(0, "e2e4")
			r.plies(o.id, 2)
			if lost {
				resignAsOperator(t, r, o)
			} else if err := o.Resign(t.Context(), o.id); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the game is archived", func() bool { return len(r.archive.saved()) == 1 })
			lines := r.log.entries(func(_, m string) bool { return strings.HasPrefix(m, "post-mortem: ") })
			text := r.archive.saved()[0].PostMortem
			if !lost {
				if text != "" || len(lines) != 0 {
					t.Errorf("post-mortem of a game that was won: %q, %v", text, lines)
				}
				return
			}
			if text != "outplayed" || len(lines) != 1 || lines[0]["cause"] != "outplayed" || lines[0]["fen"] == "" {
				t.Errorf("recorded %q, logged %v", text, lines)
			}
		})
	}
}

// resignAsOperator resigns a game for our bot, as an operator could.
func resignAsOperator(t *testing.T, r *rig, o *botOpponent) {
	t.Helper()
	if err := r.client().Resign(t.Context(), o.id); err != nil {
		t.Fatal(err)
	}
}

// A game lost on time because the server did not have our move is the
// connection's.
func TestPostMortem_Connection(t *testing.T) {
	for name, fault := range map[string]func(*lichesstest.Faults){
		"moves fail":          func(f *lichesstest.Faults) { f.Fail("move", 1000, 503) },
		"the server was away": func(f *lichesstest.Faults) { f.Down(1500 * time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 1000} })
			o := r.challengeAsBot(withColor(lichesstest.ChallengeSpec{Limit: time.Second}, "white"))
			o.play(0, "e2e4")
			o.play(2, "g1f3")
			r.plies(o.id, 4)
			fault(r.Faults)
			r.Perform(o.id, "rival", lichesstest.Action{Move: moveOf(t, o.moves(), "f3g1")})
			eventually(t, "the game is archived", func() bool { return len(r.archive.saved()) > 0 })
			if g := r.archive.saved()[0]; g.Status != "outoftime" || g.PostMortem != "connection" {
				t.Errorf("lost by %s, post-mortem %q", g.Status, g.PostMortem)
			}
		})
	}
}

package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

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

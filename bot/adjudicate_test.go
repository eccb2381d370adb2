package bot

import (
	"context"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/bot/postmortem"
	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

func scoring(n, score int) []int { return slices.Repeat([]int{score}, n) }

func TestWouldAcceptDraw(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []int
		ply    int
		accept bool
	}{
		{"level and long", scoring(6, 10), 80, true},
		{"level but short", scoring(6, 10), 79, false},
		{"level for too few moves", scoring(5, 10), 100, false},
		{"no score yet", nil, 200, false},
		{"one score off", append(scoring(5, 0), 60), 100, false},
		{"better", scoring(6, 100), 100, false},
		{"a little worse", scoring(6, -60), 100, false},
		{"losing", scoring(3, -150), 12, true},
		{"losing once", []int{-900, 0, 0}, 12, false},
		{"being mated", scoring(3, -postmortem.MateScore), 12, true},
		{"mating", scoring(6, postmortem.MateScore), 100, false},
	} {
		if got := wouldAcceptDraw(tt.scores, tt.ply); got != tt.accept {
			t.Errorf("%s: accepts is %t", tt.name, got)
		}
	}
}

func TestHopeless(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []int
		resign bool
	}{
		{"lost for long", scoring(5, -1200), true},
		{"not for long enough", scoring(4, -1200), false},
		{"not by enough", scoring(5, -1199), false},
		{"once not lost", []int{-1300, -1300, -400, -1300, -1300}, false},
		{"mate seen thrice", scoring(3, -postmortem.MateScore), true},
		{"mate seen twice", []int{-postmortem.MateScore, -postmortem.MateScore, -300, 0, 0}, false},
		{"winning", scoring(5, 2000), false},
		{"no score yet", nil, false},
	} {
		if got := isLost(tt.scores); got != tt.resign {
			t.Errorf("%s: resigns is %t", tt.name, got)
		}
	}
}

// scoringEngine is an engine that thinks the same of every position.
type scoringEngine struct {
	fakeEngine
	score pgn.Score
}

func (e *scoringEngine) Search(ctx context.Context, g *rules.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	r, err := e.fakeEngine.Search(ctx, g, l, report)
	r.Info.Score = e.score
	return r, err
}

func TestGame_Resigns(t *testing.T) {
	for name, tt := range map[string]struct {
		score  pgn.Score
		resign bool
		limit  lichesstest.ChallengeSpec
		want   string
	}{
		"lost":                    {pgn.Score{Centipawns: -2000}, true, blitz, "resign"},
		"mated":                   {pgn.Score{Mate: -2}, true, blitz, "resign"},
		"lost, but off":           {pgn.Score{Centipawns: -2000}, false, blitz, "mate"},
		"not lost":                {pgn.Score{Centipawns: -500}, true, blitz, "mate"},
		"opponent may yet flag":   {pgn.Score{Centipawns: -2000}, true, lichesstest.ChallengeSpec{Limit: flagHope}, "mate"},
		"mated, but it may flag ": {pgn.Score{Mate: -2}, true, lichesstest.ChallengeSpec{Limit: flagHope}, "mate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.AddHuman("alice", peaceful(30, 0))
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine{peace: 30}, tt.score}
				b.opts.Play.Resign = tt.resign
			})
			id := r.Challenge("alice", botName, tt.limit)
			result := r.finished(id)
			if result.Status != tt.want {
				t.Errorf("ended by %s after %d plies, want %s", result.Status, result.Plies, tt.want)
			}
			if tt.want == "resign" && (result.Winner == "" || result.Plies < 2*resignMates) {
				t.Errorf("resigned after %d plies, winner %q", result.Plies, result.Winner)
			}
			r.checkNoViolations()
		})
	}
}

// Against an opponent who accepts every draw, the game ends by our first offer.
func TestGame_OffersDraw(t *testing.T) {
	for name, tt := range map[string]struct {
		score int
		on    bool
		want  string
	}{
		"level":          {0, true, "draw"},
		"level, but off": {0, false, "mate"},
		"better":         {90, true, "mate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			agreeable := peaceful(drawPlies+30, 0)
			r.AddHuman("alice", func(ctx context.Context, turn lichesstest.Turn) lichesstest.Action {
				a := agreeable(ctx, turn)
				a.OfferDraw = turn.DrawOffer
				return a
			})
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine{peace: drawPlies + 30}, pgn.Score{Centipawns: tt.score}}
				b.opts.Play.Draw = tt.on
			})
			result := r.finished(r.Challenge("alice", botName, blitz))
			if result.Status != tt.want {
				t.Errorf("ended by %s after %d plies, want %s", result.Status, result.Plies, tt.want)
			}
			if tt.want == "draw" && result.Plies < drawPlies {
				t.Errorf("draw offered after %d plies", result.Plies)
			}
			r.checkNoViolations()
		})
	}
}

func TestGame_AnswersDrawOffers(t *testing.T) {
	for name, tt := range map[string]struct {
		on     bool
		score  int
		accept bool
	}{
		"losing":          {true, -400, true},
		"losing, but off": {false, -400, false},
		"level too early": {true, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, lichesstest.Options{})
			r.start(func(b *Bot) {
				b.opts.Engine = &scoringEngine{fakeEngine{peace: 1000}, pgn.Score{Centipawns: tt.score}}
				b.opts.Play.Draw = tt.on
			})
			rival := r.challengeAsBot(withColor(blitz, "white"))
			for i, move := range []string{"g1f3", "f3g1", "g1h3", "h3g1"}[:worseMoves] {
				rival.play(2*i, move)
			}
			r.plies(rival.id, 2*worseMoves)
			if err := rival.Draw(t.Context(), rival.id, true); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the offer is answered", func() bool { return r.log.messages("draw offered") == 1 })
			if tt.accept {
				if result := r.finished(rival.id); result.Status != "draw" {
					t.Errorf("ended by %s", result.Status)
				}
				return
			}
			answers := r.log.entries(func(_, message string) bool { return message == "draw offered" })
			if answers[0]["accept"] != false {
				t.Error("accepted")
			}
		})
	}
}

func TestGame_TakebacksAreForHumansInCasualGames(t *testing.T) {
	ask := func(t *testing.T, r *rig, request func()) {
		t.Helper()
		request()
		eventually(t, "the request is declined", func() bool {
			declined := r.log.entries(func(_, message string) bool { return message == "takeback requested" })
			return len(declined) == 1 && declined[0]["accept"] == false
		})
	}
	generous := func(b *Bot) { b.opts.Engine, b.opts.Play.Takebacks = &fakeEngine{peace: 1000}, 5 }
	t.Run("human, rated", func(t *testing.T) {
		r := newRig(t, lichesstest.Options{})
		r.start(generous)
		alice := r.challengeAsHuman(withColor(blitz, "white"))
		alice.play(0, "e2e4")
		r.plies(alice.id, 2)
		ask(t, r, func() { alice.perform(lichesstest.Action{AskTakeback: true}) })
		alice.play(2, "d2d3") // the game goes on
		r.plies(alice.id, 4)
	})
	t.Run("bot, casual", func(t *testing.T) {
		r := newRig(t, lichesstest.Options{})
		r.start(generous)
		rival := r.challengeAsBot(withColor(casual, "white"))
		rival.play(0, "e2e4")
		r.plies(rival.id, 2)
		ask(t, r, func() {
			if err := rival.Takeback(t.Context(), rival.id, true); err != nil {
				t.Error(err)
			}
		})
		rival.play(2, "d2d3")
		r.plies(rival.id, 4)
	})
}

func TestIsHuman(t *testing.T) {
	for _, tt := range []struct {
		player lichess.Player
		want   bool
	}{{lichess.Player{ID: "a"}, true}, {lichess.Player{}, true}, {lichess.Player{ID: "b", Title: "BOT"}, false}, {lichess.Player{AILevel: 3}, false}} {
		if got := isHuman(&tt.player); got != tt.want {
			t.Errorf("%+v: %t", tt.player, got)
		}
	}
}

package bot

import (
	"testing"

	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// newRepeatingEngine moves its king's knight to and fro. It fails the test if it is asked
// for a move at some ply.
func newRepeatingEngine(t *testing.T, never int) search.Engine {
	return engineFunc(func(g *rules.Game) (search.Result, error) {
		if g.Ply() == never {
			t.Errorf("asked for a move at ply %d", never)
		}
		p := g.Position()
		for _, uci := range []string{"g1f3", "f3g1", "g8f6", "f6g8"} {
			if m, err := p.ParseUCI(uci); err == nil && p.IsLegal(m) {
				return search.Result{Move: m}, nil
			}
		}
		return search.Result{}, errNoMove
	})
}

// TestGame_Threefold plays into a repetition on both sides of it. The server
// sends two lines with equal moves, and a move between them would be refused.
func TestGame_Threefold(t *testing.T) {
	shuffle := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	for _, tt := range []struct {
		color string // the rival's
		turn  int
	}{{"white", 0}, {"black", 1}} {
		t.Run(tt.color, func(t *testing.T) {
			r := newRig(t, lichesstest.Options{})
			r.start(func(b *Bot) { b.opts.Engine = newRepeatingEngine(t, 8) })
			rival := r.challengeAsBot(withColor(blitz, tt.color))
			for ply := tt.turn; ply < 8; ply += 2 {
				rival.play(ply, shuffle[ply%4])
			}
			result := r.finished(rival.id)
			if result.Status != "draw" || result.Plies != 8 {
				t.Errorf("ended by %s after %d plies", result.Status, result.Plies)
			}
			eventually(t, "the game is archived", func() bool { return len(r.archive.saved()) == 1 })
			if n := r.log.messages("move refused"); n != 0 {
				t.Errorf("%d moves posted after the repetition", n)
			}
			r.checkNoViolations()
		})
	}
}

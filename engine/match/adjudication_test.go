package match

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// sees returns an engine that gives every position the same score, from White's view.
func sees(score engine.Score) StartFunc {
	return scriptedEngine(func(p *scriptedPlayer, g *rules.Game, l engine.Limits) (engine.Result, error) {
		r, err := playLegal(p, g, l)
		if r.Info.Score = score; g.Position().Turn() == rules.Black {
			r.Info.Score = -score
		}
		return r, err
	})
}

func TestRun_adjudicatesWins(t *testing.T) {
	t.Parallel()
	for want, scores := range map[string][2]engine.Score{
		"win adjudicated 1-0 after 5 plies":     {900, 700},
		"win adjudicated 0-1 after 5 plies":     {-900, -700},
		"too many plies 1/2-1/2 after 40 plies": {900, -900}, // they disagree
	} {
		c := testMatch(t, sees(scores[0]), sees(scores[1]))
		c.Adjudication = Adjudication{Score: 600, Plies: 5, MaxPlies: 40}
		c.OnGame = func(g Game, _ Summary) error {
			got := fmt.Sprintf("%s %s after %d plies", g.Ending, g.Result, len(strings.Fields(g.Moves)))
			if got != want {
				t.Errorf("scores %d: %s, want %s", scores, got, want)
			}
			return nil
		}
		mustRun(t, c)
	}
}

func TestRun_adjudicatesDraws(t *testing.T) {
	t.Parallel()
	fromBook := scriptedEngine(func(p *scriptedPlayer, g *rules.Game, l engine.Limits) (engine.Result, error) {
		r, err := playLegal(p, g, l)
		r.Info.Depth = 0
		return r, err
	})
	for name, tt := range map[string]struct {
		opponent StartFunc
		rule     DrawRule
		ending   Ending
		plies    int
	}{
		"both see a draw":      {sees(-10), DrawRule{Score: 10, Plies: 4}, DrawAdjudicated, 4},
		"from a move on":       {sees(-10), DrawRule{Score: 10, Plies: 4, From: 6}, DrawAdjudicated, 10},
		"one of them does not": {sees(11), DrawRule{Score: 10, Plies: 2}, TooManyPlies, 40},
		"moves without scores": {fromBook, DrawRule{Score: 10, Plies: 2}, TooManyPlies, 40},
		"no rule":              {sees(0), DrawRule{}, TooManyPlies, 40},
	} {
		c := testMatch(t, sees(5), tt.opponent)
		c.Adjudication.Draw = tt.rule
		c.OnGame = func(g Game, _ Summary) error {
			if plies := len(strings.Fields(g.Moves)); g.Ending != tt.ending || plies != tt.plies ||
				g.Result != rules.Draw {
				t.Errorf("%s: %s by %s after %d plies, want %s after %d",
					name, g.Result, g.Ending, plies, tt.ending, tt.plies)
			}
			return nil
		}
		mustRun(t, c)
	}
}

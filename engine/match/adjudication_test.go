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
	c := testMatch(t, sees(900), sees(700))
	c.Adjudication = Adjudication{Score: 600, Plies: 5, MaxPlies: 40}
	var plies []int
	c.OnGame = func(g Game, _ Summary) error {
		plies = append(plies, len(strings.Fields(g.Moves)))
		return nil
	}
	s := mustRun(t, c)
	if s.Endings[WinAdjudicated] != 4 || s.Wins != 2 || fmt.Sprint(plies) != "[5 5 5 5]" {
		t.Errorf("endings %v after %v plies, won %d; want White to win 4 after 5", s.Endings, plies, s.Wins)
	}
	c = testMatch(t, sees(900), sees(-900))
	c.Adjudication = Adjudication{Score: 600, Plies: 5, MaxPlies: 40}
	if s := mustRun(t, c); s.Endings[TooManyPlies] != 4 {
		t.Errorf("endings %v, want no win while the engines disagree", s.Endings)
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
			if plies := len(strings.Fields(g.Moves)); g.Ending != tt.ending || plies != tt.plies || g.Result != rules.Draw {
				t.Errorf("%s: %s by %s after %d plies, want %s after %d", name, g.Result, g.Ending, plies, tt.ending, tt.plies)
			}
			return nil
		}
		mustRun(t, c)
	}
}

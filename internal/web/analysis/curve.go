package analysis

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/rules/pgn"
)

// curve is the chart of the evaluation: White's expected score by plies, in a box that is
// as wide as the game has plies and 100 high.
type curve struct {
	Width int
	Line  string // path of the curve
	Area  string // path of the area below it
	Dots  []dot  // the moves that lost winning chances
	Text  string // for who cannot see it
}

// dot marks a move.
type dot struct {
	Class string
	Path  string // a line without a length, which has a round end
}

func newCurve(g *pgn.Game, a *analysis.Analysis) curve {
	c := curve{Width: max(len(g.Moves), 1)}
	var points []string
	for ply, p := range a.Positions {
		points = append(points, fmt.Sprintf("%d %.1f", ply, height(p)))
	}
	c.Line = "M" + strings.Join(points, "L")
	c.Area = fmt.Sprintf("M0 100L%sL%d 100Z", strings.Join(points, "L"), len(a.Positions)-1)
	for i, m := range g.Moves {
		if glyph, judged := glyphs[m.NAG]; judged {
			c.Dots = append(c.Dots, dot{glyph.class, fmt.Sprintf("M%d %.1fh0", i+1, height(a.Positions[i+1]))})
		}
	}
	c.Text = fmt.Sprintf("Evaluation over %d moves of both sides", len(g.Moves))
	return c
}

// height is where a position is in the chart: at the top if White wins.
func height(p analysis.Position) float64 { return 100 - 100*p.White }

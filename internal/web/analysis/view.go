package analysis

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// summaryOf compares the players: it counts the inaccuracies, mistakes and blunders of each.
func summaryOf(a *analysis.Analysis) (rows [][3]string) {
	white, black := a.Players[rules.White], a.Players[rules.Black]
	for _, row := range []struct {
		what  string
		glyph pgn.NAG
	}{{"Inaccuracies", pgn.Inaccuracy}, {"Mistakes", pgn.Mistake}, {"Blunders", pgn.Blunder}} {
		rows = append(rows, [3]string{
			row.what, fmt.Sprint(white.Counts[row.glyph]), fmt.Sprint(black.Counts[row.glyph]),
		})
	}
	return append(rows,
		[3]string{"Points lost per move", fmt.Sprintf("%.1f", white.Lost()), fmt.Sprintf("%.1f", black.Lost())},
		[3]string{"Accuracy", formatAccuracy(white), formatAccuracy(black)})
}

func formatAccuracy(s *analysis.Summary) string {
	if math.IsNaN(s.Accuracy) {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", s.Accuracy)
}

// glyphs are the signs of judgments.
var glyphs = map[pgn.NAG]string{pgn.Inaccuracy: "?!", pgn.Mistake: "?", pgn.Blunder: "??"}

// viewOf returns a game as the viewer shows it.
func viewOf(g *pgn.Game) *web.View {
	board := rules.NewGame(g.Start)
	for _, m := range g.Moves {
		if board.Play(m.Move) != nil {
			break // unreachable: the moves were analysed
		}
	}
	v := &web.View{
		Game: web.NewGame(board), Site: g.Tag("Site"), White: playerOf(g, "White"), Black: playerOf(g, "Black"),
		Us: rules.White.String(), Result: describeResult(g, board),
	}
	if !strings.HasPrefix(v.Site, "https://") && !strings.HasPrefix(v.Site, "http://") {
		v.Site = ""
	}
	for i := range v.Steps {
		if m := g.Moves[i]; m.HasClock {
			v.Steps[i].Clock = new(m.Clock.Milliseconds())
		}
	}
	return v
}

// Add adds what an analysis has found in a game, which it has annotated. madeBy names the
// program.
func Add(v *web.View, g *pgn.Game, a *analysis.Analysis, madeBy string) {
	at := g.Start
	for i, p := range a.Positions {
		e := web.EvaluationOf(p.Eval)
		if e != nil {
			e.Steps = web.LineSteps(&at, p.Line)
		}
		if i == 0 {
			v.Evaluation = e
		} else {
			v.Steps[i-1].Evaluation = e
		}
		if i < len(g.Moves) {
			v.Steps[i].Glyph = glyphs[g.Moves[i].NAG]
			at = at.After(g.Moves[i].Move)
		}
	}
	v.Summary, v.By = summaryOf(a), madeBy
}

func playerOf(g *pgn.Game, side string) web.Player {
	name := cmp.Or(known(g.Tag(side)), side)
	return web.Player{Name: name, Title: g.Tag(side + "Title"), Rating: known(g.Tag(side + "Elo"))}
}

// known returns a tag's value, "" for a question mark.
func known(value string) string { return strings.Trim(value, "?") }

// describeGame describes the game: event, time control, date.
func describeGame(g *pgn.Game) (about []string) {
	date := strings.ReplaceAll(cmp.Or(g.Tag("UTCDate"), g.Tag("Date")), ".", "-")
	if strings.Contains(date, "?") {
		date = ""
	}
	control := g.Tag("TimeControl")
	if c, err := pgn.ParseTimeControl(control); err == nil {
		control = ""
		if clock := lichess.Clock(c); !clock.IsZero() {
			control = clock.String()
		}
	}
	for _, part := range []string{known(g.Tag("Event")), known(control), date} {
		if part != "" {
			about = append(about, part)
		}
	}
	return about
}

// describeResult describes how the game ended.
func describeResult(g *pgn.Game, board *rules.Game) string {
	text := map[rules.Result]string{
		rules.WhiteWins: "1–0", rules.BlackWins: "0–1", rules.Draw: "½–½", rules.NoResult: "no result",
	}[g.Result]
	switch {
	case board.Position().IsCheckmate():
		return text + ", checkmate"
	case board.Position().IsStalemate():
		return text + ", stalemate"
	case strings.EqualFold(g.Tag("Termination"), "Time forfeit"):
		return text + ", on time"
	}
	return text
}

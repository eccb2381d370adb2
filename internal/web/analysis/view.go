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

// view is what the page shows.
type view struct {
	About     []string
	Site      string // address of the game, "" for none
	Balance   []balance
	Judgments []judgment
	Curve     curve
	Game      gameData
}

// player is a player, as the page's script expects it.
type player struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	Rating string `json:"rating,omitempty"`
}

// balance compares the players.
type balance struct{ What, White, Black string }

// newBalance counts the inaccuracies, mistakes and blunders of each player.
func newBalance(a *analysis.Analysis) (rows []balance) {
	white, black := a.Players[rules.White], a.Players[rules.Black]
	for _, row := range []struct {
		what  string
		glyph pgn.NAG
	}{{"Inaccuracies", pgn.Inaccuracy}, {"Mistakes", pgn.Mistake}, {"Blunders", pgn.Blunder}} {
		rows = append(rows, balance{row.what, fmt.Sprint(white.Counts[row.glyph]), fmt.Sprint(black.Counts[row.glyph])})
	}
	return append(rows,
		balance{"Points lost per move", fmt.Sprintf("%.1f", white.Lost()), fmt.Sprintf("%.1f", black.Lost())},
		balance{"Accuracy", formatAccuracy(white), formatAccuracy(black)})
}

func formatAccuracy(s *analysis.Summary) string {
	if math.IsNaN(s.Accuracy) {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", s.Accuracy)
}

// judgment is a move that lost winning chances.
type judgment struct {
	Ply           int // the position after it
	Move          string
	Word          string // such as "Blunder"
	Class         string
	Before, After string // evaluations
	Better        string // line
}

// gameData is the game, as the page's script expects it.
type gameData struct {
	web.Game

	White     player         `json:"white"`
	Black     player         `json:"black"`
	Result    string         `json:"result"`    // in words
	Positions []positionData `json:"positions"` // one more than steps
}

// positionData is the evaluation of a position.
type positionData struct {
	Evaluation *web.Evaluation `json:"eval,omitempty"`
	White      float64         `json:"white"`          // expected score
	Line       []web.Step      `json:"line,omitempty"` // the best moves
}

// glyphs are the signs and words of judgments.
var glyphs = map[pgn.NAG]struct{ sign, word, class string }{
	pgn.Inaccuracy: {"?!", "Inaccuracy", "inaccuracy"}, pgn.Mistake: {"?", "Mistake", "mistake"}, pgn.Blunder: {"??", "Blunder", "blunder"},
}

func newView(g *pgn.Game, a *analysis.Analysis) *view {
	board := rules.NewGame(g.Start)
	for _, m := range g.Moves {
		if board.Play(m.Move) != nil {
			break // unreachable: the moves were analysed
		}
	}
	v := &view{About: describeGame(g), Site: g.Tag("Site"), Balance: newBalance(a), Curve: newCurve(g, a)}
	if !strings.HasPrefix(v.Site, "https://") && !strings.HasPrefix(v.Site, "http://") {
		v.Site = ""
	}
	v.addMoves(g, a, board)
	return v
}

// addMoves adds the moves, and those among them that lost winning chances.
func (v *view) addMoves(g *pgn.Game, a *analysis.Analysis, board *rules.Game) {
	d := gameData{Game: web.NewGame(board), White: playerOf(g, "White"), Black: playerOf(g, "Black"), Result: describeResult(g, board)}
	for i := range d.Steps {
		move := &d.Steps[i]
		if m := g.Moves[i]; m.HasClock {
			move.Clock = new(m.Clock.Milliseconds())
		}
		before := board.PositionAt(i)
		if glyph, judged := glyphs[g.Moves[i].NAG]; judged {
			move.Glyph = glyph.sign
			v.Judgments = append(v.Judgments, judgment{
				Ply: i + 1, Move: before.MoveNumber() + " " + move.SAN + glyph.sign, Word: glyph.word, Class: glyph.class,
				Before: formatEval(a.Positions[i].Eval), After: formatEval(a.Positions[i+1].Eval), Better: web.FormatLine(before, a.Positions[i].Line),
			})
		}
	}
	for i, p := range a.Positions {
		position := board.PositionAt(i)
		d.Positions = append(d.Positions, positionData{Evaluation: web.EvaluationOf(p.Eval), White: p.White, Line: web.LineSteps(&position, p.Line)})
	}
	v.Game = d
}

// formatEval formats an evaluation from White's point of view.
func formatEval(e pgn.Eval) string {
	sign := "+"
	if e.Mate < 0 || e.Mate == 0 && e.Centipawns < 0 {
		sign = "−"
	}
	switch {
	case !e.Known:
		return "mate"
	case e.Mate != 0:
		return strings.TrimPrefix(sign, "+") + fmt.Sprintf("#%d", max(e.Mate, -e.Mate))
	case e.Centipawns == 0:
		return "0.00"
	}
	return sign + fmt.Sprintf("%.2f", float64(max(e.Centipawns, -e.Centipawns))/100)
}

func playerOf(g *pgn.Game, side string) player {
	return player{Name: cmp.Or(known(g.Tag(side)), side), Title: g.Tag(side + "Title"), Rating: known(g.Tag(side + "Elo"))}
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
	result := g.Result
	if result == rules.NoResult {
		result, _ = rules.ParseResult(g.Tag("Result"))
	}
	text := map[rules.Result]string{rules.WhiteWins: "1–0", rules.BlackWins: "0–1", rules.Draw: "½–½", rules.NoResult: "no result"}[result]
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

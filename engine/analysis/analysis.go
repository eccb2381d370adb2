// Package analysis annotates games with the engine's evaluations and classifies moves as
// Lichess does, by the winning chances that they lose.
//
// [Annotate] annotates a game and returns its findings for each position and each player.
package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// Annotate searches every position of a game within the limits. It adds to each move its
// evaluation and, for an inaccuracy, a mistake or a blunder, a NAG and a comment with the
// best move, which replace those of an earlier analysis. report, if not nil, is called with
// the number of positions searched so far; a game has one more than moves. An illegal move or
// a done context is an error.
func Annotate(ctx context.Context, e *engine.Engine, l engine.Limits, g *pgn.Game,
	report func(positions int)) (*Analysis, error) {
	evaluations, err := evaluate(ctx, e, l, g, report)
	if err != nil {
		return nil, err
	}
	a := annotate(g, evaluations)
	if err := extendLines(ctx, e, l, g, a); err != nil {
		return nil, err
	}
	return a, nil
}

// Analysis has the engine's findings about a game.
type Analysis struct {
	Players   [2]*Summary // by colour
	Positions []Position  // before the first move, and after each
}

// Position is the engine's evaluation of a position.
type Position struct {
	Eval  pgn.Eval     // from White's point of view; not known after checkmate
	White float64      // White's expected score, from 0 to 1
	Line  []rules.Move // the best moves of both sides; none if the game is over
}

// minLine is the minimum length, in plies, of the lines that show what was better than a
// move.
const minLine = 6

// extendLines extends the lines that show what was better than a move: the search may
// know a score from its table, and then only the first move.
func extendLines(ctx context.Context, e *engine.Engine, l engine.Limits, g *pgn.Game, a *Analysis) error {
	board := rules.NewGame(g.Start)
	for i, m := range g.Moves {
		for line := &a.Positions[i].Line; m.NAG != 0 && len(*line) < minLine; {
			more, err := continuation(ctx, e, l, board, *line)
			if err != nil {
				return err
			}
			if len(more) == 0 { // the game is over
				break
			}
			*line = append(*line, more...)
		}
		if err := board.Play(m.Move); err != nil {
			return err
		}
	}
	return nil
}

// continuation returns the best moves after a line.
func continuation(ctx context.Context, e *engine.Engine, l engine.Limits, g *rules.Game,
	line []rules.Move) ([]rules.Move, error) {
	end := g.Clone()
	for _, m := range line {
		if err := end.Play(m); err != nil {
			return nil, err
		}
	}
	found, err := search(ctx, e, l, end)
	return found.line, err
}

// evaluate searches every position of a game, the last one first: the table entries of
// later positions help with the earlier ones.
func evaluate(ctx context.Context, e *engine.Engine, l engine.Limits, g *pgn.Game,
	report func(positions int)) ([]evaluation, error) {
	board := rules.NewGame(g.Start)
	for _, m := range g.Moves {
		if err := board.Play(m.Move); err != nil {
			return nil, err
		}
	}
	e.Clear()
	evaluations := make([]evaluation, len(g.Moves)+1)
	for i := len(g.Moves); i >= 0; i-- {
		var err error
		if evaluations[i], err = search(ctx, e, l, board); err != nil {
			return nil, err
		}
		if report != nil {
			report(len(g.Moves) + 1 - i)
		}
		board.TakeBack(min(1, board.Ply()))
	}
	return evaluations, nil
}

// search evaluates a position. Without a legal move, the side to move is mated or the
// score is a draw.
func search(ctx context.Context, e *engine.Engine, l engine.Limits, g *rules.Game) (evaluation, error) {
	r, err := e.Search(ctx, g, l, nil)
	switch {
	case errors.Is(err, engine.ErrGameOver):
		if g.Position().InCheck() {
			return evaluation{score: engine.MateScore(0)}, nil
		}
		return evaluation{}, nil
	case err != nil:
		return evaluation{}, err
	}
	return evaluation{score: r.Info.Score, depth: r.Info.Depth, best: r.Move, line: r.Info.PV}, ctx.Err()
}

// Summary counts a player's moves, and those that lost winning chances.
type Summary struct {
	Counts   map[pgn.NAG]int // inaccuracies, mistakes and blunders
	Accuracy float64         // in percent, as Lichess computes it; NaN without moves

	moves int
	lost  float64 // winning chances
}

// Lost returns how many of 100 points of expected score a move lost on average.
func (s *Summary) Lost() float64 {
	if s.moves == 0 {
		return 0
	}
	return 50 * s.lost / float64(s.moves) // chances from -1 to 1 are 100 points
}

// String formats the summary as one line.
func (s *Summary) String() string {
	text := fmt.Sprintf("%d moves, %d inaccuracies, %d mistakes, %d blunders, %.1f %% of the points lost per move",
		s.moves, s.Counts[pgn.Inaccuracy], s.Counts[pgn.Mistake], s.Counts[pgn.Blunder], s.Lost())
	if s.moves > 0 {
		text += fmt.Sprintf(", accuracy %.0f %%", s.Accuracy)
	}
	return text
}

// annotate adds the evaluations of a game's positions to its moves.
func annotate(g *pgn.Game, evaluations []evaluation) *Analysis {
	a := new(Analysis)
	for c := range a.Players {
		a.Players[c] = &Summary{Counts: map[pgn.NAG]int{}}
	}
	p := g.Start
	for i := range g.Moves {
		m, player := &g.Moves[i], a.Players[p.Turn()]
		a.Positions = append(a.Positions, evaluations[i].position(p.Turn()))
		m.Eval = evaluations[i+1].eval(p.Turn())
		loss, glyph, comment := classify(&p, m.Move, evaluations[i], evaluations[i+1])
		if glyph != 0 || m.NAG == pgn.Inaccuracy || m.NAG == pgn.Mistake || m.NAG == pgn.Blunder {
			m.NAG = glyph // others, such as ! and !?, are a person's
		}
		m.Comment = strings.TrimSpace(comment + " " + judged.ReplaceAllString(m.Comment, ""))
		player.moves++
		player.lost += loss
		player.Counts[glyph]++
		p = p.After(m.Move)
	}
	a.Positions = append(a.Positions, evaluations[len(g.Moves)].position(p.Turn()))
	chances := make([]float64, len(a.Positions))
	for i, p := range a.Positions {
		chances[i] = min(max(100*p.White, 100-maxChances), maxChances)
	}
	for c, accuracy := range accuracies(chances, g.Start.Turn()) {
		a.Players[c].Accuracy = accuracy
	}
	return a
}

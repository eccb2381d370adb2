package analysis

import (
	"fmt"
	"regexp"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// evaluation is the engine's evaluation of a position.
type evaluation struct {
	score engine.Score // for the side to move
	depth int
	best  rules.Move // NoMove if the game is over
	line  []rules.Move
}

// position returns the evaluation of a position with the given side to move from White's
// point of view.
func (e evaluation) position(turn rules.Color) Position {
	white := e.score.Chances()
	if turn == rules.Black {
		white = -white
	}
	return Position{Eval: e.eval(turn.Other()), White: (1 + white) / 2, Line: e.line}
}

// eval returns the evaluation after a move of the given side in the form of PGN: from
// White's point of view, and none after checkmate.
func (e evaluation) eval(side rules.Color) pgn.Eval {
	moves, mate := e.score.MateIn()
	return pgn.Eval{Known: !mate || moves != 0, Score: PGNScore(e.score).For(side.Other()), Depth: e.depth}
}

// PGNScore returns a score in the form of PGN.
func PGNScore(s engine.Score) pgn.Score {
	if moves, mate := s.MateIn(); mate {
		return pgn.Score{Mate: moves}
	}
	return pgn.Score{Centipawns: int(s)}
}

// The minimum loss of winning chances for each judgment, as on Lichess.
var judgments = []struct {
	loss  float64
	glyph pgn.NAG
	word  string
}{
	{0.3, pgn.Blunder, "Blunder"},
	{0.2, pgn.Mistake, "Mistake"},
	{0.1, pgn.Inaccuracy, "Inaccuracy"},
}

// judged matches the comment of an earlier analysis, ours or Lichess's, which gives both
// evaluations first.
var judged = regexp.MustCompile(`(\([^()]+ → [^()]+\) )?(Blunder|Mistake|Inaccuracy|` +
	`Checkmate is now unavoidable|Lost forced checkmate sequence|Not the best checkmate sequence)\. \S+ was best\. ?`)

// classify compares the position before a move with the one after it. It returns
// the loss of winning chances, the glyph and a comment; a good move has neither.
func classify(p *rules.Position, played rules.Move, before, after evaluation) (
	loss float64, glyph pgn.NAG, comment string) {
	loss = max(0, before.score.Chances()+after.score.Chances())
	if played == before.best || before.best == rules.NoMove {
		return loss, 0, ""
	}
	for _, j := range judgments {
		if loss >= j.loss {
			return loss, j.glyph, fmt.Sprintf("%s. %s was best.", j.word, p.SAN(before.best))
		}
	}
	return loss, 0, ""
}

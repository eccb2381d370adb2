package engine

import (
	"fmt"
	"math"
)

// Score is an evaluation for the side to move: in centipawns, or for a forced mate,
// mateScore minus the distance to mate in plies.
type Score int

const (
	mateScore = 32000              // mate in 0 plies
	mateBound = mateScore - maxPly // scores beyond ±mateBound are mates
	infinity  = mateScore + 1      // beyond all scores
	noScore   = mateScore + 2      // no score
	drawScore = 0
)

// MateIn returns the number of moves to mate, negative if the side to move is mated. ok is
// false if the score is not a mate.
func (s Score) MateIn() (moves int, ok bool) {
	switch {
	case s > mateBound:
		return (mateScore - int(s) + 1) / 2, true
	case s < -mateBound:
		return -(mateScore + int(s)) / 2, true
	}
	return 0, false
}

// String returns the score in UCI notation: "cp 35" or "mate -2".
func (s Score) String() string {
	if moves, ok := s.MateIn(); ok {
		return fmt.Sprintf("mate %d", moves)
	}
	return fmt.Sprintf("cp %d", int(s))
}

// Chances returns the winning chances of the side to move, from -1 to 1, by the curve that
// Lichess fitted to the results of its games: 272 centipawns win 73 % of the points. In the
// engine's own games it is 265 (engine/DATA.md). Scores count as at most ±1000 centipawns; mates
// are ±1. See https://lichess.org/page/accuracy.
func (s Score) Chances() float64 {
	if moves, mate := s.MateIn(); mate {
		if moves > 0 {
			return 1
		}
		return -1
	}
	cp := max(-1000, min(1000, float64(s)))
	return 2/(1+math.Exp(-0.00368208*cp)) - 1
}

// matedIn returns the score of being mated after the given number of plies from the root.
func matedIn(ply int) int { return -mateScore + ply }

// mateIn returns the score of giving mate after the given number of plies from the root.
func mateIn(ply int) int { return mateScore - ply }

// MateScore returns the score of a mate in the given number of moves; see [Score.MateIn].
func MateScore(moves int) Score {
	if moves > 0 {
		return Score(mateIn(2*min(moves, maxPly/2) - 1))
	}
	return Score(matedIn(-2 * max(moves, 1-maxPly/2)))
}

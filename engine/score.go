package engine

import "fmt"

// Score is a position's worth in centipawns for the side to move, or the
// distance to mate, counted down from mateScore in plies.
type Score int

const (
	mateScore = 32000              // checkmate on the board
	mateBound = mateScore - maxPly // scores beyond this are mates
	infinity  = mateScore + 1      // outside every score
	noScore   = mateScore + 2      // no score known
	drawScore = 0
)

// MateIn returns the number of moves to mate, negative if the side to move is
// mated, and whether the score is a mate at all.
func (s Score) MateIn() (moves int, ok bool) {
	switch {
	case s > mateBound:
		return (mateScore - int(s) + 1) / 2, true
	case s < -mateBound:
		return -(mateScore + int(s)) / 2, true
	}
	return 0, false
}

// String returns the score as UCI writes it: "cp 35" or "mate -2".
func (s Score) String() string {
	if moves, ok := s.MateIn(); ok {
		return fmt.Sprintf("mate %d", moves)
	}
	return fmt.Sprintf("cp %d", int(s))
}

// matedIn is the score of a side that is mated after so many plies.
func matedIn(ply int) int { return -mateScore + ply }

// mateIn is the score of a side that mates after so many plies.
func mateIn(ply int) int { return mateScore - ply }

// MateScore returns the score of a mate in so many moves, as [Score.MateIn]
// counts them.
func MateScore(moves int) Score {
	if moves > 0 {
		return Score(mateIn(2*min(moves, maxPly/2) - 1))
	}
	return Score(matedIn(-2 * max(moves, 1-maxPly/2)))
}

package human

import (
	"math"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// A person's pace: a share of the clock and most of the increment for a usual move, more for
// one that is hard to find, and another time for each.
const (
	paceMoves     = 40  // for which the clock must last
	paceIncrement = 0.6 // of it is spent on each
	paceSpread    = 0.5 // standard deviation of the logarithm
	paceObvious   = 0.3 // of the time for a recapture, or an answer to a check
	maxPace       = 20 * time.Second
	maxPaceShare  = 10 // one part of the clock
)

// Pace returns how long a person would take for the next move of a game, given the scores of our
// latest two searches, the time left, which is more than 0, the increment, and a number from the
// standard normal distribution. The scores are in centipawns from our view, the newest first; there
// may be fewer.
func Pace(g *rules.Game, scores []int, left, increment time.Duration, normal float64) time.Duration {
	usual := float64(left)/paceMoves + paceIncrement*float64(increment)
	switch {
	case g.Ply() < 2:
		usual = float64(time.Second)
	case isObvious(g):
		usual *= paceObvious
	default:
		usual *= 0.7 + float64(sharpness(g.Position(), scores))/100
	}
	return min(time.Duration(usual*math.Exp(paceSpread*normal)), left/maxPaceShare, maxPace)
}

// isObvious reports whether a person need not look for long: after a capture, or in check.
func isObvious(g *rules.Game) bool {
	moves := g.Moves()
	before := g.PositionAt(len(moves) - 1)
	return g.Position().InCheck() || before.IsCapture(moves[len(moves)-1])
}

// The terms of sharpness; their sum is at most 100.
const (
	sharpCheck     = 20 // being in check
	sharpPerPiece  = 4  // each piece in hand, up to
	maxSharpPieces = 40
	sharpSwing     = 40  // a score that changed by fullSwing or more
	fullSwing      = 400 // centipawns
)

// sharpness estimates from 0 to 100 how much a mistake would cost in a position:
// with pieces in hand, in check, or after a swing of the score, games turn quickly.
// The scores are those of our latest two searches, if available.
func sharpness(p *rules.Position, scores []int) int {
	sharp := min(maxSharpPieces, sharpPerPiece*p.InHand())
	if p.InCheck() {
		sharp += sharpCheck
	}
	if len(scores) > 1 {
		swing := max(scores[0]-scores[1], scores[1]-scores[0])
		sharp += min(sharpSwing, sharpSwing*swing/fullSwing)
	}
	return sharp
}

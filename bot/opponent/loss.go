package opponent

import (
	"fmt"
	"iter"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Cause is the reason why a game was lost.
type Cause string

// The causes of losses.
const (
	ByConnection Cause = "connection" // the server did not have our move in time
	ByClock      Cause = "clock"      // we thought for too long
	ByBook       Cause = "book"       // the first position we searched was bad already
	ByBlunder    Cause = "blunder"    // one move cost more than all others
	Outplayed    Cause = "outplayed"  // no single move did
)

// LossReport is the analysis of a lost game.
type LossReport struct {
	Cause    Cause
	Ply      int // of the move to blame, -1 for none
	From, To int // what we thought of the position, before and after
}

const (
	blunderDrop       = 150  // centipawns that one move must cost
	bookLossThreshold = -100 // a first score so low is not our search's fault
	maxScore          = 1500 // more is not better or worse: the game is decided
)

// AnalyzeLoss determines why we lost a finished game. connected reports whether, at the
// end of the game, its stream was open and all our moves had been answered.
func AnalyzeLoss(g *record.Game, us rules.Color, connected bool) LossReport {
	switch {
	case g.Status == lichess.StatusTimeout, g.Status == lichess.StatusOutOfTime && !connected:
		return LossReport{Cause: ByConnection, Ply: -1}
	case g.Status == lichess.StatusOutOfTime:
		return LossReport{Cause: ByClock, Ply: -1}
	}
	return analyzeMoves(g, us)
}

// analyzeMoves finds the move with the largest drop from its score to the next
// search's.
func analyzeMoves(g *record.Game, us rules.Color) LossReport {
	last, previous, worst := -1, 0, LossReport{Cause: Outplayed, Ply: -1}
	for ply, score := range scores(g, us) {
		score = max(-maxScore, min(maxScore, score))
		if last < 0 && ply > firstPly(g, us) && score <= bookLossThreshold {
			return LossReport{Cause: ByBook, Ply: ply - 2, To: score}
		}
		if drop := previous - score; last >= 0 && drop >= blunderDrop && drop > worst.From-worst.To {
			worst = LossReport{ByBlunder, last, previous, score}
		}
		last, previous = ply, score
	}
	return blameMate(g, worst, last, previous)
}

// scores yields the plies of our moves that we searched for, and their scores.
func scores(g *record.Game, us rules.Color) iter.Seq2[int, int] {
	return func(yield func(ply, score int) bool) {
		for ply := firstPly(g, us); ply < min(g.Board.Ply(), len(g.Notes)); ply += 2 {
			if n := g.Notes[ply]; n.Eval.Known && !yield(ply, n.Score(us)) {
				return
			}
		}
	}
}

// blameMate blames the last move if the score was good until then and yet the game
// was lost at once.
func blameMate(g *record.Game, worst LossReport, last, score int) LossReport {
	if last >= 0 && g.Status == lichess.StatusMate && score+maxScore >= blunderDrop &&
		score+maxScore > worst.From-worst.To {
		return LossReport{ByBlunder, last, score, -maxScore}
	}
	return worst
}

// firstPly returns the ply of our first move.
func firstPly(g *record.Game, us rules.Color) int {
	if g.Board.Start().Turn() == us {
		return 0
	}
	return 1
}

// Describe formats the report in one line, for the log and the record.
func (r LossReport) Describe(g *record.Game) string {
	if r.Ply < 0 {
		return string(r.Cause)
	}
	p := g.Board.PositionAt(r.Ply)
	dots := "."
	if p.Turn() == rules.Black {
		dots = "..."
	}
	text := fmt.Sprintf("%s: %d%s%s (ply %d)", r.Cause, p.Fullmove(), dots, p.SAN(g.Board.Moves()[r.Ply]), r.Ply+1)
	if r.Cause == ByBlunder {
		text += fmt.Sprintf(", from %+.2f to %+.2f", float64(r.From)/100, float64(r.To)/100)
	} else {
		text += fmt.Sprintf(", then %+.2f", float64(r.To)/100)
	}
	if n := g.Notes[r.Ply]; n.HasClock {
		text += fmt.Sprintf(", %s on the clock", n.Clock.Round(100*time.Millisecond))
	}
	return text
}

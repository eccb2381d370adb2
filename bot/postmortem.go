package bot

import (
	"fmt"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// lossCause is why a game was lost.
type lossCause string

// The causes of losses.
const (
	lostByConnection lossCause = "connection" // the server did not have our move in time
	lostByClock      lossCause = "clock"      // we thought for too long
	lostByBook       lossCause = "book"       // the first position we searched was bad already
	lostByBlunder    lossCause = "blunder"    // one move cost more than all others
	outplayed        lossCause = "outplayed"  // no single move did
)

// postMortem is the analysis of a lost game.
type postMortem struct {
	cause    lossCause
	ply      int // of the move to blame, -1 for none
	from, to int // what we thought of the position, before and after
}

const (
	blunderDrop       = 150  // centipawns that one move must cost
	bookLossThreshold = -100 // a first score so low is not our search's fault
	maxScore          = 1500 // more is not better or worse: the game is decided
)

// analyzeLoss finds out why we lost a finished game. connected reports whether at
// its end the stream was open and no move of ours was unanswered.
func analyzeLoss(g *record.Game, us rules.Color, connected bool) postMortem {
	switch {
	case g.Status == string(lichess.StatusTimeout), g.Status == string(lichess.StatusOutOfTime) && !connected:
		return postMortem{cause: lostByConnection, ply: -1}
	case g.Status == string(lichess.StatusOutOfTime):
		return postMortem{cause: lostByClock, ply: -1}
	}
	return analyzeMoves(g, us)
}

// analyzeMoves finds the move with the largest drop from its score to the next
// search's.
func analyzeMoves(g *record.Game, us rules.Color) postMortem {
	first, last, worst := -1, -1, postMortem{cause: outplayed, ply: -1}
	unsearched, previous := 0, 0
	for ply := firstPly(g, us); ply < min(g.Game.Ply(), len(g.Notes)); ply += 2 {
		if !g.Notes[ply].Evaluated {
			if first < 0 {
				unsearched++
			}
			continue
		}
		score := max(-maxScore, min(maxScore, scoreOf(g.Notes[ply], us)))
		if first < 0 {
			first = ply
			if unsearched > 0 && score <= bookLossThreshold {
				return postMortem{cause: lostByBook, ply: ply - 2, to: score}
			}
		} else if drop := previous - score; drop >= blunderDrop && drop > worst.from-worst.to {
			worst = postMortem{lostByBlunder, last, previous, score}
		}
		last, previous = ply, score
	}
	return blameMate(g, worst, last, previous)
}

// blameMate blames the last move if the score was good until then and yet the game
// was lost at once.
func blameMate(g *record.Game, worst postMortem, last, score int) postMortem {
	if last >= 0 && g.Status == string(lichess.StatusMate) && score+maxScore >= blunderDrop && score+maxScore > worst.from-worst.to {
		return postMortem{lostByBlunder, last, score, -maxScore}
	}
	return worst
}

// firstPly returns the ply of our first move.
func firstPly(g *record.Game, us rules.Color) int {
	if g.Game.Start().Turn() == us {
		return 0
	}
	return 1
}

// describe formats the post-mortem in one line, for the log and the record.
func (m postMortem) describe(g *record.Game) string {
	if m.ply < 0 {
		return string(m.cause)
	}
	p := positionAt(g.Game, m.ply)
	dots := "."
	if p.Turn() == rules.Black {
		dots = "..."
	}
	text := fmt.Sprintf("%s: %d%s%s (ply %d)", m.cause, p.Fullmove(), dots, p.SAN(g.Game.Moves()[m.ply]), m.ply+1)
	if m.cause == lostByBlunder {
		text += fmt.Sprintf(", from %+.2f to %+.2f", float64(m.from)/100, float64(m.to)/100)
	} else {
		text += fmt.Sprintf(", then %+.2f", float64(m.to)/100)
	}
	if n := g.Notes[m.ply]; n.HasClock {
		text += fmt.Sprintf(", %s on the clock", n.Clock.Round(100*time.Millisecond))
	}
	return text
}

// reportLoss logs the post-mortem of a lost game and keeps it for the record.
func (g *game) reportLoss() {
	if g.result() != "lost" || g.board.game.Ply() < 2 || g.state.Status == lichess.StatusCheat {
		return
	}
	r := g.facts()
	r.Notes, r.Status, r.Winner = g.board.notes, string(g.state.Status), string(g.state.Winner)
	m := analyzeLoss(r, g.us, !g.alreadyOver && g.wasConnected())
	g.lossReport = m.describe(r)
	e := g.log.Info().Str("cause", string(m.cause))
	if m.ply >= 0 {
		e = e.Int("ply", m.ply+1).Int("from", m.from).Int("to", m.to)
	}
	e.Str("fen", g.board.game.Position().FEN()).Msg("post-mortem: " + g.lossReport)
}

// wasConnected reports whether we were connected when the game ended: we knew our
// turn before the end, it was not learned from a newer connection, and no move of
// ours was unanswered.
func (g *game) wasConnected() bool {
	t := g.turn
	posted := t != nil && t.moves == g.state.Moves && t.posted.Load() != nil
	return !posted && g.connectedAt.Before(g.board.changed) && g.board.changed.Before(g.receivedAt)
}

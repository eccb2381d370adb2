package play

import (
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// moveRefusals are the server's refusals of moves in one position. Most mean only
// that the game has moved on, which reading it again shows: if the position still
// stands, the same move is posted again. Only repeated refusals of a move as illegal
// mean that our rules and the server's differ, so others are tried; if those fail
// too, the server has trouble, and the wanted move is retried with pauses while the
// position stands and the clock runs.
type moveRefusals struct {
	count   int       // of any kind
	illegal int       // as illegal moves
	wanted  *decision // the move that we want to play
}

const (
	// sureRefusals of one move as illegal are not a coincidence.
	sureRefusals = 2
	// otherMoves are tried then.
	otherMoves = 2
	// longestRefusal is the longest pause between posts.
	longestRefusal = time.Minute
)

// next returns the decision to post instead of one that was posted before.
func (r *moveRefusals) next(p *rules.Position, known *decision) *decision {
	other := r.illegal - sureRefusals
	switch {
	case r.wanted == nil:
		return known
	case other < 0 || other >= otherMoves:
		return r.wanted
	}
	return &decision{move: alternativeMove(p, r.wanted.move, other)}
}

// pause returns how long to wait after a refusal before the game is read again: four
// times longer each time, for some 10 s in total, and then twice.
func (r *moveRefusals) pause(first time.Duration) time.Duration {
	const steep = sureRefusals + otherMoves
	wait := first << (2 * min(r.count-1, steep))
	wait <<= min(max(0, r.count-1-steep), 20)
	return min(wait, longestRefusal)
}

// recordRefusal records the server's refusal of a turn's move, and returns how long
// to wait before the game is read again.
func (g *game) recordRefusal(t *turn, err error) time.Duration {
	r, d := &g.move.refusals, t.chosen
	r.count++
	if errors.Is(err, lichess.ErrIllegalMove) {
		r.illegal++
	}
	if r.wanted == nil {
		r.wanted = d
	}
	wait := r.pause(g.Timing.MoveRetry)
	report := g.log.Warn()
	if r.illegal >= sureRefusals {
		report = g.log.Error().Str("fen", g.board.game.Position().FEN()).Str("moves", t.moves)
	}
	report.Err(err).Stringer("move", d.move).Int("refusals", r.count).Dur("retry_in", wait).Msg(refusalText(r.illegal))
	return wait
}

// refusalText is the log message after a number of refusals as illegal.
func refusalText(illegal int) string {
	switch {
	case illegal < sureRefusals:
		return "move refused"
	case illegal < sureRefusals+otherMoves:
		return "move refused in the position it was made for: trying another"
	}
	return "every move refused in this position: retrying with pauses"
}

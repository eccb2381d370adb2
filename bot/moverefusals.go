package bot

import (
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// moveRefusals are the server's refusals of moves in one position. Most say nothing
// about the move, only that the game has moved on, which a fresh look at it shows: the
// same move is posted again if the position still stands. Only words about the move
// itself, again with the same position on the board, mean that our rules and the
// server's differ, so others are tried; or, if those fail too, that the server has
// trouble: then the move we want is posted now and then, for as long as the position
// stands and the clock runs.
type moveRefusals struct {
	count   int       // refusals of any kind
	illegal int       // those about the move itself
	wanted  *decision // what we want to play
}

const (
	// sureRefusals of one move as illegal are no chance.
	sureRefusals = 2
	// otherMoves are tried then.
	otherMoves = 2
	// longestRefusal is the longest pause between posts.
	longestRefusal = time.Minute
)

// next returns what to post instead of a move that was posted before.
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

// pause returns how long to wait after a refusal before the game is read anew: four
// times longer each time, for some 10 s in all, and then twice.
func (r *moveRefusals) pause(first time.Duration) time.Duration {
	const steep = sureRefusals + otherMoves
	wait := first << (2 * min(r.count-1, steep))
	wait <<= min(max(0, r.count-1-steep), 20)
	return min(wait, longestRefusal)
}

// recordRefusal takes in the server's no to a turn's move, and returns how long to wait
// before the game is read anew.
func (g *game) recordRefusal(t *turn) time.Duration {
	r, d := &g.refusals, t.posted.Load()
	r.count++
	if errors.Is(t.err, lichess.ErrIllegalMove) {
		r.illegal++
	}
	if r.wanted == nil {
		r.wanted = d
	}
	wait := r.pause(g.bot.timing.retry.initial)
	report := g.log.Warn()
	if r.illegal >= sureRefusals {
		report = g.log.Error().Str("fen", g.board.game.Position().FEN()).Str("moves", t.moves)
	}
	report.Err(t.err).Stringer("move", d.move).Int("refusals", r.count).Dur("again_in", wait).Msg(refusalText(r.illegal))
	return wait
}

// refusalText says what follows from so many refusals of moves as illegal.
func refusalText(illegal int) string {
	switch {
	case illegal < sureRefusals:
		return "move refused"
	case illegal < sureRefusals+otherMoves:
		return "move refused in the position it was made for: another is tried"
	}
	return "every move refused in this position: tried again at times"
}

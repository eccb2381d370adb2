package bot

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// turn is one move of ours: a search and a post, in a goroutine of its own.
type turn struct {
	moves      string    // the move list that it answers
	ply        int       // its length
	startedAt  time.Time // when the position was reached
	cancel     context.CancelFunc
	posted     atomic.Pointer[decision] // set before the post
	offerDraw  bool                     // a draw goes with the move
	superseded bool                     // the game has moved on; owned by the game's goroutine

	done    chan struct{} // closed at the end, when the fields below are set
	endedAt time.Time
	err     error
}

// decision is a chosen move. Until the server shows it, it is posted again rather
// than searched for again.
type decision struct {
	move     rules.Move
	reply    rules.Move  // that we expect, or NoMove
	info     search.Info // empty if it was not searched for
	postedAt time.Time
}

// updateTurn supersedes a turn that the game has overtaken, and starts one if it is
// due. Only a connection opened after a turn was done proves that its move did not
// arrive; an older one may lag behind.
func (g *game) updateTurn(ctx context.Context, opened time.Time) {
	if g.turn != nil && g.turn.moves != g.state.Moves {
		g.supersedeTurn()
	}
	t := g.turn
	switch {
	case !g.ourTurn() || time.Now().Before(g.retryAt):
	case t != nil && !t.superseded:
		if t.isDone() && opened.After(t.endedAt) {
			g.startTurn(ctx, t.posted.Load())
		}
	case g.awaitsRepetitionDraw(opened):
		g.rereadTimer.Reset(g.bot.timing.confirmTimeout)
	default:
		g.startTurn(ctx, nil)
	}
}

// awaitsRepetitionDraw reports whether the server is about to end the game by
// repetition, which it announces in a second state with the same moves. If that does
// not come, reading the game again lets us play on.
func (g *game) awaitsRepetitionDraw(opened time.Time) bool {
	return g.board.game.Outcome(rules.Threefold).Over() && opened.Before(g.board.changed)
}

// supersedeTurn cancels the turn in progress. One whose move is already on the
// stream is not canceled: aborting its request would cost the connection.
func (g *game) supersedeTurn() {
	if g.turn != nil && !g.turn.superseded {
		g.turn.superseded = true
		g.turn.cancel()
	}
}

func (t *turn) isDone() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// startTurn searches the current position, unless the move is known, and posts
// the move.
func (g *game) startTurn(ctx context.Context, known *decision) {
	previous := g.turn
	ctx, cancel := context.WithCancel(ctx)
	t := &turn{moves: g.state.Moves, ply: g.board.game.Ply(), startedAt: g.board.changed, cancel: cancel, done: make(chan struct{})}
	t.offerDraw = g.offersDraw()
	limits, flag := g.limits()
	if known != nil {
		known = g.refusals.next(g.board.game.Position(), known)
	}
	board := g.board.snapshot()
	g.turn = t
	g.spawnVital(func() {
		defer cancel()
		defer t.end() // after a panic too: the next turn waits for it
		t.err = g.playTurn(ctx, t, previous, known, board, limits, flag)
		t.end()
		select {
		case g.turnDone <- t:
		case <-ctx.Done():
		}
	})
}

// end closes the turn, once.
func (t *turn) end() {
	if !t.isDone() {
		t.endedAt = time.Now()
		close(t.done)
	}
}

// playTurn makes one turn. The previous turn may still wait for a reply that the
// stream has made irrelevant; only one post of a game is ever in flight.
func (g *game) playTurn(ctx context.Context, t, previous *turn, known *decision, board *rules.Game, limits search.Limits, flag time.Time) error {
	if known == nil {
		known = g.think(ctx, board, limits, flag)
	}
	if previous != nil {
		previous.cancel()
		<-previous.done
	}
	if ctx.Err() != nil {
		return ctx.Err() // a newer state came
	}
	t.posted.Store(&decision{move: known.move, reply: known.reply, info: known.info, postedAt: time.Now()})
	return g.bot.opts.Client.Move(ctx, lichess.MoveRequest{
		GameID: g.id, UCI: known.move.String(), OfferDraw: t.offerDraw, Ply: t.ply, FlagAt: flag,
	})
}

// handleTurnDone handles the end of a turn. Unless the game has moved on, a failed
// post makes us read the game again, at once or after a delay.
func (g *game) handleTurnDone(t *turn) {
	if t != g.turn || t.superseded {
		return
	}
	var limited *lichess.RateLimitError
	wait := g.bot.timing.retry.Initial
	switch {
	case t.err == nil:
		g.confirmTimer.Reset(g.bot.timing.confirmTimeout)
		return
	case errors.As(t.err, &limited):
		wait = limited.RetryAfter
		g.retryAt = time.Now().Add(wait)
		g.log.Warn().Err(t.err).Msg("move not posted")
	case lichess.IsRefusal(t.err):
		wait, _ = retry.CapToClock(g.recordRefusal(t), g.soonestFlag())
	default:
		g.log.Warn().Err(t.err).Msg("move not confirmed")
	}
	g.rereadTimer.Reset(wait)
}

// confirmMove looks for our move in the newest state and, if it has arrived,
// measures its round trip. It reports whether it has.
func (g *game) confirmMove() (arrived bool) {
	t := g.turn
	if t == nil || t.superseded {
		return false
	}
	d := t.posted.Load()
	moves := g.board.game.Moves()
	if d == nil || len(moves) <= t.ply || moves[t.ply] != d.move || !g.board.extends(t.moves) {
		return false
	}
	t.superseded = true
	lag := g.receivedAt.Sub(d.postedAt)
	g.bot.overhead.add(lag)
	g.board.notes[t.ply].Lag = lag
	g.bot.emit(event.Moved{Game: g.id, Latency: g.receivedAt.Sub(t.startedAt), Lag: lag, Info: d.info})
	if d.info.Depth > 0 {
		g.board.noteEval(t.ply, d.info)
	}
	g.log.Debug().Stringer("move", d.move).Int("ply", t.ply).Int("depth", d.info.Depth).
		Int("score", d.info.Score.Centipawns).Int("mate", d.info.Score.Mate).Uint64("nodes", d.info.Nodes).
		Dur("think", d.info.Time).Dur("lag", lag).Msg("moved")
	return true
}

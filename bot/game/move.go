package game

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

const (
	moveRetry      = 100 * time.Millisecond // before the game is read again after a failed post
	confirmTimeout = 3 * time.Second        // for a posted move to appear on the stream
)

// ourMove is our latest move.
type ourMove struct {
	turn         *turn        // the latest attempt; nil if none
	posted       []rules.Move // in this position
	refusals     moveRefusals // in this position
	blockedUntil time.Time    // no move is posted in this position before
	confirmTimer *time.Timer  // fires when a posted move is not on the stream
}

// reset forgets what belongs to a position that has changed.
func (m *ourMove) reset() {
	m.posted, m.refusals, m.blockedUntil = nil, moveRefusals{}, time.Time{}
	m.confirmTimer.Stop()
}

// inProgress reports whether there is an attempt that is not resolved.
func (m *ourMove) inProgress() bool { return m.turn != nil && !m.turn.resolved }

// resolve cancels the attempt in progress, if there is one.
func (m *ourMove) resolve() {
	if m.inProgress() {
		m.turn.resolved = true
		m.turn.cancel()
	}
}

// reports returns the reports of the attempt in progress, nil without one.
func (m *ourMove) reports() <-chan func() {
	if !m.inProgress() {
		return nil
	}
	return m.turn.reports
}

// turn is an attempt to make a move: a search and a post, or a post only, in a separate
// goroutine. Its phase follows from its fields:
//
//	thinking    nothing is chosen
//	posting     a move is chosen and on its way
//	confirming  the post has ended; the server has accepted the move, but the stream has not shown it
//	blocked     the post has ended; the server has refused the move, or may not have received it
//	resolved    the stream shows the move or another position, or the game is over
//
// If the server shows the position without the move while it is confirming or blocked, the
// next turn posts it again.
type turn struct {
	moves     string    // the move list that it answers
	ply       int       // its length
	startedAt time.Time // when the position was reached
	cancel    context.CancelFunc
	offerDraw bool          // a draw goes with the move
	reports   chan func()   // of what has happened, for the game's goroutine to call; buffered for all
	done      chan struct{} // closed at the end of the goroutine

	// What follows belongs to the game's goroutine.
	chosen   *decision // nil before
	endedAt  time.Time // when the post did; zero before
	accepted bool
	resolved bool
}

// decision is a chosen move. Until the server shows it, it is posted again rather
// than searched for again.
type decision struct {
	move     rules.Move
	reply    rules.Move  // that we expect, or NoMove
	info     engine.Info // empty if it was not searched for
	fallback event.Fallback
	postedAt time.Time
}

// updateMove resolves a move that the game has overtaken, and makes one if it is due.
// Only a connection opened after a post proves that its move did not arrive; an older
// one may lag behind.
func (g *game) updateMove(ctx context.Context, opened time.Time) {
	m, t := &g.move, g.move.turn
	if t != nil && t.moves != g.state.Moves {
		m.resolve()
	}
	switch {
	case !g.ourTurn():
	case time.Now().Before(m.blockedUntil):
		if opened.After(t.endedAt) { // read too early, which used up the timer
			g.rereadTimer.Reset(time.Until(m.blockedUntil))
		}
	case m.inProgress():
		if !t.endedAt.IsZero() && opened.After(t.endedAt) {
			g.startTurn(ctx, t.chosen)
		}
	case g.awaitsRepetitionDraw(opened):
		g.rereadTimer.Reset(confirmTimeout)
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

// startTurn searches the current position, unless the move is known, and posts
// the move.
func (g *game) startTurn(ctx context.Context, known *decision) {
	previous := g.move.turn
	ctx, cancel := context.WithCancel(ctx)
	t := &turn{
		moves: g.state.Moves, ply: g.board.game.Ply(), startedAt: g.board.changed, cancel: cancel,
		reports: make(chan func(), 2), done: make(chan struct{}),
	}
	t.offerDraw = g.offersDraw()
	limits, flag := g.limits()
	if known != nil {
		known = g.move.refusals.next(g.board.game.Position(), known)
	}
	board, playAt := g.board.snapshot(), time.Now().Add(g.pace(&limits.Limits, rand.NormFloat64()))
	g.move.turn = t
	g.spawnVital(func() {
		defer close(t.done) // after a panic too: the next turn waits for it
		defer cancel()
		if known == nil {
			known = g.think(ctx, board, limits, flag)
			_ = lichess.Sleep(ctx, time.Until(playAt)) // if it ends early, a newer state has come
		}
		err := g.postTurn(ctx, t, previous, known, flag)
		endedAt := time.Now()
		t.reports <- func() { g.handlePosted(t, endedAt, err) }
	})
}

// postTurn posts the move of a turn. The previous turn may still wait for a reply that the
// stream has made irrelevant; only one post of a game is ever in flight.
func (g *game) postTurn(ctx context.Context, t, previous *turn, known *decision, flag time.Time) error {
	if previous != nil {
		previous.cancel()
		<-previous.done
	}
	if ctx.Err() != nil {
		return ctx.Err() // a newer state came
	}
	posted := *known
	posted.postedAt = time.Now()
	t.reports <- func() {
		t.chosen = &posted
		g.move.posted = append(g.move.posted, posted.move)
	}
	return g.opts.Client.Move(ctx, lichess.MoveRequest{
		GameID: g.id, UCI: known.move.String(), OfferDraw: t.offerDraw, Ply: t.ply, FlagAt: flag,
	})
}

// countForeign counts a new state's move in place of ours that we have not posted, and reports the second one: the
// first may be from before a restart.
func (g *game) countForeign(mover rules.Color, ply int) {
	moves := g.board.game.Moves()
	if g.state == nil || mover != g.us || len(moves) <= ply || slices.Contains(g.move.posted, moves[ply]) {
		return
	}
	if g.foreign++; g.foreign == 2 {
		g.manager.reportDuplicate(g.id)
	}
}

// receiveReports handles the reports that are there: a turn reports its move before
// the stream can show it.
func (g *game) receiveReports() {
	for {
		select {
		case handle := <-g.move.reports():
			handle()
		default:
			return
		}
	}
}

// handlePosted handles the result of a post of the turn in progress. A failed one
// makes us read the game again, at once or after a delay.
func (g *game) handlePosted(t *turn, endedAt time.Time, err error) {
	m := &g.move
	t.endedAt, t.accepted = endedAt, err == nil
	if t.accepted {
		m.confirmTimer.Reset(confirmTimeout)
		return
	}
	wait := moveRetry
	var limited *lichess.RateLimitError
	switch {
	case errors.As(err, &limited):
		wait, _ = event.CapToClock(limited.RetryAfter, g.ownFlag())
		m.blockedUntil = time.Now().Add(wait)
		g.log.Warn().Err(err).Msg("move not posted")
	case lichess.IsRefusal(err):
		wait, _ = event.CapToClock(g.recordRefusal(t, err), g.ownFlag())
	default:
		g.log.Warn().Err(err).Msg("move not confirmed")
	}
	g.rereadTimer.Reset(wait)
}

// confirmMove looks for our move in the newest state and, if it has arrived,
// measures its round trip. It reports whether it has. Its post is not cancelled:
// aborting the request would cost the connection.
func (g *game) confirmMove() (arrived bool) {
	t, moves := g.move.turn, g.board.game.Moves()
	if !g.move.inProgress() || t.chosen == nil || len(moves) <= t.ply || moves[t.ply] != t.chosen.move ||
		!slices.Equal(g.board.moves[:t.ply], strings.Fields(t.moves)) {
		return false
	}
	t.resolved = true
	d, lag := t.chosen, g.receivedAt.Sub(t.chosen.postedAt)
	g.manager.overhead.add(lag)
	g.board.notes[t.ply].Lag = lag
	g.opts.Emit(event.Moved{Game: g.id, Latency: g.receivedAt.Sub(t.startedAt), Lag: lag, Info: d.info})
	if d.info.Depth > 0 {
		g.board.noteEval(t.ply, d.info, g.us)
	}
	g.countFallback(d)
	score := analysis.PGNScore(d.info.Score)
	g.log.Debug().Stringer("move", d.move).Int("ply", t.ply).Int("depth", d.info.Depth).
		Int("score", score.Centipawns).Int("mate", score.Mate).Uint64("nodes", d.info.Nodes).
		Stringer("think", d.info.Time.Round(time.Millisecond)).Stringer("lag", lag.Round(time.Millisecond)).Msg("moved")
	return true
}

// countFallback counts a move if it was a fallback move. The first of a game is logged.
func (g *game) countFallback(d *decision) {
	if d.fallback == "" {
		return
	}
	if g.board.fallbacks++; g.board.fallbacks == 1 {
		g.log.Warn().Str("reason", string(d.fallback)).Stringer("move", d.move).
			Msg("own search chose a move instead of the engine program; further ones in this game are only counted")
	}
}

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
// times longer each time.
func (r *moveRefusals) pause(first time.Duration) time.Duration {
	return min(first<<(2*min(r.count-1, 10)), longestRefusal)
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
	wait := r.pause(moveRetry)
	report, text := g.log.Warn(), "move refused"
	if r.illegal >= sureRefusals {
		report = g.log.Error().Str("fen", g.board.game.Position().FEN()).Str("moves", t.moves)
		text = "move refused in the position it was made for"
	}
	report.Err(err).Stringer("move", d.move).Int("refusals", r.count).
		Stringer("retry_in", wait.Round(time.Millisecond)).Msg(text)
	return wait
}

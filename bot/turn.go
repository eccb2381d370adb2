package bot

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// turn is one move of ours, from the first thought to the server's reply. It
// runs in a goroutine of its own, so that the game's stream is read meanwhile.
type turn struct {
	moves   string // the move list it answers
	cancel  context.CancelFunc
	done    chan struct{}            // closed at the end
	posted  atomic.Pointer[decision] // once the move is on its way
	err     error                    // after done
	started time.Time
}

// decision is a move that we have settled on in a position. It is kept until
// the server shows it, so that a lost post is sent again, not thought again.
type decision struct {
	moves string // the move list it answers
	move  rules.Move
	info  Info
	sent  time.Time
}

// confirmWithin is how long after the server's reply the stream may take to
// show our move, before the stream is taken for dead.
const confirmWithin = 3 * time.Second

// startTurn thinks about the current position and posts the move.
func (g *game) startTurn(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	t := &turn{moves: g.state.Moves, cancel: cancel, done: make(chan struct{}), started: time.Now()}
	limits, flag := g.limits()
	snapshot := g.board.snapshot()
	known := g.decided
	if known != nil && known.moves != t.moves {
		known = nil
	}
	g.turn = t
	go func() {
		defer close(t.done)
		defer cancel()
		t.err = g.take(ctx, t, snapshot, limits, flag, known)
	}()
}

// take decides on a move, unless it is known, and posts it.
func (g *game) take(ctx context.Context, t *turn, board *rules.Game, limits Limits, flag time.Time, known *decision) error {
	d := known
	if d == nil {
		r, err := g.bot.opts.Engine.Search(ctx, board, limits, nil)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		if ctx.Err() != nil {
			return ctx.Err() // a newer state came
		}
		if !board.Position().IsLegal(r.Move) {
			g.log.Error().Stringer("move", r.Move).Str("fen", board.Position().FEN()).Str("moves", t.moves).
				Msg("engine's move is illegal: any legal one is played")
			r.Move = anyMove(board.Position(), rules.NoMove)
		}
		d = &decision{moves: t.moves, move: r.Move, info: r.Info}
	}
	sent := *d
	sent.sent = time.Now()
	t.posted.Store(&sent)
	return g.bot.opts.Client.Move(ctx, lichess.MoveRequest{
		GameID: g.id, UCI: d.move.String(), Ply: board.Ply(), FlagAt: flag,
	})
}

// anyMove returns a legal move other than one that was refused, if there is
// another.
func anyMove(p *rules.Position, refused rules.Move) rules.Move {
	var l rules.MoveList
	p.Generate(&l, rules.All)
	for _, m := range l.Moves() {
		if m != refused {
			return m
		}
	}
	return refused
}

// limits returns what the clocks allow, and when ours runs out; zero if it is
// not running.
func (g *game) limits() (Limits, time.Time) {
	l := Limits{MoveTime: g.bot.opts.MaxTime, Nodes: g.bot.opts.MaxNodes}
	if g.full.Clock == nil {
		if l.MoveTime == 0 {
			l.MoveTime = thinkWithoutClock
		}
		return l, time.Time{}
	}
	gone := time.Since(g.received)
	l.White, l.Black = g.state.WhiteTime.Duration(), g.state.BlackTime.Duration()
	l.WhiteInc, l.BlackInc = g.state.WhiteIncrement.Duration(), g.state.BlackIncrement.Duration()
	own := &l.White
	if g.us == rules.Black {
		own = &l.Black
	}
	var flag time.Time
	if g.board.game.Ply() >= 2 { // clocks start after both first moves
		flag = g.received.Add(*own)
		*own = max(*own-gone, time.Millisecond)
	}
	l.Overhead = g.bot.overhead.forClock(*own)
	return l, flag
}

// stopTurn cancels the turn under way and waits for its end, which is
// milliseconds off.
func (g *game) stopTurn() {
	if g.turn == nil {
		return
	}
	g.turn.cancel()
	<-g.turn.done
	if d := g.turn.posted.Load(); d != nil {
		g.decided = d
	}
	g.turn = nil
}

// turnDone returns the channel that is closed at the end of the turn, nil
// without one.
func (g *game) turnDone() <-chan struct{} {
	if g.turn == nil {
		return nil
	}
	return g.turn.done
}

// turnEnded handles the end of a turn that no newer state has cancelled.
func (g *game) turnEnded() error {
	t := g.turn
	g.stopTurn()
	var api *lichess.APIError
	switch {
	case t.err == nil:
		g.accepted, g.confirm = true, time.After(confirmWithin)
		return nil
	case errors.Is(t.err, context.Canceled):
		return errResync
	case errors.As(t.err, &api) && api.StatusCode == 400:
		g.refused(t.err)
	default:
		g.log.Warn().Err(t.err).Msg("move not confirmed")
	}
	var limited *lichess.RateLimitError
	if errors.As(t.err, &limited) {
		return t.err
	}
	return fmt.Errorf("%w: %w", errResync, t.err)
}

// refused handles the server's no to a move. Once it may mean that the game
// has moved on; again, with the same position on the board, that our rules
// and the server's differ: then another move is tried.
func (g *game) refused(err error) {
	d := g.decided
	if g.refusals++; g.refusals == 1 {
		g.log.Info().Err(err).Stringer("move", d.move).Msg("move refused")
		return
	}
	p := g.board.game.Position()
	g.log.Error().Err(err).Stringer("move", d.move).Str("fen", p.FEN()).Str("moves", d.moves).
		Int("refusals", g.refusals).Msg("move refused in the position it was made for: another is tried")
	g.decided = &decision{moves: d.moves, move: anyMove(p, d.move)}
}

// seen looks for our move in a new state: it has arrived, and its way is
// measured.
func (g *game) seen(s *lichess.GameState) {
	d := g.decided
	if g.turn != nil {
		d = g.turn.posted.Load()
	}
	if d == nil || d.sent.IsZero() || !follows(s.Moves, d.moves, d.move.String()) {
		return
	}
	trip := g.received.Sub(d.sent)
	g.bot.overhead.add(trip)
	g.log.Debug().Stringer("move", d.move).Int("depth", d.info.Depth).Int("score", d.info.Score.Centipawns).
		Int("mate", d.info.Score.Mate).Uint64("nodes", d.info.Nodes).Dur("think", d.info.Time).Dur("trip", trip).Msg("moved")
	g.shown = d
	if g.turn != nil {
		g.turn.posted.Store(nil)
	}
	g.decided = nil
}

// follows reports whether a move list is another one and one move more, or
// that and more.
func follows(moves, before, move string) bool {
	want := move
	if before != "" {
		want = before + " " + move
	}
	return len(moves) >= len(want) && moves[:len(want)] == want && (len(moves) == len(want) || moves[len(want)] == ' ')
}

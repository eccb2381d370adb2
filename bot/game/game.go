package game

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// game plays one game. Its fields belong to the goroutine of run, which never blocks
// except to wait for the next event: reading, searching, posting and chat have
// goroutines of their own.
type game struct {
	manager *Manager
	opts    *Options // those of manager
	entry   *Entry
	id      string
	log     zerolog.Logger

	stream *stream.Stream
	wg     sync.WaitGroup          // the other goroutines
	crash  context.CancelCauseFunc // ends this run
	ping   <-chan struct{}

	// What the server says.
	full        *lichess.GameFull // nil until received
	us          rules.Color
	created     time.Time // when it began, or was first seen if that is unknown
	board       *board
	state       *lichess.GameState // the newest
	receivedAt  time.Time          // when the newest state arrived
	clocks      [2]time.Duration   // at that time, estimated where unknown
	connectedAt time.Time          // when the connection of the newest state was opened

	// Our moves.
	move        ourMove
	foreign     int         // moves of ours that another program has made
	pondering   *ponder     // search on the opponent's time; nil if none
	rereadMoves *string     // the move list at which an invalid line made us read the game again; nil before
	rereadTimer *time.Timer // fires when the game is to be read again
	difference  difference  // between the list of games and the board

	unlistedSince time.Time // since when the list of games lacks it; zero if it does not

	// The opponent.
	firstMoveTimer        *time.Timer // fires when the opponent's first move is overdue
	firstMoveTimed        bool        // the timer runs, or has fired
	firstMoveOverdueSince time.Time   // since when it is; zero if it is not
	aborting              bool        // we have sent an abort
	byOperator            bool        // it was the operator's
	absence               absence
	claimTimer            *time.Timer // fires when the win can be claimed
	offers                offers      // in the last state
	drawOfferedAt         int         // ply at which we last offered a draw
	greeted               bool
	answers               chatLimits
	chatSent              chan struct{} // closed when our last line of chat is sent, or given up; nil before

	// The record.
	contender           Contender     // which one plays; without a name if there are none
	level               float64       // of play, see package level
	levelVaried         bool          // it was another one for an earlier move
	contenderSaved      chan struct{} // closed once the contender is on disk, if it must be
	archived            bool
	earlier             *record.Live // what an earlier run has kept, until its notes are restored
	greetedEarlier      bool         // an earlier run has greeted
	startedAt           time.Time    // when this run began to follow it
	finishedBeforeStart bool         // the game was over before this run saw it
}

func newGame(m *Manager, e *Entry, log zerolog.Logger) *game {
	g := &game{
		manager: m, opts: &m.opts, entry: e, id: e.id, log: log,
		answers: newChatLimits(), startedAt: time.Now(),
		contender: Contender{NetworkName: m.opts.Network, ProgramName: m.opts.Program}, finishedBeforeStart: e.isOver(),
	}
	for _, timer := range []**time.Timer{&g.firstMoveTimer, &g.claimTimer, &g.rereadTimer, &g.move.confirmTimer} {
		*timer = stoppedTimer()
	}
	timing := g.opts.Timing.Stream
	if e.unknown && e.completing {
		timing.RefusalGap = 0 // it was given up, and only its end might be read
	}
	g.stream = stream.New(stream.Options{
		Game: g.id, Source: g.opts.Stream(g.id), Reachability: g.opts.Reachability, Timing: timing,
		Log: log, Emit: g.opts.Emit, OnDuplicate: func() { m.reportDuplicate(g.id) }, Go: g.spawnVital,
	})
	return g
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// run plays until the game has a final status, which is success, the context
// ends, or the game cannot be followed.
func (g *game) run(ctx context.Context) (err error) {
	defer g.wg.Wait()
	playing, crash := context.WithCancelCause(ctx)
	defer crash(nil)
	g.crash = crash
	defer g.afterPanic(&err)
	defer recoverTo(&err)
	g.stream.Start(playing)
	if err := g.play(playing); err != nil {
		return err
	}
	if g.full == nil {
		return nil // it was concluded before
	}
	g.receiveReports()
	g.move.resolve()
	g.stopPondering()
	g.opts.Engine.EndGame(g.id) // the next game may begin before this one is recorded
	g.conclude(ctx)
	return nil
}

// play handles events until the game is over.
func (g *game) play(ctx context.Context) error {
	ping, leave := g.opts.Liveness.Register("game " + g.id)
	defer leave()
	g.ping = ping
	for g.state == nil || !g.state.Status.Over() {
		if err := g.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// step handles the next event.
func (g *game) step(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case report := <-g.stream.Reports():
		if item := report(); item != nil {
			return g.handleStream(ctx, *item)
		}
	case handle := <-g.move.reports():
		handle()
	case <-g.ping: // liveness check
	case l := <-g.entry.listed:
		g.compare(ctx, l)
		return g.checkListed(l)
	case c := <-g.entry.commands:
		g.execute(ctx, c)
	case <-g.firstMoveTimer.C:
		g.handleNoShow()
	case <-g.claimTimer.C:
		g.claimVictory(ctx)
	case <-g.rereadTimer.C:
		g.reread()
	case <-g.move.confirmTimer.C:
		g.opts.Games.RequestSync()
		g.rereadTimer.Reset(confirmTimeout) // in case the list does not come
	}
	return nil
}

// handleStream handles an item of the game's stream.
func (g *game) handleStream(ctx context.Context, item stream.Item) error {
	g.receiveReports()
	switch e := item.Event.(type) {
	case *lichess.GameFull:
		if g.entry.concluded && e.State.Status.Over() {
			g.state = &e.State
			return nil
		}
		g.entry.concluded = false
		if err := g.begin(e); err != nil {
			return err
		}
		if !e.Clock.IsZero() && !e.State.Status.Over() {
			g.opts.Games.RequestSync() // to see whether this connection has missed a move
		}
		return g.update(ctx, &e.State, item)
	case *lichess.GameState:
		return g.update(ctx, e, item)
	case *lichess.ChatLine:
		g.handleChat(ctx, e)
	case *lichess.OpponentGone:
		g.opponentGone(e)
	case *lichess.UnknownEvent:
		g.log.Debug().Str("type", e.Type).Msg("unknown event in game")
	case nil:
		return g.handleStreamError(item)
	}
	return nil
}

// handleStreamError handles the end of the stream, or an invalid line: that may have
// been a move, so the game is read again, once per position. Without its first line, the
// stream reads it again by itself.
func (g *game) handleStreamError(item stream.Item) error {
	if errors.Is(item.Err, lichess.ErrNotFound) {
		return fmt.Errorf("%w: %w", errUnknown, item.Err)
	}
	if item.Err == nil && g.state != nil && (g.rereadMoves == nil || *g.rereadMoves != g.state.Moves) {
		g.rereadMoves = &g.state.Moves
		g.rereadTimer.Reset(confirmTimeout)
	}
	return item.Err
}

// begin sets what stays the same during the game.
func (g *game) begin(full *lichess.GameFull) error {
	first := g.full == nil
	isUs := func(p lichess.Player) bool { return strings.EqualFold(cmp.Or(p.ID, p.Name), g.opts.Account().ID) }
	white, black, unknown := isUs(full.White), isUs(full.Black), lichess.Player{}
	white = white || !black && full.White == unknown
	if full.Variant.IsOther() || !white && !black && full.Black != unknown {
		return errNotOurs
	}
	start, err := startOf(full)
	if err != nil {
		return err
	}
	if g.board == nil || g.board.start != start {
		g.board = newBoard(start)
	}
	g.full, g.us = full, rules.Black
	if white {
		g.us = rules.White
	}
	opponent := g.opponent()
	g.entry.describe(Info{Opponent: opponent.ID, Bot: opponent.IsBot(), Clock: !full.Clock.IsZero(),
		Arena: full.TournamentID})
	if first {
		g.created = time.UnixMilli(int64(full.CreatedAt)).UTC()
		if now := time.Now().UTC(); full.CreatedAt <= 0 || g.created.Sub(now) > 24*time.Hour {
			g.created = now
		}
		g.restore()
		g.assignContender()
		g.assignLevel()
		g.saveContender()
		g.recordOpponent()
		g.reportRating()
		e := g.log.Info().Str("opponent", event.PlayerOf(opponent).Name).Int("rating", opponent.Rating).
			Str("color", g.us.String()).Str("speed", string(full.Speed)).Bool("rated", full.Rated)
		if g.contender.Name != "" {
			e = e.Str("contender", g.contender.Name)
		}
		if tag := g.levelTag(); tag != "" {
			e = e.Str("level", tag)
		}
		e.Msg("game joined")
	}
	return nil
}

// reportRating reports our rating, unless it may have changed since the game began.
func (g *game) reportRating() {
	own, _ := sides(g.us, &g.full.White, &g.full.Black)
	if g.full.Rated && own.Rating > 0 && len(g.full.State.MoveList()) < 2 {
		g.opts.Emit(event.RatingShown{Rating: own.Rating})
	}
}

func (g *game) opponent() *lichess.Player {
	_, them := sides(g.us, &g.full.White, &g.full.Black)
	return them
}

// sides returns White's and Black's as ours and the opponent's.
func sides[T any](us rules.Color, white, black T) (ours, theirs T) {
	if us == rules.Black {
		return black, white
	}
	return white, black
}

// update applies a new state of the game.
func (g *game) update(ctx context.Context, s *lichess.GameState, item stream.Item) error {
	if g.full == nil { // the first line comes later
		return nil
	}
	mover, ply := g.board.game.Position().Turn(), g.board.game.Ply()
	changed, err := g.board.update(s.MoveList())
	if err != nil {
		return fmt.Errorf("%w: %w (position %s, moves %s)", errServerMove, err, g.board.game.Position().FEN(), s.Moves)
	}
	g.countForeign(mover, ply)
	if s.Status.IsUnknown() && (g.state == nil || g.state.Status != s.Status) {
		g.log.Warn().Str("status", fmt.Sprintf("%.20s", s.Status)).
			Msg("unknown status: the list of games will show whether the game is over")
		g.opts.Games.RequestSync()
	}
	g.readClocks(s, item.ReceivedAt.Sub(g.receivedAt), mover)
	g.state, g.receivedAt, g.connectedAt = s, item.ReceivedAt, item.ConnectedAt
	g.stream.SetFlagTime(g.soonestFlag())
	if changed {
		g.stopPondering()
		g.move.reset()
		g.rereadTimer.Stop()
		g.stopClaim()
		if g.ourTurn() {
			g.absence = absence{} // the opponent has moved
		}
	}
	g.restoreNotes()
	moved := g.confirmMove()
	g.board.noteClocks(s)
	view := g.view()
	g.entry.view.Store(&view)
	g.opts.Emit(event.GameChanged{GameView: view})
	if s.Status.Over() {
		g.entry.update(over)
	} else {
		if g.finishedBeforeStart {
			g.finishedBeforeStart = false
			g.entry.update(reopened)
		}
		g.watchFirstMove(ctx, changed, g.connectedAt)
		g.greet(ctx)
		g.answerOffers(ctx)
		g.updateMove(ctx, item.ConnectedAt)
		g.ponder(ctx)
		if moved {
			g.considerResigning(ctx)
		}
	}
	g.track()
	return nil
}

// readClocks reads the clocks of a new state. One that is unknown is the last one known, less
// the time that has passed if it was the mover's; at first, it is the game's.
func (g *game) readClocks(s *lichess.GameState, passed time.Duration, mover rules.Color) {
	for c, shown := range [2]lichess.Millis{s.WhiteTime, s.BlackTime} {
		switch left := &g.clocks[c]; {
		case shown.IsClock():
			*left = shown.Duration()
		case g.state == nil:
			*left = g.full.Clock.Initial
		case rules.Color(c) == mover:
			*left -= passed
		}
	}
}

// soonestFlag returns the earliest time at which our clock can run out; zero in a
// game without a clock. Our clock may be running although it seems to be the
// opponent's turn, since the line with the opponent's move may be lost.
func (g *game) soonestFlag() time.Time {
	if g.full.Clock.IsZero() {
		return time.Time{}
	}
	return g.receivedAt.Add(g.clocks[g.us])
}

// ourTurn reports whether there is a move for us to make.
func (g *game) ourTurn() bool {
	p := g.board.game.Position()
	return p.Turn() == g.us && p.HasLegalMove()
}

package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// game plays one game. Its fields belong to the goroutine of run, but for
// those that say otherwise.
type game struct {
	bot *Bot
	id  string
	log zerolog.Logger

	finish   chan *lichess.Game // gives the rating change; buffered
	hasClock atomic.Bool        // any goroutine
	ended    atomic.Bool        // any goroutine

	opponent string
	us       rules.Color
	full     *lichess.GameFull
	state    *lichess.GameState
	received time.Time // when state came
	board    *board
	turn     *turn     // the move we are thinking about or posting; nil if none
	decided  *decision // our move, until the stream shows it
	accepted bool      // the server has taken decided; only the stream is missing
	refusals int       // of moves in this position
	shown    *decision // our move that a state has just shown
	greeted  bool
	answered string // the move list in which the opponent's offers were declined
	talk     sync.WaitGroup

	firstMove <-chan time.Time // the opponent's time for a first move is over
	claim     <-chan time.Time // the opponent has been away for long enough
	confirm   <-chan time.Time // our move should have been seen by now
}

func newGame(b *Bot, start *lichess.Game, log zerolog.Logger) *game {
	g := &game{bot: b, id: start.ID, log: log, finish: make(chan *lichess.Game, 1), opponent: start.Opponent.Username}
	g.hasClock.Store(start.SecondsLeft != nil && start.Speed != lichess.Correspondence)
	return g
}

func (g *game) over() bool { return g.ended.Load() }

// run follows the game's stream, over as many connections as it takes, until
// the game has a final status.
func (g *game) run(ctx context.Context) error {
	defer g.talk.Wait()
	defer g.stopTurn()
	pauses := newPauses()
	for {
		opened := time.Now()
		err := g.session(ctx)
		switch {
		case g.over():
			g.bot.slots.free(g.id)
			g.conclude(ctx)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case hopeless(err):
			return fmt.Errorf("follow game %s: %w", g.id, err)
		}
		if time.Since(opened) > time.Second {
			pauses.Reset()
		}
		wait := pauses.NextBackOff()
		if errors.Is(err, errResync) && g.refusals < 2 {
			wait = 0
		}
		var limited *lichess.RateLimitError
		if errors.As(err, &limited) {
			wait = max(wait, limited.RetryAfter)
		}
		g.log.Warn().Err(err).Dur("retry_in", wait).Msg("game stream lost")
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

var (
	// errResync asks for a fresh look at the game: a new stream begins with
	// the whole state.
	errResync = errors.New("state of the game in doubt")
	// errServerMove: the server's move list makes no sense to our rules.
	errServerMove = errors.New("server's moves do not follow the rules")
)

// hopeless reports whether a game can not be played on, whatever happens.
func hopeless(err error) bool {
	var api *lichess.APIError
	refused := errors.As(err, &api) && api.StatusCode >= 400 && api.StatusCode < 500 && api.StatusCode != 429
	return fatal(err) || errors.Is(err, errServerMove) || refused && !errors.Is(err, errResync)
}

// session follows one stream to its end. It does nothing that takes time:
// thinking and talking have goroutines of their own.
func (g *game) session(ctx context.Context) error {
	streaming, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := g.bot.opts.Client.StreamGame(streaming, g.id)
	if err != nil {
		return err
	}
	lines := make(chan line)
	var reader sync.WaitGroup
	reader.Go(func() { read(streaming, stream, lines) })
	defer reader.Wait()
	defer stream.Close()
	defer cancel()

	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l := <-lines:
			err = g.read(ctx, l)
		case <-g.turnDone():
			err = g.turnEnded()
		case <-g.firstMove:
			err = g.abort(ctx)
		case <-g.claim:
			err = g.claimVictory(ctx)
		case <-g.confirm:
			err = fmt.Errorf("%w: our move has not been shown for %s", errResync, confirmWithin)
		}
		if err != nil || g.over() {
			return err
		}
	}
}

// line is what a stream brought: an event or an error.
type line struct {
	event lichess.GameEvent
	err   error
}

// read hands on the stream's lines until it ends.
func read(ctx context.Context, stream *lichess.GameStream, lines chan<- line) {
	for {
		event, err := stream.Next()
		select {
		case lines <- line{event, err}:
		case <-ctx.Done():
			return
		}
		var bad *lichess.LineError
		if err != nil && !errors.As(err, &bad) {
			return
		}
	}
}

// read takes in one line of the stream.
func (g *game) read(ctx context.Context, l line) error {
	var bad *lichess.LineError
	if errors.As(l.err, &bad) {
		g.log.Warn().Err(l.err).Msg("line of game stream not read")
		return nil
	}
	if l.err != nil {
		return l.err
	}
	switch e := l.event.(type) {
	case *lichess.GameFull:
		if err := g.begin(e); err != nil {
			return err
		}
		return g.update(ctx, &e.State)
	case *lichess.GameState:
		return g.update(ctx, e)
	case *lichess.ChatLine:
		g.log.Debug().Str("room", string(e.Room)).Str("user", e.Username).Str("text", e.Text).Msg("chat")
	case *lichess.OpponentGone:
		g.opponentGone(e)
	case *lichess.UnknownEvent:
		g.log.Debug().Str("type", e.Type).Msg("unknown event in game")
	}
	return nil
}

// begin takes in what stays the same during the game.
func (g *game) begin(full *lichess.GameFull) error {
	if full.Variant.Key != lichess.Crazyhouse {
		return fmt.Errorf("%w: variant %q", errServerMove, full.Variant.Key)
	}
	start, err := startOf(full)
	if err != nil {
		return err
	}
	g.full = full
	g.confirm, g.accepted = nil, false // what it shows is all that arrived
	g.us = rules.White
	if full.Black.ID == g.bot.account.ID {
		g.us = rules.Black
	}
	g.hasClock.Store(full.Clock != nil)
	if g.board == nil || g.board.start != start {
		g.board = newBoard(start)
	}
	return nil
}

// update takes in the server's newest word on the game.
func (g *game) update(ctx context.Context, s *lichess.GameState) error {
	if g.board == nil {
		return fmt.Errorf("%w: a state came before the game", errResync)
	}
	g.state, g.received = s, time.Now()
	g.seen(s)
	changed, err := g.board.follow(s.MoveList())
	if err != nil {
		return fmt.Errorf("%w: %w", errServerMove, err)
	}
	g.board.note(s, g.shown)
	g.shown = nil
	if g.turn != nil && (s.Status.Over() || g.turn.moves != s.Moves) {
		g.stopTurn()
	}
	if s.Status.Over() {
		g.ended.Store(true)
		return nil
	}
	if changed {
		g.confirm, g.claim, g.accepted, g.refusals = nil, nil, false, 0
	}
	g.watchFirstMove(changed)
	g.greet(ctx)
	g.answerOffers(ctx)
	if g.turn == nil && g.ourTurn() && !g.accepted {
		g.startTurn(ctx)
	}
	return nil
}

// ourTurn reports whether there is a move for us to make.
func (g *game) ourTurn() bool {
	p := g.board.game.Position()
	return p.Turn() == g.us && p.HasLegalMove()
}

// watchFirstMove runs the timer for an opponent who never moves: challenge
// games do not expire by themselves.
func (g *game) watchFirstMove(changed bool) {
	waiting := g.board.game.Ply() < 2 && !g.ourTurn() && g.bot.opts.AbortAfter > 0
	switch {
	case !waiting:
		g.firstMove = nil
	case changed || g.firstMove == nil:
		g.firstMove = time.After(g.bot.opts.AbortAfter)
	}
}

func (g *game) abort(ctx context.Context) error {
	g.firstMove = nil
	g.log.Info().Dur("after", g.bot.opts.AbortAfter).Msg("opponent has not moved: game aborted")
	g.command(ctx, "abort", func(ctx context.Context) error { return g.bot.opts.Client.Abort(ctx, g.id) })
	return nil
}

// opponentGone starts the timer for claiming the win.
func (g *game) opponentGone(e *lichess.OpponentGone) {
	g.claim = nil
	if e.Gone && e.ClaimWinIn != nil {
		g.claim = time.After(e.ClaimWinIn.Duration())
	}
}

// claimVictory claims the win, but not over an own move that is on its way.
func (g *game) claimVictory(ctx context.Context) error {
	g.claim = nil
	if g.turn != nil || g.ourTurn() {
		return nil
	}
	g.log.Info().Msg("opponent left: win claimed")
	g.command(ctx, "claim victory", func(ctx context.Context) error { return g.bot.opts.Client.ClaimVictory(ctx, g.id) })
	return nil
}

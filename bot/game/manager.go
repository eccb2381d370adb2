// Package game plays games: a game's stream goes in, its moves come out.
//
// A [Registry] owns the lives of all games, whose phases entry.go draws. It starts a
// goroutine for each, which runs [Manager.Run] to the game's end: it follows the game's
// stream and never blocks, as thinking, posting and chat run in other goroutines, and a
// newer state of the game redirects or cancels them. [Manager.Reconcile] keeps the registry
// in step with the server's list of games in progress. An [Engine] finds the moves.
//
// The server's move list is the only source of truth about a game, so that resuming it
// needs nothing on disk. Only a final status ends a game, or an unknown one if the list of games
// lacks it.
package game

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
)

// Options are a [Manager]'s dependencies and settings.
type Options struct {
	Games        *Registry
	Client       Client
	Stream       func(game string) stream.Source
	Engine       Engine
	Contenders   []Contender // who share out the games; none if Engine plays all alike
	Opponents    *opponent.Memory
	WasCanceled  func(challenge string) bool // we have sent a cancel for it
	Waiting      func() []string             // names of those whose challenges wait for a slot
	Archive      Archive                     // nil stores none
	Account      func() *lichess.Account
	Settings     func() *config.Config // which may change while a game is played
	Liveness     *event.Liveness
	Reachability *stream.Reachability

	Emit func(event.Event)

	Timing           Timing
	Log              zerolog.Logger
	Site             string // URL of the server, for the records
	Version, Network string // of the bot and its network, for the records
	// Program names the program that searches instead of ours, for the records: "" for
	// none. It may learn the name only after its start. nil is none.
	Program func() string
}

// Timing holds the intervals and timeouts that tests replace.
type Timing struct {
	Stream stream.Timing

	// Between lists of the games in progress.
	SyncInterval time.Duration // while no clock runs
	SyncLive     time.Duration // while one does; up to twice that
}

// LichessTiming returns the timing for Lichess.
func LichessTiming() Timing {
	return Timing{
		Stream:       stream.LichessTiming(),
		SyncInterval: 5 * time.Minute, SyncLive: 15 * time.Second,
	}
}

// Client sends what a player does in a game, such as a [*lichess.Client].
type Client interface {
	Playing(ctx context.Context) (*lichess.GameList, error)
	Move(ctx context.Context, r lichess.MoveRequest) error
	Abort(ctx context.Context, game string) error
	Resign(ctx context.Context, game string) error
	Draw(ctx context.Context, game string, yes bool) error
	Takeback(ctx context.Context, game string, yes bool) error
	ClaimVictory(ctx context.Context, game string) error
	Chat(ctx context.Context, game string, room lichess.Room, text string) error
}

// Archive stores games, in progress and finished.
type Archive interface {
	// Save stores a finished game, which is no longer in progress. On an error the game is
	// stored later.
	Save(g *record.Game) error
	// Track keeps a game in progress as it is now, until WriteLive writes it.
	Track(l *record.Live)
	// Untrack forgets a game in progress that is not worth a record.
	Untrack(id string)
	// WriteLive writes the games in progress.
	WriteLive() error
	// Live returns a game in progress, of this run or an earlier one; nil for none.
	Live(id string) *record.Live
	// Unfinished returns the ids of the games in progress.
	Unfinished() []string
	// Flush writes the games that Save could not.
	Flush() error
	// Backlog returns what has not been written.
	Backlog() record.Backlog
}

// Manager plays games: Run plays one, Reconcile starts those that the server lists. It is safe for
// concurrent use.
type Manager struct {
	opts       Options
	panics     panickedPositions
	overhead   *overheadEstimator
	unsaved    chan struct{}  // capacity 1: Archive could not save a game
	tracked    chan struct{}  // capacity 1: games in progress have changed
	duplicates rate.Sometimes // limits the warnings that another program plays our games, too
	ignored    rate.Sometimes // limits the warnings that a listed game is ignored
	beyond     rate.Sometimes // limits the warnings that there are more games than games.max
	// liveFailures limits the warnings that games in progress cannot be written.
	liveFailures rate.Sometimes

	atOnce  *rate.Limiter // of lists that are read at once, as a game may be abandoned repeatedly
	recheck time.Duration // pause before abandoned games are checked again; 0 for none to check
}

// NewManager returns a manager for games with these options.
func NewManager(o Options) *Manager {
	return &Manager{
		opts: o, overhead: newOverheadEstimator(o.Settings().Engine.MoveOverhead),
		unsaved: make(chan struct{}, 1), tracked: make(chan struct{}, 1),
		duplicates: rate.Sometimes{Interval: 10 * time.Minute}, ignored: rate.Sometimes{Interval: time.Hour},
		beyond:       rate.Sometimes{Interval: time.Hour},
		liveFailures: rate.Sometimes{Interval: time.Hour}, atOnce: rate.NewLimiter(rate.Every(lastRecheck), 10),
	}
}

var (
	// errNotOurs means that the game is not crazyhouse, or not played by us.
	errNotOurs = errors.New("not a crazyhouse game of ours")
	// errUnknown means that the server does not know the game, or no longer knows it.
	errUnknown = errors.New("the server does not know the game")
	// errEndUnread means that the game is no longer listed, but its end cannot be read.
	errEndUnread = errors.New("no longer in progress, but its end cannot be read")
	// errServerMove means that the server's move list is illegal by our rules.
	errServerMove = errors.New("server's moves do not follow the rules")
)

// longRun is the age from which a panic is not one of a series.
const longRun = 10 * time.Second

// Run plays a game to its end. One of an earlier run may be over and unknown to the
// server; it is then archived as far as it was tracked. An error has already been logged; it means that
// the game is no longer followed.
func (m *Manager) Run(ctx context.Context, e *Entry) error {
	defer m.opts.Engine.EndGame(e.id)
	defer m.opts.Opponents.Release(e.id)
	log := m.opts.Log.With().Str("game", e.id).Logger()
	err := m.runWithRecovery(ctx, e, log)
	if err == nil {
		return nil
	}
	m.opts.Emit(event.GameAbandoned{Game: e.id, Err: err})
	if ctx.Err() != nil {
		return err
	}
	level := zerolog.ErrorLevel
	if errors.Is(err, errUnknown) { // it may never have begun
		level = zerolog.WarnLevel
	}
	log.WithLevel(level).Err(err).Msg("game abandoned")
	if e.completing && (errors.Is(err, errUnknown) || errors.Is(err, errNotOurs)) {
		l := m.opts.Archive.Live(e.id)
		if l != nil && m.archive(l.Game, l.Game.Board.Ply() >= 2, log) {
			log.Info().Int("plies", l.Game.Board.Ply()).Msg("game archived as far as it was followed")
		}
	}
	return err
}

// runWithRecovery plays a game, and resumes it from the server whenever its
// goroutine panics, with growing pauses.
func (m *Manager) runWithRecovery(ctx context.Context, e *Entry, log zerolog.Logger) error {
	next := event.Backoff{Initial: 100 * time.Millisecond, Max: 30 * time.Second}.Start()
	for {
		began := time.Now()
		g := newGame(m, e, log)
		err := g.run(ctx)
		switch {
		case !errors.As(err, new(*engine.PanicError)):
			return err
		case g.archived:
			return nil
		case time.Since(began) > longRun:
			next.Reset()
		}
		wait := next.Next()
		log.Warn().Stringer("retry_in", wait.Round(time.Millisecond)).Msg("game will be resumed from the server")
		if err := lichess.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// reportDuplicate reports that another program plays our games, too, one of which is named.
func (m *Manager) reportDuplicate(id string) {
	m.duplicates.Do(func() {
		m.opts.Log.Error().Str("game", id).
			Msg("another program plays this account's games, too: stop it, or give it an account of its own")
		m.opts.Emit(event.Duplicate{Game: id})
	})
}

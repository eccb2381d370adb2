package bot

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// Options configure a Bot and cannot change while it runs. Client and Engine are
// required.
type Options struct {
	Client *lichess.Client
	Engine game.Engine
	Log    zerolog.Logger
	Site   string // URL of the server, for the records

	// Contenders are the engines among which games are shared out; without any, Engine
	// plays all games.
	Contenders []game.Contender

	// Archive stores the games; nil stores none.
	Archive game.Archive
	// Version and Network identify the bot and its network in the records, as does
	// Program, the engine program that searches instead of ours: see [game.Options].
	Version, Network string
	Program          func() string
	Threads          int // of the search, for Status
	// AwaitEngine waits until Engine can play new games, and fails if it cannot be used.
	// Games in progress do not wait for it. nil means that Engine is ready.
	AwaitEngine func(context.Context) error
	// State is what the bot remembers between runs; nil keeps it in memory only.
	State *record.StateFile
	// Users are the operator's lists of users; zero keeps them in memory only.
	Users record.UsersFile
	// Overrides are the operator's temporary settings, which are not saved; nil means none yet.
	Overrides *Overrides
	// History reads the games of earlier runs; nil means none.
	History opponent.History
	// Blocklist configures how the lists of further users to decline are read.
	Blocklist challenge.BlocklistOptions

	// Observe is called with each event; nil disables it. It runs on the goroutines
	// that play, so it must return immediately.
	Observe func(event.Event)
}

// Bot plays the games of one account.
type Bot struct {
	opts    Options
	pause   pause
	current atomic.Pointer[config.Config] // the settings, replaced by Reload
	log     zerolog.Logger
	timing  timing

	games      *game.Registry
	manager    *game.Manager
	memory     *opponent.Memory
	queue      *challenge.Queue
	blocklist  *challenge.Blocklist
	challenger *matchmaking.Challenger
	arenas     *matchmaking.Arenas
	server     *stream.Reachability
	liveness   *event.Liveness
	sprt       sprt

	started   time.Time
	engineDue time.Time   // when new games begin without the engine; set by identify
	connected atomic.Bool // the event stream is open
	announced announcements

	recent   recent
	lastGame atomic.Pointer[event.GameView]  // with a clock, that has ended; nil before
	account  atomic.Pointer[lichess.Account] // set by identify, before any other loop runs
}

// timing holds the intervals and timeouts that follow from Lichess's rules or from good
// behaviour; tests use others.
type timing struct {
	games       game.Timing
	matchmaking matchmaking.Timing
	openings    record.Rate   // of the event stream
	onlineCheck time.Duration // between checks whether Lichess shows us online
	maxSilence  time.Duration // of the event stream, after which it is reopened
}

// lichessTiming is the timing for Lichess.
var lichessTiming = timing{
	games: game.LichessTiming(), matchmaking: matchmaking.LichessTiming(),
	openings: record.LichessRate(), onlineCheck: 10 * time.Minute, maxSilence: 3 * time.Hour,
}

const (
	historyWait = 5 * time.Second // for the records of earlier runs; below that of a challenge
	engineWait  = time.Minute     // at most, for the engine to be ready for new games
)

// New returns a bot. It sends nothing before Run.
func New(o Options, c *config.Config) *Bot { return newBot(o, c, lichessTiming) }

func newBot(o Options, c *config.Config, t timing) *Bot {
	if o.State == nil {
		o.State = record.InMemoryState()
	}
	if o.Users.Stored == nil {
		o.Users = record.InMemoryUsers()
	}
	if o.Overrides == nil {
		o.Overrides = new(Overrides)
	}
	b := &Bot{
		opts:     o,
		pause:    pause{o.State},
		log:      o.Log,
		timing:   t,
		games:    game.NewRegistry(c.Games),
		memory:   opponent.NewMemory(o.State, o.Log),
		server:   stream.NewReachability(),
		liveness: event.NewLiveness(),
		started:  time.Now(),
		sprt:     sprt{wake: make(chan struct{}, 1)},
	}
	b.current.Store(c)
	b.addParts()
	return b
}

// Run plays until the context is done, all games have ended after Drain, or an
// unrecoverable error: the token is refused, or the account is not a BOT account. It must
// be called only once. Games still in progress when it returns are listed by Running; the
// next run resumes them.
func (b *Bot) Run(ctx context.Context) error {
	defer b.games.Wait()
	b.blocklist.Load()
	b.reportPause()
	loops, ctx := errgroup.WithContext(ctx)
	start := func(loop func(context.Context) error, after ...chan struct{}) {
		loops.Go(func() error {
			for _, condition := range after {
				select {
				case <-condition:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return loop(ctx)
		})
	}
	// The account is known; the games in progress are; the records of earlier runs are read, or
	// are no longer waited for.
	online, resumed, loaded, ready := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	start(func(ctx context.Context) error { return b.awaitDrain(ctx, resumed) })
	start(b.notifyOfChanges)
	start(b.blocklist.Run)
	start(func(ctx context.Context) error { return b.identify(ctx, online) })
	start(func(ctx context.Context) error { return b.reconcile(ctx, resumed) }, online)
	start(b.manager.FlushArchive, online)
	start(b.manager.SaveLive, online)
	start(b.followEvents, online)
	start(b.challenger.Run, online)
	start(b.runSPRT, online)
	start(b.checkScopes, resumed)
	start(b.admitGames, resumed)
	start(func(ctx context.Context) error { return b.loadHistory(ctx, loaded) }, online)
	start(func(ctx context.Context) error { return b.awaitHistory(ctx, loaded, ready) }, online)
	start(b.challenger.Plan, loaded, resumed) // a gauntlet counts the games that are in progress, or ended without us
	start(b.arenas.Run, ready)
	start(b.queue.Run, ready)
	err := loops.Wait()
	if errors.Is(err, errDrained) {
		err = nil
	}
	b.emit(event.Ended{Err: err, Games: b.Running()})
	return err
}

// Reload changes the settings while the bot runs. Games in progress continue; the policy
// decides again on queued challenges.
func (b *Bot) Reload(c *config.Config) {
	b.current.Store(c)
	b.games.Resize(c.Games) // which notifies queue and arenas
	b.challenger.Notify()
	b.arenas.Notify()
	b.blocklist.Notify()
	event.Wake(b.sprt.wake)
}

// settings returns the current settings. They must not be modified.
func (b *Bot) settings() *config.Config { return b.current.Load() }

// Drain prevents new games from starting; Run returns when the games with a clock
// are over or after the drain timeout. It may be called at any time, repeatedly.
func (b *Bot) Drain() { b.games.Drain() }

// Running returns the ids of the games that are in progress or about to start; after
// Run, of those left unfinished.
func (b *Bot) Running() []string { return b.games.Unfinished() }

// resumeWait is how long a drain waits for the first list of games.
const resumeWait = 15 * time.Second

// errDrained ends the loops when the last game is over.
var errDrained = errors.New("drained")

// awaitDrain ends Run once draining has begun and no game with a clock is left;
// other games can wait for the next run.
func (b *Bot) awaitDrain(ctx context.Context, resumed <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-b.games.Draining():
	}
	b.log.Info().Strs("games", b.Running()).Msg("draining: games are played to their ends")
	began, left := time.Now(), make(chan struct{})
	b.games.Go(func() {
		defer close(left)
		if b.me() == nil { // nothing was begun
			return
		}
		select {
		case <-ctx.Done():
		case <-resumed:
			b.leaveArenas(ctx)
		case <-time.After(resumeWait):
			b.log.Warn().Msg("draining: games not listed; those in progress are left to the next start")
		}
	})
	for {
		changed := b.games.Changed()
		var timeout <-chan time.Time
		if limit := b.settings().Games.DrainTimeout; limit > 0 {
			timeout = time.After(time.Until(began.Add(limit)))
		}
		if left == nil && !b.games.AnyClock() {
			return errDrained
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout:
			b.log.Warn().Strs("games", b.Running()).Msg("drain timeout: games left to the next start")
			return errDrained
		case <-left:
			left = nil
		case <-changed:
		}
	}
}

// leaveArenas waits until the bot has left its arenas, and joins the game for which one
// may have paired it just before.
func (b *Bot) leaveArenas(ctx context.Context) {
	arenas := b.matchmakingSettings().Arenas
	if len(arenas.IDs)+len(arenas.Teams)+len(b.arenas.Status()) == 0 {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-b.arenas.Left():
	}
	if err := b.manager.Sync(ctx); err != nil && ctx.Err() == nil {
		b.log.Warn().Err(err).Msg("draining: games of arenas not listed; one that has just begun is left to the " +
			"next start")
	}
}

// emit notes an event, and reports it to the observer if there is one.
func (b *Bot) emit(e event.Event) {
	b.recent.observe(e)
	if e, ok := e.(event.GameEnded); ok {
		if !e.Clock.IsZero() && e.Board.Ply() >= 2 {
			b.lastGame.Store(&e.GameView)
		}
		event.Wake(b.sprt.wake)
	}
	event.Notify(b.opts.Observe, e, b.log)
}

// Slots returns the current use of the slots.
func (b *Bot) Slots() game.Use { return b.games.Use() }

// CheckLiveness returns an error if a part of the bot hangs: a game that does not
// answer, a lock that is not released, an event that is not handled, a search that
// does not end. It does not depend on Lichess. The context bounds the wait for
// answers.
func (b *Bot) CheckLiveness(ctx context.Context) error {
	return b.liveness.Check(ctx, func() {
		b.games.Use()
		b.queue.HumanWaits()
		b.memory.Tally("")
		b.matchmakingSettings()
	})
}

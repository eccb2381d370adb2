package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// Options set up a Bot. Client, Engine and Slots.Max are needed.
type Options struct {
	Client *lichess.Client
	Engine Engine
	Policy Policy
	// Blocklist is where more users to decline are listed.
	Blocklist BlockSource
	Slots     SlotLimits
	Play      Play
	Log       zerolog.Logger
	Site      string // address of the server, for the records

	// Archive takes the games; nil keeps none.
	Archive Archive
	// Version and Network say what plays, for the records.
	Version, Network string
	// State is what the bot remembers between runs; nil forgets it all.
	State *record.State
	// History reads the games of earlier runs; nil means none.
	History History
	// Matchmaking says how to challenge others.
	Matchmaking Matchmaking

	// Observe is told what happens; nil means nobody is. It is called from the
	// goroutines that play, so it must return at once.
	Observe func(Event)

	AbortAfter   time.Duration // how long an opponent may take for a first move; 0 forever
	DrainTimeout time.Duration // how long Drain waits for games; 0 forever
	MoveOverhead time.Duration // the least loss to reckon with for each move
	MaxTime      time.Duration // longest think; 0 for no bound
	MaxNodes     uint64        // most nodes of a think; 0 for no bound
	Ponder       bool          // think on the opponent's time

	// Greeting is said when a game begins, and Goodbye when it ends; "" says
	// nothing. They may hold {opponent}, {rating}, {me}, {version}, {speed} and
	// {result}.
	Greeting, Goodbye string
	Spectators        bool // talk in the spectators' room too
}

// Archive keeps games, running and finished.
type Archive interface {
	// Save keeps a finished game and ends its journal.
	Save(g *record.Game) error
	// Flush writes the games that Save could not.
	Flush() error
	// Journal starts the journal of a running game, or goes on with it.
	Journal(id string) (*record.Journal, error)
	// DiscardJournal deletes the journal of a game that is not worth a record.
	DiscardJournal(id string) error
	// Unfinished returns the games that an earlier run was playing.
	Unfinished() []*record.JournalState
}

// Bot plays the games of one account.
type Bot struct {
	opts       Options
	log        zerolog.Logger
	timing     timing
	slots      *slots
	queue      *challengeQueue
	memory     *memory
	matchmaker *matchmaker
	outgoing   *outgoingChallenges
	arenas     *arenas
	overhead   *overhead
	chat       *chatLimit
	panicked   panickedPositions
	liveness   *liveness

	reloaded         atomic.Pointer[Options] // by Reload; nil before
	blocklist        *Blocklist
	blocklistChanged chan struct{} // the block list may come from elsewhere now

	server         *reachability
	duplicates     rate.Sometimes // when to say that another program uses the token
	syncRequested  chan struct{}  // asks for a look at the games in play
	abandoned      chan struct{}  // a game that may still run was given up
	archivePending chan struct{}  // a game waits for the disk
	draining       chan struct{}  // closed by Drain
	drain          func()
	games          sync.WaitGroup // a goroutine for each game

	mu      sync.Mutex
	account *lichess.Account // set before any loop runs
}

// timing holds the waits that are Lichess's rules or our manners, not options.
type timing struct {
	retry                backoffRange  // between tries to open a stream or to read a list
	blocklistRetry       backoffRange  // between tries to read the block list
	gameRetry            backoffRange  // between tries to open a game's stream
	gameRetryEarlyMax    time.Duration // the longest of these at first
	firstByte            backoffRange  // for the first byte of a game's stream
	crashRetry           backoffRange  // between runs of a game that panics
	duplicateBackoff     backoffRange  // while another program has the event stream
	gameDuplicateBackoff backoffRange  // while another program has a game's stream
	diskRetry            backoffRange  // between tries to write what the disk has refused
	onlineCheckInterval  time.Duration // looks whether Lichess sees us online
	maxSilence           time.Duration // an event stream without events is opened again after
	openingBurst         int           // of the event stream at once
	openingInterval      time.Duration // on average
	syncInterval         time.Duration // looks at the games in play
	liveSyncInterval     time.Duration // the same while a clock runs; up to twice that
	minSyncGap           time.Duration // between two such looks, whoever asks
	compareGrace         time.Duration // how long a line may be late that the list is ahead of
	compareCooldown      time.Duration // before a game is read again for the same difference
	slotWait             time.Duration // how long a challenge waits for a slot
	challengeTimeout     time.Duration // how long the challenger waits for our answer
	outgoingTimeout      time.Duration // how long a challenge of ours may wait for an answer
	challengeIDTimeout   time.Duration // how long the server may not know an accepted game
	abandonedRecheck     backoffRange  // between looks for a game that was given up
	refusalTimeout       time.Duration // how long a game's stream is refused before the game is given up
	confirmTimeout       time.Duration // how long a posted move may not be streamed
	claimMargin          time.Duration // after the seconds to a claim, which the server cuts off
	botAbsence           time.Duration // how long a bot must be gone before we claim the win
	ratingTimeout        time.Duration // how long the rating changes of a finished game may take
	challengeInterval    time.Duration // between challenges of ours
	parkAfter            time.Duration // of quiet, the stream of a game without a clock is left
	maxParked            time.Duration // how long it is left at most

	arenaInterval     time.Duration // looks at the arenas, and words that we wait for a game
	arenaListInterval time.Duration // looks at the lists of arenas
}

// lichessTiming keeps to Lichess's 30 openings of the event stream in 10 minutes
// (10 at once and one every 31 s make 29) and answers a challenge before it
// expires, which is after 20 s.
var lichessTiming = timing{
	retry:                backoffRange{initial: 100 * time.Millisecond, max: 5 * time.Second},
	blocklistRetry:       backoffRange{initial: time.Minute, max: time.Hour},
	gameRetry:            backoffRange{initial: 100 * time.Millisecond, max: 45 * time.Second}, // drawn from 30 to 60 s
	gameRetryEarlyMax:    time.Second,
	firstByte:            backoffRange{initial: 3 * time.Second, max: 15 * time.Second},
	crashRetry:           backoffRange{initial: 100 * time.Millisecond, max: 30 * time.Second},
	duplicateBackoff:     backoffRange{initial: 30 * time.Second, max: 5 * time.Minute},
	gameDuplicateBackoff: backoffRange{initial: 5 * time.Second, max: time.Minute},
	diskRetry:            backoffRange{initial: time.Second, max: time.Minute},
	onlineCheckInterval:  time.Hour,
	maxSilence:           3 * time.Hour,
	openingBurst:         10,
	openingInterval:      31 * time.Second,
	syncInterval:         5 * time.Minute,
	liveSyncInterval:     15 * time.Second,
	minSyncGap:           2 * time.Second,
	compareGrace:         500 * time.Millisecond,
	compareCooldown:      time.Minute,
	slotWait:             15 * time.Second,
	challengeTimeout:     20 * time.Second,
	outgoingTimeout:      rematchWait + 5*time.Second, // nobody sees it after 20 s
	challengeIDTimeout:   20 * time.Second,
	refusalTimeout:       2 * time.Minute,
	abandonedRecheck:     backoffRange{initial: 5 * time.Second, max: 5 * time.Minute},
	confirmTimeout:       3 * time.Second,
	claimMargin:          time.Second,
	botAbsence:           30 * time.Second,
	ratingTimeout:        2 * time.Second,
	challengeInterval:    time.Minute,
	parkAfter:            5 * time.Minute,
	maxParked:            time.Hour,

	arenaInterval:     40 * time.Second, // Lichess forgets after a minute
	arenaListInterval: 5 * time.Minute,
}

// New returns a bot. It sends nothing before Run.
func New(o Options) *Bot {
	if o.State == nil {
		o.State = record.NewMemoryState()
	}
	b := &Bot{
		opts:           o,
		log:            o.Log,
		timing:         lichessTiming,
		overhead:       newOverhead(o.MoveOverhead),
		server:         newReachability(),
		duplicates:     rate.Sometimes{Interval: time.Minute},
		syncRequested:  make(chan struct{}, 1),
		abandoned:      make(chan struct{}, 1),
		archivePending: make(chan struct{}, 1),
		draining:       make(chan struct{}),
		chat:           newChatLimit(),
		liveness:       newLiveness(),

		blocklist:        NewBlocklist(),
		blocklistChanged: make(chan struct{}, 1),
	}
	b.memory = newMemory(o.State, o.Log)
	b.queue = newChallengeQueue(b)
	b.matchmaker = newMatchmaker(b)
	b.outgoing = newOutgoingChallenges(b)
	b.arenas = newArenas(b)
	b.slots = newSlots(o.Slots, func() {
		b.queue.notify()
		b.arenas.notify()
	})
	b.drain = sync.OnceFunc(func() {
		close(b.draining)
		b.slots.close()
	})
	return b
}

// Run plays until the context is done, all games have ended after Drain, or
// nothing more can be done: the token is refused, or the account is no BOT
// account. It is called once. Games still on when it returns are named by
// Running; the server keeps them, and the next start takes them up.
func (b *Bot) Run(ctx context.Context) error {
	defer b.games.Wait()
	b.configureBlocklist()
	loops, ctx := errgroup.WithContext(ctx)
	loops.Go(func() error { return b.awaitDrain(ctx) })
	loops.Go(func() error { return b.followBlocklist(ctx) })
	loops.Go(func() error {
		if err := b.identify(ctx); err != nil {
			return err
		}
		loops.Go(func() error { return b.followGames(ctx) })
		loops.Go(func() error { return b.recheckAbandoned(ctx) })
		loops.Go(func() error { return b.flushArchive(ctx) })
		loops.Go(func() error { return b.followEvents(ctx) })
		loops.Go(func() error { return b.matchmaker.run(ctx) })
		loops.Go(func() error { return b.outgoing.run(ctx) })
		loops.Go(func() error { return b.arenas.run(ctx) })
		return b.queue.run(ctx)
	})
	err := loops.Wait()
	b.emit(StreamLost{Err: err}) // there is no event stream any more
	if !errors.Is(err, errDrained) {
		return err
	}
	return nil
}

// Drain lets no new game begin; Run returns when the games with a clock are
// over or after the drain timeout. It may be called at any time, and twice.
func (b *Bot) Drain() { b.drain() }

// Running returns the ids of the games that are on or may start any moment;
// after Run, of those it left.
func (b *Bot) Running() []string { return b.slots.unfinished() }

// Account returns the account's name, "" before Run has read it.
func (b *Bot) Account() string {
	if account := b.me(); account != nil {
		return account.Username
	}
	return ""
}

func (b *Bot) me() *lichess.Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.account
}

// ErrNotBot is returned by Run for an account that may not use the Bot API.
var ErrNotBot = errors.New("not a BOT account: run \"zhbot upgrade\" once, with an account that has never played")

// ErrNoScope is returned by Run for a token that may follow events but not play.
var ErrNoScope = errors.New("the token lacks the scope bot:play: create one that has it")

// IsRefused reports whether Run ended because Lichess refuses the token or the
// account, which stays so until a person acts. A closed account's tokens are refused.
func IsRefused(err error) bool {
	return fatal(err) || errors.Is(err, ErrNotBot) || errors.Is(err, ErrNoScope)
}

// identify reads the account, for as long as the server does not answer.
func (b *Bot) identify(ctx context.Context) error {
	var account *lichess.Account
	permanent := func(err error) bool { return !lichess.IsTemporary(err) }
	err := b.retry(ctx, "reading the account", permanent, func() (err error) {
		account, err = b.opts.Client.Account(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if !account.IsBot() {
		return fmt.Errorf("start as %s: %w", account.Username, ErrNotBot)
	}
	// Where the server does not say now, its refusals will.
	if token, err := b.opts.Client.TestToken(ctx); err == nil && token != nil && !slices.Contains(token.Scopes, "bot:play") {
		return fmt.Errorf("start as %s: %w", account.Username, ErrNoScope)
	}
	b.mu.Lock()
	b.account = account
	b.mu.Unlock()
	b.log.Info().Str("account", account.Username).Int("rating", account.Perfs[lichess.Crazyhouse].Rating).Msg("logged in")
	b.emit(LoggedIn{account.Username, account.Perfs[lichess.Crazyhouse].Rating, b.opts.Network})
	return nil
}

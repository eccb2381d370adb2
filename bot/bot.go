package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// Options set up a Bot. Client and Engine are needed.
type Options struct {
	Client *lichess.Client
	Engine Engine
	Policy Policy
	Slots  SlotLimits
	Log    zerolog.Logger
	Site   string // address of the server, for the records

	// Archive takes finished games; nil keeps none.
	Archive Archive

	AbortAfter   time.Duration // how long an opponent may take for a first move; 0 for ever
	DrainTimeout time.Duration // how long Drain waits for games; 0 for ever
	MoveOverhead time.Duration // the least loss to reckon with for each move
	MaxTime      time.Duration // longest think; 0 for no bound
	MaxNodes     uint64        // most nodes of a think; 0 for no bound

	Greeting string // said when a game begins; "" for nothing
	Goodbye  string // said when a game ends
}

// Archive keeps finished games.
type Archive interface {
	Save(g *record.Game) error
}

// Bot plays the games of one account.
type Bot struct {
	opts     Options
	log      zerolog.Logger
	account  *lichess.Account
	slots    *slots
	overhead *overhead
	openings *rate.Limiter // of the event stream

	answers  chan answer   // challenges to answer, in order
	draining chan struct{} // closed by Drain
	drain    sync.Once

	startDeadline time.Duration

	mu      sync.Mutex
	running map[string]*game
	// unanswered holds, by challenge, the flag that a withdrawal sets.
	unanswered map[string]*atomic.Bool
	finished   *recent // games that ended, so that a late start is not played again
	ended      chan struct{}
	games      sync.WaitGroup
}

// thinkWithoutClock bounds a think in a game without clock.
const thinkWithoutClock = 5 * time.Second

// Lichess allows 30 openings of the event stream in 10 minutes. A burst of 5
// and one every 25 s after that is 29 in any 10 minutes.
const (
	openingBurst    = 5
	openingInterval = 25 * time.Second
)

// New returns a bot. It sends nothing before Run.
func New(o Options) *Bot {
	return &Bot{
		opts:          o,
		log:           o.Log,
		slots:         newSlots(o.Slots),
		overhead:      newOverhead(o.MoveOverhead),
		openings:      rate.NewLimiter(rate.Every(openingInterval), openingBurst),
		answers:       make(chan answer, maxUnanswered),
		draining:      make(chan struct{}),
		running:       map[string]*game{},
		unanswered:    map[string]*atomic.Bool{},
		startDeadline: startDeadline,
		finished:      newRecent(1000),
		ended:         make(chan struct{}, 1),
	}
}

// Run plays until the context is done, all games have ended after Drain, or
// nothing more can be done: the token is refused, or the account is no BOT
// account. Games still on when it returns are named by Running; the server
// keeps them, and the next Run takes them up.
func (b *Bot) Run(ctx context.Context) error {
	if err := b.identify(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer b.games.Wait()
	defer cancel(nil)

	loops, ctx := errgroup.WithContext(ctx)
	loops.Go(func() error { return b.followEvents(ctx) })
	loops.Go(func() error { return b.answerChallenges(ctx) })
	loops.Go(func() error { return b.awaitDrain(ctx) })
	err := loops.Wait()
	if errors.Is(err, errDrained) {
		return nil
	}
	return err
}

// Drain lets no new game begin; Run returns when the games with a clock are
// over or after the drain timeout. It may be called at any time, and twice.
func (b *Bot) Drain() {
	b.drain.Do(func() {
		b.slots.close()
		close(b.draining)
	})
}

// Running returns the ids of the games being played.
func (b *Bot) Running() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := make([]string, 0, len(b.running))
	for id := range b.running {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Account returns the account's name, "" before Run has read it.
func (b *Bot) Account() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.account == nil {
		return ""
	}
	return b.account.Username
}

// errDrained ends the loops when the last game is over.
var errDrained = errors.New("drained")

// ErrNotBot is returned by Run for an account that may not use the Bot API.
var ErrNotBot = errors.New("not a BOT account: run \"zhbot upgrade\" once, with an account that has never played")

// identify reads the account, for as long as the server does not answer.
func (b *Bot) identify(ctx context.Context) error {
	account, err := backoff.Retry(ctx, func() (*lichess.Account, error) {
		account, err := b.opts.Client.Account(ctx)
		if err != nil && !lichess.IsTemporary(err) {
			return nil, backoff.Permanent(err)
		}
		return account, err
	}, backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, wait time.Duration) {
		b.log.Warn().Err(err).Dur("retry_in", wait).Msg("account not read")
	}))
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if !account.IsBot() {
		return fmt.Errorf("start as %s: %w", account.Username, ErrNotBot)
	}
	b.mu.Lock()
	b.account = account
	b.mu.Unlock()
	b.log.Info().Str("account", account.Username).Int("rating", account.Perfs[lichess.Crazyhouse].Rating).Msg("logged in")
	return nil
}

// awaitDrain ends Run once it is asked to drain and no clock game is left.
func (b *Bot) awaitDrain(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-b.draining:
	}
	b.log.Info().Strs("games", b.Running()).Msg("draining")
	var timeout <-chan time.Time
	if b.opts.DrainTimeout > 0 {
		timer := time.NewTimer(b.opts.DrainTimeout)
		defer timer.Stop()
		timeout = timer.C
	}
	for b.clockGames() > 0 {
		select {
		case <-b.ended:
		case <-timeout:
			b.log.Warn().Strs("games", b.Running()).Msg("drain timeout: games left to the next start")
			return errDrained
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errDrained
}

// clockGames counts the games that can not wait for the next start, pending
// ones included.
func (b *Bot) clockGames() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, g := range b.running {
		if g.hasClock.Load() {
			n++
		}
	}
	return n + max(0, b.slots.count()-len(b.running))
}

// reconcile takes up the games that the server runs, the least clock first,
// and gives up slots for games that never started.
func (b *Bot) reconcile(ctx context.Context) error {
	games, err := b.opts.Client.Playing(ctx)
	if err != nil {
		return fmt.Errorf("take up games: %w", err)
	}
	slices.SortStableFunc(games, func(x, y lichess.Game) int { return cmp.Compare(secondsLeft(&x), secondsLeft(&y)) })
	for i := range games {
		b.play(ctx, &games[i])
	}
	return nil
}

// secondsLeft orders games by urgency, those without a clock last.
func secondsLeft(g *lichess.Game) int64 {
	if g.SecondsLeft == nil || g.Speed == lichess.Correspondence {
		return 1 << 62
	}
	return int64(*g.SecondsLeft)
}

// play starts a goroutine for a game that the server runs, once.
func (b *Bot) play(ctx context.Context, start *lichess.Game) {
	log := b.log.With().Str("game", start.ID).Logger()
	if start.Variant.Key != lichess.Crazyhouse || start.Compat != nil && !start.Compat.Bot {
		log.Warn().Str("variant", start.Variant.Key).Msg("game can not be played here: left alone")
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[start.ID] != nil || b.finished.has(start.ID) || ctx.Err() != nil {
		return
	}
	b.slots.start(start.ID, start.Opponent.ID)
	g := newGame(b, start, log)
	b.running[start.ID] = g
	log.Info().Str("opponent", start.Opponent.Username).Int("rating", start.Opponent.Rating).
		Str("color", string(start.Color)).Str("speed", string(start.Speed)).Bool("rated", start.Rated).
		Int("games", len(b.running)).Msg("game taken up")
	b.games.Go(func() { b.run(ctx, g) })
}

// run plays a game to its end and cleans up after it.
func (b *Bot) run(ctx context.Context, g *game) {
	err := g.run(ctx)
	b.mu.Lock()
	delete(b.running, g.id)
	if g.over() {
		b.finished.add(g.id)
	}
	b.mu.Unlock()
	b.slots.free(g.id)
	if err != nil && ctx.Err() == nil {
		g.log.Error().Err(err).Msg("game given up")
	}
	select {
	case b.ended <- struct{}{}:
	default:
	}
}

// finish hands a gameFinish to its game, which waits for the rating change.
func (b *Bot) finish(f *lichess.Game) {
	b.mu.Lock()
	g := b.running[f.ID]
	b.mu.Unlock()
	if g == nil {
		b.slots.release(f.ID)
		return
	}
	select {
	case g.finish <- f:
	default:
	}
}

// rating returns our own crazyhouse rating.
func (b *Bot) rating() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.account.Perfs[lichess.Crazyhouse].Rating
}

// recent remembers the newest ids.
type recent struct {
	ids  map[string]bool
	ring []string
	next int
}

func newRecent(n int) *recent { return &recent{map[string]bool{}, make([]string, n), 0} }

func (r *recent) has(id string) bool { return r.ids[id] }

func (r *recent) add(id string) {
	delete(r.ids, r.ring[r.next])
	r.ids[id] = true
	r.ring[r.next] = id
	r.next = (r.next + 1) % len(r.ring)
}

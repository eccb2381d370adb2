package game

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// The reasons why a game may not start. Each text names the setting that decides, if there
// is one.
var (
	ErrDraining    = errors.New("shutting down")
	ErrKnown       = errors.New("the game has a slot")
	errFull        = errors.New("games.max reached")
	errReserved    = errors.New("games.reserved_for_humans: the free slots are not for bots")
	ErrPerOpponent = errors.New("games.max_per_opponent reached")
	errNotReady    = errors.New("still starting: the games in progress are not loaded yet, " +
		"or an engine program is not ready")
)

// endedMemory is how long ended games are remembered, so that a late event does not start them
// again.
const endedMemory = time.Hour

// Registry owns the lives of all games: it has an entry for each that may start, is in
// progress, or is not done with; it limits their number, and it starts their goroutines,
// each once, however a game is learned of. All of this is decided under one lock.
//
// A slot is reserved before anything is sent that may start a game ([Registry.Reserve]),
// and released if the game does not start. A game that the server already runs is played
// in any case ([Registry.Start]), and keeps its slot while it cannot be followed. What a list
// of games in progress says counts as of its request: it may bring back a game that had ended
// before. A game above games.max that only the event stream has announced is played once listed.
//
// A Registry is safe for concurrent use.
type Registry struct {
	play    func(context.Context, *Entry) error
	running sync.WaitGroup // the goroutines of games

	syncRequested chan struct{}   // capacity 1: the list of games in progress is to be read
	gaveUp        chan struct{}   // capacity 1: a game that may be in progress was abandoned
	draining      context.Context // ended by drain
	drain         func()

	mu       sync.Mutex
	limits   config.Games
	entries  []*Entry
	ended    map[string]time.Time // when games have ended, by id
	lastBusy time.Time            // when a game with a clock was last in progress
	closed   error                // why no slot is reserved; nil if open
	changed  chan struct{}        // closed when a slot may be free
}

// NewRegistry returns a registry without games, which reserves nothing until it is opened.
func NewRegistry(l config.Games) *Registry {
	r := &Registry{
		limits: l, closed: errNotReady, lastBusy: time.Now(), changed: make(chan struct{}),
		syncRequested: make(chan struct{}, 1), gaveUp: make(chan struct{}, 1),
		ended: map[string]time.Time{},
	}
	r.draining, r.drain = context.WithCancel(context.Background())
	return r
}

// SetPlay sets play, which plays a game to its end, or returns why it was abandoned. It must be
// called before any game starts.
func (r *Registry) SetPlay(play func(context.Context, *Entry) error) { r.play = play }

// Open allows reservations, unless the bot drains.
func (r *Registry) Open() {
	r.change(func() {
		if errors.Is(r.closed, errNotReady) {
			r.closed = nil
		}
	})
}

// Drain refuses all further reservations, with ErrDraining.
func (r *Registry) Drain() {
	r.change(func() {
		r.closed = ErrDraining
		r.drain()
	})
}

// Draining returns a channel that is closed once no game is to begin any more.
func (r *Registry) Draining() <-chan struct{} { return r.draining.Done() }

// IsDraining reports whether no game is to begin any more.
func (r *Registry) IsDraining() bool { return r.draining.Err() != nil }

// Resize changes the limits. Games beyond them continue.
func (r *Registry) Resize(l config.Games) { r.change(func() { r.limits = l }) }

// Changed returns a channel that is closed when a slot may be free.
func (r *Registry) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// change makes a change that may free a slot.
func (r *Registry) change(apply func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	apply()
	close(r.changed)
	r.changed = make(chan struct{})
}

// Go calls a function in a goroutine for which Wait waits, as it does for those of games.
func (r *Registry) Go(f func()) { r.running.Go(f) }

// Wait waits for the goroutines of all games.
func (r *Registry) Wait() { r.running.Wait() }

// RequestSync requests the list of games in progress.
func (r *Registry) RequestSync() { event.Wake(r.syncRequested) }

// SyncRequests delivers the requests for the list of games in progress.
func (r *Registry) SyncRequests() <-chan struct{} { return r.syncRequested }

// Reserve reserves a slot for a game that may start. Without a free slot it returns the
// reason. The id is that of a challenge that we are about to accept; it is "" for a
// challenge of ours that is not sent yet, or the next game of an arena. For a game that
// already has a slot, Reserve returns ErrKnown.
func (r *Registry) Reserve(id string, i Info) (*Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.find(id) != nil {
		return nil, ErrKnown
	}
	if err := r.checkCapacity(i); err != nil {
		return nil, err
	}
	p := accepting
	if id == "" {
		p = offered
	}
	return r.add(id, i, p), nil
}

// Start plays a game in progress, even beyond the limits, unless it is played already or
// known to be over. It takes the slot that was reserved for it, if there is one.
func (r *Registry) Start(ctx context.Context, id string, i Info) {
	r.start(ctx, id, i, time.Time{}, false)
}

// start is Start with more to say: listed is when the list that has the game was requested, zero
// for none; completing means that the game is over and only its record is missing. It reports
// whether the game is new and exceeds games.max.
func (r *Registry) start(ctx context.Context, id string, i Info, listed time.Time, completing bool) (beyond bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.find(id)
	endedAt, concluded := r.ended[id]
	reserved := func(e *Entry) bool { return i.Arena != "" && e.info.Arena == i.Arena && e.phase == offered }
	switch {
	case e != nil:
	case concluded && !listed.After(endedAt):
		return false
	case r.first(reserved) != nil:
		e = r.first(reserved)
		e.info, e.id = i, id
	case !i.announced || !listed.IsZero() || r.use().Games < r.limits.Max:
		beyond = r.closed == nil && r.use().Games >= r.limits.Max
		e = r.add(id, i, offered)
		e.concluded = concluded
	default:
		r.RequestSync()
		return false
	}
	if e.advance(begun) {
		r.run(ctx, e, completing)
	}
	return beyond
}

// complete completes the record of a game that is over.
func (r *Registry) complete(ctx context.Context, e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run(ctx, e, true)
}

// run starts the goroutine of a game. The caller holds the lock.
func (r *Registry) run(ctx context.Context, e *Entry, completing bool) {
	e.completing = completing
	r.running.Go(func() {
		err := r.play(ctx, e)
		if err != nil && ctx.Err() != nil {
			return // the slot stays taken: the game continues without us
		}
		r.change(func() {
			e.unknown = errors.Is(err, errUnknown)
			if err == nil || errors.Is(err, errNotOurs) || !e.advance(lost) {
				e.advance(done)
			}
		})
		if err != nil && !errors.Is(err, errNotOurs) {
			event.Wake(r.gaveUp)
		}
	})
}

// add adds an entry. The caller holds the lock.
func (r *Registry) add(id string, i Info, p phase) *Entry {
	e := &Entry{registry: r, id: id, info: i, phase: p, inbox: inbox{
		final: make(chan *lichess.Game, 1), listed: make(chan listing, 1), commands: make(chan order),
		forgotten: make(chan struct{}),
	}}
	r.entries = append(r.entries, e)
	return e
}

// find returns a game's entry, nil if it has none. The caller holds the lock.
func (r *Registry) find(id string) *Entry {
	return r.first(func(e *Entry) bool { return id != "" && e.id == id })
}

// first returns the first entry that matches, or nil. The caller holds the lock.
func (r *Registry) first(match func(*Entry) bool) *Entry {
	if i := slices.IndexFunc(r.entries, match); i >= 0 {
		return r.entries[i]
	}
	return nil
}

// checkCapacity returns why there is no slot for a game, or nil. The caller holds
// the lock.
func (r *Registry) checkCapacity(i Info) error {
	against := 0 // games with the opponent
	for _, e := range r.entries {
		if e.phase != ended && i.Opponent != "" && e.info.Opponent == i.Opponent {
			against++
		}
	}
	switch u := r.use(); {
	case r.closed != nil:
		return r.closed
	case u.Games >= u.Max:
		return errFull
	case i.Bot && u.Bots >= u.Max-u.ReservedForHumans:
		return errReserved
	case r.limits.MaxPerOpponent > 0 && against >= r.limits.MaxPerOpponent:
		return ErrPerOpponent
	}
	return nil
}

// Has reports whether a game has a slot.
func (r *Registry) Has(id string) bool {
	return id != "" && r.contains(func(e *Entry) bool { return e.id == id })
}

// HasBegun reports whether a game with a slot has begun. It may be over.
func (r *Registry) HasBegun(id string) bool {
	return r.contains(func(e *Entry) bool { return e.id == id && !e.isHeld() })
}

// InArena reports whether a game of an arena is in progress.
func (r *Registry) InArena(id string) bool {
	return r.contains(func(e *Entry) bool { return e.info.Arena == id && (e.phase == playing || e.phase == abandoned) })
}

// AnyClock reports whether a game with a clock has a slot.
func (r *Registry) AnyClock() bool { return r.contains(func(e *Entry) bool { return e.info.Clock }) }

func (r *Registry) contains(match func(*Entry) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first(match) != nil
}

// GamesWith returns the ids of the games with an opponent that have a slot: about to
// start, in progress, or over but not released. An id that is not known yet is empty.
func (r *Registry) GamesWith(opponent string) []string {
	return r.ids(func(e *Entry) bool { return e.info.Opponent == opponent })
}

// Unfinished returns the games that are in progress or about to start, sorted by id.
func (r *Registry) Unfinished() []string {
	ids := r.ids((*Entry).isUnfinished)
	slices.Sort(ids)
	return ids
}

func (r *Registry) ids(match func(*Entry) bool) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := []string{}
	for _, e := range r.entries {
		if match(e) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// BusyUntil returns when a game with a clock was last in progress or about to begin;
// now if there is one.
func (r *Registry) BusyUntil(now time.Time) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first(func(e *Entry) bool { return e.info.Clock && e.phase != ended }) != nil {
		return now
	}
	return r.lastBusy
}

// Use is the current use of the slots: the number of games, including those about to start, and
// its limits.
type Use struct {
	Max               int `json:"max"`
	Games             int `json:"games"`
	Bots              int `json:"bots"` // games against bots
	ReservedForHumans int `json:"reserved_for_humans"`
	Live              int `json:"live"` // games in progress on the server
}

// Use returns the current use of the slots.
func (r *Registry) Use() Use {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.use()
}

// use is Use for a caller that holds the lock.
func (r *Registry) use() Use {
	u := Use{Max: r.limits.Max, ReservedForHumans: r.limits.ReservedForHumans}
	for _, e := range r.entries {
		if e.phase != ended {
			u.Games++
			if e.info.Bot {
				u.Bots++
			}
		}
		if e.phase == playing || e.phase == abandoned {
			u.Live++
		}
	}
	return u
}

package matchmaking

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// An arena is joined with a slot reserved for its next game, paused while there is no
// slot, and left when the bot drains.
func TestArenas_Run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, InMemory: true})
		c := newTestConfig(s.Client(t, s.AddBot(me)))
		c.Timing.ArenaInterval, c.Timing.ArenaListInterval = 5*time.Millisecond, 5*time.Millisecond
		id := s.AddArena(lichesstest.ArenaSpec{Team: "crazy-bots", Limit: time.Minute})
		c.Settings = func() *config.Matchmaking {
			return &config.Matchmaking{Arenas: config.Arenas{Teams: []string{"crazy-bots"}}}
		}
		a := NewArenas(c)
		ended := make(chan error, 1)
		go func() { ended <- a.Run(t.Context()) }()

		waittest.Until(t, "the arena is joined", func() bool { return s.Arena(id, me).Joined })
		waittest.Until(t, "a slot is reserved", func() bool { return c.Games.Use().Games == 1 })
		c.Games.Resize(config.Games{Max: 1})
		playing, end := context.WithCancel(t.Context())
		defer end()
		if c.Games.Start(playing, "game", game.Info{Bot: true, Clock: true, Arena: id}); c.Games.Use().Games != 1 || !c.Games.InArena(id) {
			t.Errorf("the game did not take the slot: %+v", c.Games.Use())
		}
		other, endOther := context.WithCancel(t.Context())
		defer endOther()
		c.Games.Start(other, "other", game.Info{Clock: true}) // which the server runs
		end()
		waittest.Until(t, "the game is over", func() bool { return !c.Games.InArena(id) })
		a.Notify()
		waittest.Until(t, "the arena is paused", func() bool { return s.Arena(id, me).Paused })
		endOther()
		waittest.Until(t, "the bot is back", func() bool { return !s.Arena(id, me).Paused })
		c.Games.Drain()
		if err := <-ended; err != nil || !s.Arena(id, me).Paused || c.Games.Use().Games != 0 {
			t.Errorf("%v, paused %t, slots %+v", err, s.Arena(id, me).Paused, c.Games.Use())
		}
	})
}

// An arena whose game has taken another slot releases its own.
func TestArenas_OtherSlotTaken(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestConfig(s.Client(t, s.AddBot(me)))
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	a := NewArenas(c)
	a.settings.IDs = []string{id}
	a.attendAll(t.Context())
	info := game.Info{Bot: true, Clock: true, Arena: id}
	if _, err := c.Games.Reserve("game", info); err != nil {
		t.Fatal(err)
	}
	c.Games.Start(t.Context(), "game", info)
	a.attendAll(t.Context())
	if n := c.Games.Use().Games; n != 1 {
		t.Errorf("%d slots are held, want that of the game", n)
	}
}

// A refusal is final, but for Lichess's pause after leaving an arena and for too many joins.
func TestArenas_RefusedForNow(t *testing.T) {
	for text, final := range map[string]bool{
		"Your pause is not over yet": false, "YOUR PAUSE IS NOT OVER YET!": false,
		"You are joining too many tournaments.": false, "This tournament no longer exists": true, "Missing team": true,
		"You are not allowed to join arenas": true, "Unknown": true,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, InMemory: true})
			var joins []time.Duration // since the first
			start := time.Now()
			c := newTestConfig(s.Client(t, s.AddBot(me), func(o *lichess.Options) {
				o.Observe = func(r lichess.Observation) {
					if strings.HasSuffix(r.Endpoint, "/join") {
						joins = append(joins, time.Since(start))
					}
				}
			}))
			c.Timing.ArenaInterval, c.Timing.ArenaListInterval = 200*time.Second, time.Hour
			id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
			a, _ := runArenas(t, c, config.Arenas{})
			s.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 7, Status: 400, Text: text})
			if err := a.do(t.Context(), func(ctx context.Context) {
				a.known[id] = &tournament{Arena: lichess.Arena{ID: id, Finishes: start.Add(time.Hour)}}
				a.attendAll(ctx)
			}); err != nil {
				t.Fatal(err)
			}
			if n := c.Games.Use().Games; n != 0 {
				t.Errorf("%q: %d slots are held", text, n)
			}
			time.Sleep(30 * time.Minute)
			synctest.Wait()
			want := []time.Duration{0, 10, 30, 70, 150, 270, 390, 510}
			if final {
				want = want[:1]
			}
			for i := range want {
				want[i] *= time.Second
			}
			joined := s.Arena(id, me).Joined
			if !slices.Equal(joins[:min(8, len(joins))], want) || joined == final {
				t.Errorf("%q: tried to join after %v, want %v; joined %t", text, joins, want, joined)
			}
		})
	}
}

// A drained bot does not wait for a disk that hangs to count its joins.
func TestArenas_LeavesWhileDiskHangs(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestConfig(s.Client(t, s.AddBot(me)))
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	disk := make(chan struct{})
	c.Settings = func() *config.Matchmaking { return &config.Matchmaking{Arenas: config.Arenas{IDs: []string{id}}} }
	var err error
	if c.State, err = record.OpenState(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	c.State.SetSync(func(*os.File) error { <-disk; return nil })
	a := NewArenas(c)
	ended := make(chan error, 1)
	go func() { ended <- a.Run(t.Context()) }()
	waittest.Until(t, "the arena is joined", func() bool { return s.Arena(id, me).Joined })
	c.Games.Drain()
	waittest.Until(t, "the arena is left", func() bool {
		select {
		case <-a.Left():
			return s.Arena(id, me).Paused
		default:
			return false
		}
	})
	close(disk)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// runArenas has the arenas of settings attended until the test ends, and returns a function
// that changes the settings.
func runArenas(t *testing.T, c Config, arenas config.Arenas) (a *Arenas, change func(config.Arenas)) {
	t.Helper()
	var settings atomic.Pointer[config.Matchmaking]
	settings.Store(&config.Matchmaking{Arenas: arenas})
	c.Settings = settings.Load
	a = NewArenas(c)
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); <-ended })
	go func() { defer close(ended); _ = a.Run(ctx) }()
	return a, func(arenas config.Arenas) {
		settings.Store(&config.Matchmaking{Arenas: arenas})
		a.Notify()
	}
}

// An arena that the settings no longer name is left; one that they name now is joined.
func TestArenas_NewSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, InMemory: true})
		c := newTestConfig(s.Client(t, s.AddBot(me)))
		old, next := s.AddArena(lichesstest.ArenaSpec{}), s.AddArena(lichesstest.ArenaSpec{Password: "secret"})
		a, change := runArenas(t, c, config.Arenas{IDs: []string{old, next}, Password: "wrong"})
		waittest.Until(t, "the first is joined, the other refuses", func() bool {
			refused := func(x Arena) bool { return strings.HasPrefix(x.State, "entry refused") }
			return s.Arena(old, me).Joined && slices.ContainsFunc(a.Status(), refused)
		})
		change(config.Arenas{IDs: []string{next}, Password: "secret"})
		waittest.Until(t, "the other is joined", func() bool { return s.Arena(next, me).Joined })
		waittest.Until(t, "the first is left", func() bool { return s.Arena(old, me).Paused && c.Games.Use().Games == 1 })
	})
}

// An arena that is no longer configured keeps its slot until it is left, for a game may
// still begin in it.
func TestArenas_LeaveAgain(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestConfig(s.Client(t, s.AddBot(me)))
	c.Timing.ArenaInterval, c.Timing.ArenaListInterval = time.Hour, time.Hour
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	a, change := runArenas(t, c, config.Arenas{IDs: []string{id}})
	state := func() string {
		if list := a.Status(); len(list) > 0 {
			return list[0].State
		}
		return ""
	}
	waittest.Until(t, "the arena is joined", func() bool { return state() == "joined" })
	s.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 1, Status: 503})
	change(config.Arenas{})
	waittest.Until(t, "the arena cannot be left", func() bool { return state() == "not left yet" })
	if s.Arena(id, me).Paused || c.Games.Use().Games != 1 {
		t.Errorf("paused %t, slots %+v", s.Arena(id, me).Paused, c.Games.Use())
	}
	a.Notify()
	waittest.Until(t, "the arena is left", func() bool { return s.Arena(id, me).Paused && state() == "" })
	if n := c.Games.Use().Games; n != 0 {
		t.Errorf("%d slots are held", n)
	}
}

// A join of the operator's that fails is not tried again at once.
func TestArenas_JoinFails(t *testing.T) {
	s, joins := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true}), 0
	c := newTestConfig(s.Client(t, s.AddBot(me), countJoins(&joins)))
	c.Timing.ArenaInterval = time.Hour
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	c.Settings = func() *config.Matchmaking { return &config.Matchmaking{Arenas: config.Arenas{IDs: []string{id}}} }
	a := NewArenas(c)
	a.settings, a.listed = c.Settings().Arenas, time.Now()
	a.list(t.Context())
	s.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 1 << 30})
	ended := make(chan error, 1)
	go func() { ended <- a.Run(t.Context()) }()
	for range 2 {
		if _, err := a.Join(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	c.Games.Drain()
	if err := <-ended; err != nil || joins != 3 { // one as configured, two by the operator
		t.Errorf("%v, %d tries to join, want 3", err, joins)
	}
}

// Arenas that have not started leave the joins to one in progress.
func TestArenas_JoinLimitWhileUpcoming(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestConfig(s.Client(t, s.AddBot(me)))
	c.Timing.ArenaInterval = 0
	a := NewArenas(c)
	later := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute, StartsIn: time.Hour})
	a.settings.IDs = []string{later, s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})}
	for range 3 {
		a.limit = record.NewLimiter(record.Rate{Burst: 1, Interval: time.Hour}, record.InMemoryState(), func(d *record.State) *[]time.Time { return &d.ArenaJoins }, c.Log)
		a.attendAll(t.Context())
	}
	if s.Arena(later, me).Joined {
		t.Error("the arena in progress was not asked for a game")
	}
}

// All arenas share what Lichess allows, over restarts too, and take turns.
func TestArenas_JoinLimit(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	joins := 0
	c := newTestConfig(s.Client(t, s.AddBot(me), countJoins(&joins)))
	c.Timing.ArenaJoins, c.Timing.ArenaInterval = record.Rate{Burst: 4, Interval: time.Hour}, 0
	var ids []string
	for range 3 {
		ids = append(ids, s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute}))
	}
	for _, want := range []string{"joined", "not joined yet"} { // the second after a restart
		a := NewArenas(c)
		a.settings.IDs = ids
		for range 3 {
			a.attendAll(t.Context())
		}
		for _, id := range ids {
			if got := a.known[id].state(time.Now()); got != want {
				t.Errorf("arena %s, want it %s", got, want)
			}
		}
		if joins != c.Timing.ArenaJoins.Burst {
			t.Errorf("%d joins, want %d", joins, c.Timing.ArenaJoins.Burst)
		}
		a.leaveAll(t.Context())
	}
}

func TestArenas_RunUntilTheEnd(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestConfig(s.Client(t, s.AddBot(me)))
	c.Settings = func() *config.Matchmaking {
		return &config.Matchmaking{Arenas: config.Arenas{IDs: []string{"nonesuch"}}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewArenas(c).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// A bot that drains leaves its arenas even if it is stopped meanwhile.
func TestArenas_LeavesWhenStopped(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestConfig(s.Client(t, s.AddBot(me)))
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	a := NewArenas(c)
	a.settings.IDs = []string{id}
	a.attendAll(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Games.Drain()
	if err := a.Run(ctx); err != nil || !s.Arena(id, me).Paused {
		t.Errorf("ended with %v, paused %t", err, s.Arena(id, me).Paused)
	}
}

// An arena that is over is not read again.
func TestArenas_Over(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	read := 0
	c := newTestConfig(s.Client(t, s.AddBot(me), func(o *lichess.Options) {
		o.Observe = func(lichess.Observation) { read++ }
	}))
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	a := NewArenas(c)
	a.settings.IDs = []string{id}
	for range 2 {
		a.list(t.Context())
	}
	s.EndArena(id)
	for range 3 {
		a.list(t.Context())
	}
	if read != 3 {
		t.Errorf("read %d times, want 3: once after its end", read)
	}
}

// An arena that was deleted counts as over, and as left.
func TestArenas_Deleted(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	requests := 0
	c := newTestConfig(s.Client(t, s.AddBot(me), func(o *lichess.Options) {
		o.Observe = func(lichess.Observation) { requests++ }
	}))
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	a := NewArenas(c)
	a.settings.IDs = []string{id}
	a.attendAll(t.Context())
	if !a.known[id].joined || c.Games.Use().Games != 1 {
		t.Fatalf("joined %t, slots %+v", a.known[id].joined, c.Games.Use())
	}
	s.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 1 << 30, Status: 404, Text: "Not found"})
	if a.withdraw(t.Context(), a.known[id], "arena left"); a.known[id].joined {
		t.Error("not left")
	}
	requests = 0
	for range 3 {
		a.listed = time.Time{}
		a.attendAll(t.Context())
	}
	if a.publish(); requests != 1 || len(a.Status()) != 0 || c.Games.Use().Games != 0 {
		t.Errorf("%d requests, %d arenas known, slots %+v", requests, len(a.Status()), c.Games.Use())
	}
}

// countJoins counts the requests of a client to join an arena.
func countJoins(joins *int) func(*lichess.Options) {
	return func(o *lichess.Options) {
		o.Observe = func(r lichess.Observation) {
			if strings.HasSuffix(r.Endpoint, "/join") {
				*joins++
			}
		}
	}
}

// Arenas that are over, for humans, or of another variant are left alone, and one that has
// refused us is not asked again.
func TestArenas_LeftAlone(t *testing.T) {
	const team = "crazy-bots"
	s, joins := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true}), 0
	a := NewArenas(newTestConfig(s.Client(t, s.AddBot(me), countJoins(&joins))))
	over := s.AddArena(lichesstest.ArenaSpec{Team: team})
	s.EndArena(over)
	ids := []string{
		over, s.AddArena(lichesstest.ArenaSpec{Team: team, NoBots: true}), s.AddArena(lichesstest.ArenaSpec{Team: team, Variant: "atomic"}),
	}
	locked := s.AddArena(lichesstest.ArenaSpec{Team: team, Password: "unknown"})
	a.settings = config.Arenas{IDs: ids, Teams: []string{team}}
	for range 3 {
		a.listed = time.Time{}
		a.attendAll(t.Context())
	}
	if joins != 1 || a.known[locked].refusal == "" {
		t.Errorf("%d tries to join, want one, at which the last refuses", joins)
	}
	for _, id := range append(ids, locked) {
		if s.Arena(id, me).Joined {
			t.Errorf("joined %s", id)
		}
	}
}

// While no game comes, the bot goes on saying that it waits; when the arena is over, it
// releases its slot.
func TestArenas_StayToTheEnd(t *testing.T) {
	s, joins := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true}), 0
	c := newTestConfig(s.Client(t, s.AddBot(me), countJoins(&joins)))
	c.Timing.ArenaInterval = 0
	id := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	a := NewArenas(c)
	a.settings.IDs = []string{id}
	for range 3 {
		a.attendAll(t.Context())
	}
	if joins != 3 || c.Games.Use().Games != 1 {
		t.Errorf("joined %d times, slots %+v", joins, c.Games.Use())
	}
	s.EndArena(id)
	a.listed = time.Time{}
	a.attendAll(t.Context())
	if joins != 3 || c.Games.Use().Games != 0 {
		t.Errorf("after the end: joined %d times, slots %+v", joins, c.Games.Use())
	}
}

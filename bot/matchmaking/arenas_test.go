package matchmaking

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// arenaTest is a server with an arena, and an Arenas of our bot that attends it when told to.
type arenaTest struct {
	*Arenas
	server   *lichesstest.Server
	id       string
	requests map[string]int  // by the last part of their paths
	joins    []time.Duration // when they were requested, since the start
}

func newArenaTest(t *testing.T, spec lichesstest.ArenaSpec) *arenaTest {
	t.Helper()
	a := &arenaTest{
		server:   lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, InMemory: true}),
		requests: map[string]int{},
	}
	start := time.Now()
	c := newTestConfig(a.server.Client(t, a.server.AddBot(me), func(o *lichess.Options) {
		o.Observe = func(r lichess.Observation) {
			what := path.Base(r.Endpoint)
			if a.requests[what]++; what == "join" {
				a.joins = append(a.joins, time.Since(start))
			}
		}
	}))
	a.id = a.server.AddArena(spec)
	terms := config.Arenas{IDs: []string{a.id}}
	c.Settings = func() *config.Matchmaking { return &config.Matchmaking{Arenas: terms} }
	a.Arenas = NewArenas(c)
	a.settings = terms
	return a
}

// attend attends all arenas so many times, each time with new lists.
func (a *arenaTest) attend(t *testing.T, times int) {
	t.Helper()
	for range times {
		a.listed = time.Time{}
		a.attendAll(t.Context())
	}
}

// check checks how often the bot has asked to join, and its slots.
func (a *arenaTest) check(t *testing.T, joins, slots int) {
	t.Helper()
	if a.requests["join"] != joins || a.cfg.Games.Use().Games != slots {
		t.Errorf("%d tries to join, want %d; slots %+v, want %d", a.requests["join"], joins, a.cfg.Games.Use(), slots)
	}
}

// start runs until the bot drains.
func (a *arenaTest) start(ctx context.Context) (ended chan error) {
	ended = make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	return ended
}

// An arena whose game has taken another slot releases its own.
func TestArenas_OtherSlotTaken(t *testing.T) {
	a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
	a.attend(t, 1)
	info := game.Info{Bot: true, Clock: true, Arena: a.id}
	if _, err := a.cfg.Games.Reserve("game", info); err != nil {
		t.Fatal(err)
	}
	a.cfg.Games.Start(t.Context(), "game", info)
	a.attend(t, 1)
	a.check(t, 1, 1)
}

// A refusal is final, but for Lichess's pause after leaving an arena and for too many joins.
func TestArenas_RefusedForNow(t *testing.T) {
	for text, final := range map[string]bool{
		"Your pause is not over yet": false, "YOUR PAUSE IS NOT OVER YET!": false,
		"You are joining too many tournaments.": false, "This tournament no longer exists": true, "Missing team": true,
		"You are not allowed to join arenas": true, "Unknown": true,
	} {
		synctest.Test(t, func(t *testing.T) {
			start, a := time.Now(), newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
			a.cfg.Timing.ArenaInterval, a.cfg.Timing.ArenaListInterval = 200*time.Second, time.Hour
			a.server.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 7, Status: 400, Text: text})
			a.known[a.id] = &tournament{Arena: lichess.Arena{ID: a.id, Finishes: start.Add(time.Hour)}}
			a.settings, a.listed = a.cfg.Settings().Arenas, start
			ctx, stop := context.WithCancel(t.Context())
			ended := a.start(ctx)
			defer func() { stop(); <-ended }()
			if synctest.Wait(); a.cfg.Games.Use().Games != 0 {
				t.Errorf("%q: slots %+v are held", text, a.cfg.Games.Use())
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
			joined := a.server.Arena(a.id, me).Joined
			if !slices.Equal(a.joins[:min(8, len(a.joins))], want) || joined == final {
				t.Errorf("%q: tried to join after %v, want %v; joined %t", text, a.joins, want, joined)
			}
		})
	}
}

// A drained bot does not wait for a disk that hangs to count its joins.
func TestArenas_LeavesWhileDiskHangs(t *testing.T) {
	t.Parallel()
	a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
	disk := make(chan struct{})
	state, err := record.OpenState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state.SetSync(func(*os.File) error { <-disk; return nil })
	a.cfg.State = state
	a.Arenas = NewArenas(a.cfg)
	ended := a.start(t.Context())
	fixture.Until(t, "the arena is joined", func() bool { return a.server.Arena(a.id, me).Joined })
	a.cfg.Games.Drain()
	<-a.Left()
	if !a.server.Arena(a.id, me).Paused {
		t.Error("not left")
	}
	close(disk)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An arena that the settings no longer name is left, and keeps its slot until then, for a game
// may still begin in it; one that they name now is joined.
func TestArenas_NewSettings(t *testing.T) {
	a := newArenaTest(t, lichesstest.ArenaSpec{})
	next := a.server.AddArena(lichesstest.ArenaSpec{Password: "secret"})
	for _, step := range []struct {
		terms     config.Arenas
		old, next string
		slots     int
	}{
		{config.Arenas{IDs: []string{a.id, next}, Password: "wrong"}, "joined", "entry refused", 1},
		{config.Arenas{IDs: []string{next}, Password: "secret"}, "not left yet", "joined", 2},
		{config.Arenas{IDs: []string{next}, Password: "secret"}, "", "joined", 1},
	} {
		a.cfg.Settings = func() *config.Matchmaking { return &config.Matchmaking{Arenas: step.terms} }
		a.update(t.Context())
		states := map[string]string{}
		for _, s := range a.Status() {
			states[s.ID] = s.State
		}
		if states[a.id] != step.old || !strings.HasPrefix(states[next], step.next) ||
			a.cfg.Games.Use().Games != step.slots {
			t.Errorf("states %q, slots %+v, want %+v", states, a.cfg.Games.Use(), step)
		}
		if step.old == "joined" {
			a.server.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 1, Status: 503})
		}
	}
	if !a.server.Arena(a.id, me).Paused {
		t.Error("the first is not left")
	}
}

// A join of the operator's that fails is not tried again at once.
func TestArenas_JoinFails(t *testing.T) {
	a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
	a.cfg.Timing.ArenaInterval = time.Hour
	a.listed = time.Now()
	a.list(t.Context())
	a.server.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 1 << 30})
	ended := a.start(t.Context())
	for range 2 {
		if _, err := a.Join(t.Context(), a.id); err != nil {
			t.Error(err)
		}
	}
	a.cfg.Games.Drain()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	a.check(t, 3, 0) // one as configured, two by the operator
}

// Arenas that have not started leave the joins to one in progress.
func TestArenas_JoinLimitWhileUpcoming(t *testing.T) {
	a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute, StartsIn: time.Hour})
	a.cfg.Timing.ArenaInterval = 0
	a.settings.IDs = append(a.settings.IDs, a.server.AddArena(lichesstest.ArenaSpec{Limit: time.Minute}))
	for range 3 {
		a.limit = record.NewLimiter(
			record.Rate{Burst: 1, Interval: time.Hour}, record.InMemoryState(),
			func(d *record.State) *[]time.Time { return &d.ArenaJoins }, a.cfg.Log,
		)
		a.attendAll(t.Context())
	}
	if a.server.Arena(a.id, me).Joined {
		t.Error("the arena in progress was not asked for a game")
	}
}

// All arenas share what Lichess allows, over restarts too, and take turns.
func TestArenas_JoinLimit(t *testing.T) {
	a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
	a.cfg.Timing.ArenaJoins, a.cfg.Timing.ArenaInterval = record.Rate{Burst: 4, Interval: time.Hour}, 0
	ids := []string{a.id}
	for range 2 {
		ids = append(ids, a.server.AddArena(lichesstest.ArenaSpec{Limit: time.Minute}))
	}
	for _, want := range []string{"joined", "not joined yet"} { // the second after a restart
		a.Arenas = NewArenas(a.cfg)
		a.settings.IDs = ids
		a.attend(t, 3)
		for _, id := range ids {
			if got := a.known[id].state(time.Now()); got != want {
				t.Errorf("arena %s, want it %s", got, want)
			}
		}
		a.check(t, 4, 3)
		a.leaveAll(t.Context())
	}
}

// A bot that drains leaves its arenas even if it is stopped meanwhile; one that is stopped does not.
func TestArenas_Stopped(t *testing.T) {
	for _, draining := range []bool{false, true} {
		a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
		a.attend(t, 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if draining {
			a.cfg.Games.Drain()
		}
		if err := a.Run(ctx); errors.Is(err, context.Canceled) == draining ||
			a.server.Arena(a.id, me).Paused != draining {
			t.Errorf("draining %t: ended with %v, paused %t", draining, err, a.server.Arena(a.id, me).Paused)
		}
	}
}

// An arena that was deleted counts as over, and as left.
func TestArenas_Deleted(t *testing.T) {
	a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
	a.attend(t, 1)
	a.check(t, 1, 1)
	a.server.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 1 << 30, Status: 404, Text: "Not found"})
	if a.withdraw(t.Context(), a.known[a.id], "arena left"); a.known[a.id].joined {
		t.Error("not left")
	}
	clear(a.requests)
	a.attend(t, 3)
	if a.publish(); len(a.requests) != 1 || a.requests["{id}"] != 1 || len(a.Status()) != 0 {
		t.Errorf("requests %v, %d arenas known", a.requests, len(a.Status()))
	}
	a.check(t, 0, 0)
}

// Arenas that are over, for humans, or of another variant are left alone, and one that has
// refused us is not asked again.
func TestArenas_LeftAlone(t *testing.T) {
	const team = "crazy-bots"
	a := newArenaTest(t, lichesstest.ArenaSpec{Team: team})
	a.server.EndArena(a.id)
	ids := []string{
		a.id, a.server.AddArena(lichesstest.ArenaSpec{Team: team, NoBots: true}),
		a.server.AddArena(lichesstest.ArenaSpec{
			Team: team, Variant: "atomic",
		}),
	}
	locked := a.server.AddArena(lichesstest.ArenaSpec{Team: team, Password: "unknown"})
	a.settings = config.Arenas{IDs: ids, Teams: []string{team}}
	a.attend(t, 3)
	a.check(t, 1, 0)
	if a.known[locked].refusal == "" {
		t.Error("the last does not refuse")
	}
	for _, id := range append(ids, locked) {
		if a.server.Arena(id, me).Joined {
			t.Errorf("joined %s", id)
		}
	}
}

// An arena that the settings name by its id, too, is joined for its team, even if that shows only
// once it has been refused without one.
func TestArenas_NamedTwice(t *testing.T) {
	const team = "crazy-bots"
	a := newArenaTest(t, lichesstest.ArenaSpec{Team: team})
	for _, teams := range [][]string{nil, {team}} {
		a.settings = config.Arenas{IDs: []string{a.id}, Teams: teams}
		a.attend(t, 1)
		if joined := a.server.Arena(a.id, me).Joined; joined != (teams != nil) {
			t.Errorf("teams %v: joined %t", teams, joined)
		}
	}
	if known := a.known[a.id]; known == nil || known.team != team {
		t.Errorf("%+v", known)
	}
}

// While no game comes, the bot goes on saying that it waits; when the arena is over, it
// releases its slot, and does not read the arena again.
func TestArenas_StayToTheEnd(t *testing.T) {
	a := newArenaTest(t, lichesstest.ArenaSpec{Limit: time.Minute})
	a.cfg.Timing.ArenaInterval = 0
	a.attend(t, 3)
	a.check(t, 3, 1)
	a.server.EndArena(a.id)
	clear(a.requests)
	a.attend(t, 3)
	a.check(t, 0, 0)
	if n := a.requests["{id}"]; n != 1 {
		t.Errorf("read %d times after its end", n)
	}
}

package game

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

func person(name string) Info { return Info{Opponent: name, Clock: true} }
func robot(name string) Info  { return Info{Opponent: name, Bot: true, Clock: true} }

// reserve reserves a slot, of which there is one.
func reserve(t *testing.T, r *Registry, id string, i Info) *Entry {
	t.Helper()
	e, err := r.Reserve(id, i)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// listOf returns a complete list of games, requested now.
func listOf(ids ...string) *lichess.GameList {
	list := &lichess.GameList{RequestedAt: time.Now(), Complete: true}
	for _, id := range ids {
		list.Games = append(list.Games, lichess.Game{ID: id})
	}
	return list
}

// newRegistry returns a registry whose games are played by a function.
func newRegistry(l config.Games, play func(context.Context, *Entry) error) *Registry {
	r := NewRegistry(l)
	r.SetPlay(play)
	return r
}

// openRegistry returns a registry whose games last until their contexts end.
func openRegistry(l config.Games) *Registry {
	r := newRegistry(l, func(ctx context.Context, _ *Entry) error {
		<-ctx.Done()
		return ctx.Err()
	})
	r.Open()
	return r
}

// Of opponents that are named by letters, the capital ones are persons.
func TestRegistry_Reserve(t *testing.T) {
	info := func(letter rune) Info {
		return Info{Opponent: string(letter), Bot: unicode.IsLower(letter), Clock: true}
	}
	for _, tt := range []struct {
		taken string
		next  rune
		want  error
	}{
		{"", 'a', nil},
		{"abc", 'D', nil},
		{"abc", 'd', errReserved},
		{"Xab", 'c', nil},
		{"A", 'A', nil},
		{"AA", 'A', ErrPerOpponent},
		{"ABCD", 'E', errFull},
	} {
		r := openRegistry(config.Games{Max: 4, ReservedForHumans: 1, MaxPerOpponent: 2})
		for i, letter := range tt.taken {
			reserve(t, r, fmt.Sprint(i), info(letter))
		}
		if _, err := r.Reserve("next", info(tt.next)); !errors.Is(err, tt.want) {
			t.Errorf("%c beside %s: %v, want %v", tt.next, tt.taken, err, tt.want)
		}
	}
}

// A game that has a slot keeps it as it is, whoever asks for it once more.
func TestRegistry_ReserveKnown(t *testing.T) {
	r := openRegistry(config.Games{Max: 4})
	r.add("a", robot("a"), playing)
	if _, err := r.Reserve("a", person("b")); !errors.Is(err, ErrKnown) {
		t.Errorf("got %v, want %v", err, ErrKnown)
	}
	if !r.HasBegun("a") || r.Use().Bots != 1 {
		t.Error("the slot is another one")
	}
}

// However many ask at once, there are never more games than allowed.
func TestRegistry_Race(t *testing.T) {
	const most, workers, rounds = 3, 16, 300
	var now, highest atomic.Int64
	r := newRegistry(config.Games{Max: most}, func(_ context.Context, e *Entry) error {
		now.Add(-1)
		e.update(over)
		return nil
	})
	r.Open()
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := range rounds {
				id := fmt.Sprintf("%d-%d", w, i)
				if _, err := r.Reserve(id, person(id)); err == nil {
					n := now.Add(1) // the slot is held until the game subtracts it
					for old := highest.Load(); n > old && !highest.CompareAndSwap(old, n); old = highest.Load() {
					}
					r.Start(t.Context(), id, person(id))
				}
			}
		})
	}
	group.Wait()
	r.Wait()
	if highest.Load() > most {
		t.Errorf("%d games at once, want at most %d", highest.Load(), most)
	}
	if len(r.entries) != 0 {
		t.Errorf("%d games left", len(r.entries))
	}
}

// A game is played once, however often it is learned of; one that the server runs is played
// even beyond the limits, and nothing else begins until there are fewer.
func TestRegistry_Start(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		played, end := map[string]int{}, make(chan struct{})
		var mu sync.Mutex
		r := newRegistry(config.Games{Max: 1}, func(_ context.Context, e *Entry) error {
			mu.Lock()
			played[e.id]++
			mu.Unlock()
			<-end
			e.update(over)
			return nil
		})
		r.Open()
		reserve(t, r, "a", person("a"))
		for _, id := range []string{"b", "a", "c", "a", "b"} {
			r.Start(t.Context(), id, person(id))
		}
		synctest.Wait()
		if want := []string{"a", "b", "c"}; !slices.Equal(r.Unfinished(), want) || r.Use().Live != 3 {
			t.Errorf("unfinished %v, want %v", r.Unfinished(), want)
		}
		for _, want := range []error{errFull, errFull, nil} { // with two games, one, none
			end <- struct{}{}
			synctest.Wait()
			if _, err := r.Reserve("d", person("d")); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		r.Start(t.Context(), "a", person("a")) // a late event
		if synctest.Wait(); r.Has("a") || played["a"] != 1 || played["b"] != 1 || played["c"] != 1 {
			t.Errorf("played %v, want each once", played)
		}
	})
}

// A game that cannot be followed keeps its slot until it is played again.
func TestRegistry_Abandons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := make(chan error)
		r := newRegistry(config.Games{Max: 1}, func(context.Context, *Entry) error { return <-results })
		r.Open()
		r.Start(t.Context(), "a", person("a"))
		results <- errUnknown
		synctest.Wait()
		if err := r.Command(t.Context(), "a", Resign); !errors.Is(err, errNotInTouch) || len(r.gaveUp) != 1 {
			t.Errorf("resigned with %v", err)
		}
		if _, err := r.Reserve("b", person("b")); !errors.Is(err, errFull) ||
			!slices.Equal(r.Unfinished(), []string{"a"}) {
			t.Errorf("another game has its slot: %v", err)
		}
		for range 2 {
			r.Start(t.Context(), "a", person("a"))
		}
		results <- errNotOurs
		if synctest.Wait(); r.Has("a") {
			t.Error("a game of others keeps its slot")
		}
	})
}

// A game of an earlier run that may be over keeps its slot until that is certain; one that
// is over is forgotten, whether its record is complete or not.
func TestRegistry_Complete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := make(chan error)
		r := newRegistry(config.Games{Max: 1}, func(context.Context, *Entry) error { return <-results })
		for _, err := range []error{nil, errEndUnread} {
			r.start(t.Context(), "a", person("a"), time.Time{}, true)
			if results <- errEndUnread; !r.find("a").isOver() {
				t.Error("a game of an earlier run is not over")
			}
			synctest.Wait()
			time.Sleep(time.Second)
			free := r.Changed()
			over := r.Listed(listOf())
			if len(over) != 1 || r.Use().Games != 0 || !r.AnyClock() {
				t.Fatalf("over: %v; slots %+v", over, r.Use())
			}
			<-free // at once: completing a record may take minutes
			r.complete(t.Context(), over[0])
			results <- err
			if synctest.Wait(); r.Has("a") {
				t.Errorf("%v: not forgotten", err)
			}
			select {
			case <-over[0].forgotten:
			default:
				t.Error("whoever waits for it is not told")
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		r.Start(ctx, "b", person("b"))
		stop()
		results <- ctx.Err()
		if r.Wait(); !slices.Equal(r.Unfinished(), []string{"b"}) {
			t.Errorf("left %q, want b", r.Unfinished())
		}
	})
}

// Nothing begins before the games in progress are known, or once the bot drains.
func TestRegistry_OpenAndDrain(t *testing.T) {
	r := NewRegistry(config.Games{Max: 2})
	if _, err := r.Reserve("a", person("a")); !errors.Is(err, errNotReady) {
		t.Errorf("before the games in progress are known: %v, want %v", err, errNotReady)
	}
	changed := r.Changed()
	r.Open()
	<-changed
	if _, err := r.Reserve("a", person("a")); err != nil || r.IsDraining() {
		t.Fatal(err)
	}
	changed = r.Changed()
	r.Drain()
	<-changed
	r.Drain()
	r.Open()
	<-r.Draining()
	if _, err := r.Reserve("b", person("b")); !errors.Is(err, ErrDraining) || !r.IsDraining() {
		t.Errorf("while draining: %v, want %v", err, ErrDraining)
	}
}

func TestRegistry_Resize(t *testing.T) {
	r := NewRegistry(config.Games{Max: 1})
	r.Open()
	a := r.add("a", person("a"), playing)
	changed := r.Changed()
	r.Resize(config.Games{Max: 2})
	<-changed
	if _, err := r.Reserve("b", person("b")); err != nil {
		t.Errorf("after growing: %v", err)
	}
	r.Resize(config.Games{Max: 1})
	a.update(over)
	if _, err := r.Reserve("c", person("c")); !errors.Is(err, errFull) {
		t.Errorf("after shrinking: %v, want %v", err, errFull)
	}
}

func TestRegistry_ForgetsOldGames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := openRegistry(config.Games{Max: 1})
		for i := range 100 {
			e := r.add(fmt.Sprint(i), person("a"), playing)
			e.update(over)
			e.update(done)
			time.Sleep(endedMemory / 10)
		}
		if len(r.ended) != 11 || len(r.entries) != 0 {
			t.Errorf("%d past games and %d entries, want 11 and 0", len(r.ended), len(r.entries))
		}
	})
}

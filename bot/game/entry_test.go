package game

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// TestPhase_Next checks every change in every phase; what is not listed changes nothing.
func TestPhase_Next(t *testing.T) {
	table := map[phase]map[change]phase{
		offered:   {begun: playing, done: gone},
		accepting: {begun: playing, done: gone},
		playing:   {lost: abandoned, over: ended, done: gone},
		abandoned: {begun: playing, unlisted: ended},
		ended:     {reopened: playing, done: gone},
	}
	for from := offered; from <= gone; from++ {
		for c := begun; c <= done; c++ {
			want, changes := table[from][c]
			if !changes {
				want = from
			}
			if got, changed := from.next(c); got != want || changed != changes {
				t.Errorf("phase %d, change %d: phase %d, want %d", from, c, got, want)
			}
		}
	}
}

// What a game in each phase counts as.
func TestEntry_Counts(t *testing.T) {
	for _, tt := range []struct {
		phase                          phase
		games, live                    int
		unfinished, held, begun, lasts bool
	}{
		{offered, 1, 0, false, true, false, false},
		{accepting, 1, 0, true, true, false, true},
		{playing, 1, 1, true, false, true, true},
		{abandoned, 1, 1, true, false, true, true},
		{ended, 0, 0, false, false, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := tt.phase.of(t, "a")
			r := e.registry
			if u := r.Use(); u.Games != tt.games || u.Live != tt.live {
				t.Errorf("phase %d: use %+v", tt.phase, u)
			}
			if got := slices.Equal(r.Unfinished(), []string{"a"}); got != tt.unfinished {
				t.Errorf("phase %d: unfinished %t", tt.phase, got)
			}
			if e.IsHeld() != tt.held || r.HasBegun("a") != tt.begun || !r.Has("a") || !r.AnyClock() {
				t.Errorf("phase %d: held %t, begun %t", tt.phase, e.IsHeld(), r.HasBegun("a"))
			}
			start := time.Now()
			time.Sleep(time.Hour)
			for _, c := range []change{lost, unlisted, done} { // to its end
				e.update(c)
			}
			if until := r.BusyUntil(time.Now()); until.Equal(start) == tt.lasts {
				t.Errorf("phase %d: busy until %s", tt.phase, until)
			}
			if r.Has("a") || r.AnyClock() {
				t.Errorf("phase %d: still in the registry", tt.phase)
			}
		})
	}
}

// A game that has begun keeps its slot, whatever becomes of the reservation.
func TestEntry_Bind(t *testing.T) {
	r := openRegistry(config.Games{Max: 2})
	e := reserve(t, r, "", robot("a"))
	if ids := r.GamesWith("a"); !slices.Equal(ids, []string{""}) {
		t.Errorf("games with the opponent: %q", ids)
	}
	e.Bind("game")
	if !r.Has("game") || r.HasBegun("game") || !e.IsHeld() {
		t.Error("the slot is not the game's")
	}
	for range 2 {
		r.Start(t.Context(), "game", robot("a"))
	}
	if e.IsHeld() || e.Release() || !r.HasBegun("game") || r.Use().Games != 1 {
		t.Error("a game that has begun has lost its slot, or has two")
	}
	late := reserve(t, r, "", robot("b"))
	r.Start(t.Context(), "early", robot("b")) // its event came before the reply that has its id
	if late.Bind("early"); late.IsHeld() || late.Release() || r.Use().Games != 2 {
		t.Errorf("two slots for a game: %+v", r.Use())
	}
}

// A game that is over before its challenge's reply has come is not played again, whatever
// has told of its end first.
func TestEntry_BindEnded(t *testing.T) {
	for _, changes := range [][]change{{over, done}, {lost, unlisted, over, done}} {
		r := openRegistry(config.Games{Max: 2})
		e := reserve(t, r, "", robot("a"))
		game := r.add("game", robot("a"), playing)
		for _, c := range changes {
			game.update(c)
		}
		if e.Bind("game"); e.IsHeld() || r.Use().Games != 0 {
			t.Errorf("a slot for a game that is over: %+v", r.Use())
		}
		if r.Start(t.Context(), "game", robot("a")); r.Has("game") {
			t.Error("the game is played again")
		}
	}
}

// A reservation that is released, once, is free for others, also while the bot drains.
func TestEntry_Release(t *testing.T) {
	r := openRegistry(config.Games{Max: 1})
	e := reserve(t, r, "", robot("a"))
	r.Drain()
	if !e.Release() || e.Release() || r.Use().Games != 0 || r.AnyClock() {
		t.Errorf("not released once: %+v", r.Use())
	}
}

// The next game of an arena gets the slot that is reserved for it, and no other.
func TestEntry_Arena(t *testing.T) {
	r := openRegistry(config.Games{Max: 3})
	var held []*Entry
	for _, id := range []string{"x", "y"} {
		e := reserve(t, r, "", Info{Bot: true, Clock: true, Arena: id})
		held = append(held, e)
	}
	if r.InArena("y") {
		t.Error("a reservation counts as a game")
	}
	r.Start(t.Context(), "game", Info{Opponent: "a", Clock: true, Arena: "y"})
	if !held[0].IsHeld() || held[1].IsHeld() || held[1].Release() || !r.InArena("y") || r.Use().Games != 2 {
		t.Errorf("the game did not take its slot: %+v", r.Use())
	}
}

// A game that a complete list lacks is told so; a full list says nothing of others.
func TestRegistry_Listed(t *testing.T) {
	for _, tt := range []struct {
		name     string
		complete bool
		told     int
	}{{"complete", true, 2}, {"full", false, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			r := openRegistry(config.Games{Max: 4})
			games := map[string]*Entry{"here": r.add("here", Info{}, playing), "gone": r.add("gone", Info{}, playing)}
			for range 2 { // the older list gives way
				r.Listed(&lichess.GameList{Games: []lichess.Game{{ID: "here"}}, RequestedAt: time.Now(),
					Complete: tt.complete})
			}
			told := 0
			for id, e := range games {
				select {
				case l := <-e.listed:
					told++
					if (l.game != nil) != (id == "here") {
						t.Errorf("%s: listed %v", id, l.game)
					}
				default:
				}
			}
			if told != tt.told {
				t.Errorf("%d games told, want %d", told, tt.told)
			}
		})
	}
}

// An abandoned game has ended when a complete list lacks it that was asked for later.
func TestRegistry_ListedAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := openRegistry(config.Games{Max: 4})
		e := r.add("a", Info{}, playing)
		before := time.Now()
		time.Sleep(time.Second)
		e.update(lost)
		time.Sleep(time.Second)
		full, early := &lichess.GameList{RequestedAt: time.Now()},
			&lichess.GameList{RequestedAt: before, Complete: true}
		over := slices.Concat(r.Listed(listOf("a")), r.Listed(full), r.Listed(early))
		if len(over) != 0 || r.Use().Games != 1 {
			t.Errorf("ended while it may be in progress: %v, slots %+v", over, r.Use())
		}
		over = slices.Concat(r.Listed(listOf()), r.Listed(listOf()))
		if !slices.Equal(over, []*Entry{e}) || r.Use().Games != 0 || !r.Has("a") {
			t.Errorf("ended %v, want a, once; slots %+v", over, r.Use())
		}
	})
}

// The final event of a game waits for it, also if its goroutine has not started yet.
func TestRegistry_Final(t *testing.T) {
	r := openRegistry(config.Games{Max: 1})
	r.Final(&lichess.Game{ID: "unknown"})
	e := r.add("a", Info{Clock: true}, accepting)
	r.Final(&lichess.Game{ID: "a", RatingDiff: new(7)})
	r.Final(&lichess.Game{ID: "a", RatingDiff: new(8)}) // a duplicate must not block
	if g := <-e.final; *g.RatingDiff != 7 {
		t.Errorf("rating change %d, want 7", *g.RatingDiff)
	}
}

// Games are shown that are played, or whose end is recorded, by id.
func TestRegistry_Views(t *testing.T) {
	r := openRegistry(config.Games{Max: 4})
	for _, p := range []phase{abandoned, ended, playing, playing} {
		id := string(rune('z' - len(r.entries)))
		r.add(id, Info{}, p).view.Store(&event.GameView{Summary: record.Summary{ID: id}})
	}
	r.add("unread", Info{}, playing)
	var ids []string
	for _, v := range r.Views() {
		ids = append(ids, v.ID)
	}
	if !slices.Equal(ids, []string{"w", "x", "y"}) {
		t.Errorf("shown: %q", ids)
	}
}

// A game that has ended according to a list, but is in progress, counts again.
func TestGame_NotOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWalk(t)
		e := w.game.entry
		e.update(lost)
		e.update(unlisted)
		e.completing, w.game.finishedBeforeStart = true, true
		w.follow("turn")
		if e.isOver() || e.registry.Use().Games != 1 {
			t.Errorf("over %t, slots %+v", e.isOver(), e.registry.Use())
		}
		w.end()
	})
}

// A game that was over and that a list has all the same, since it lags behind, is read again and
// not recorded twice.
func TestGame_ConcludedOnce(t *testing.T) {
	for _, concluded := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var ended int
			g := newTestGame(t, func(o *Options) {
				o.Emit = func(e event.Event) {
					if _, ok := e.(event.GameEnded); ok {
						ended++
					}
				}
				o.Stream = from(&garbledSource{full: fullOf("e2e4 e7e5", lichess.StatusResign)})
			})
			g.entry.concluded = concluded
			if err := g.run(t.Context()); err != nil || (ended == 0) != concluded {
				t.Errorf("concluded before: %t; concluded %d times, %v", concluded, ended, err)
			}
		})
	}
}

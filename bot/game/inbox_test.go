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
				r.Listed([]lichess.Game{{ID: "here"}}, time.Now(), tt.complete)
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
		over := slices.Concat(r.Listed([]lichess.Game{{ID: "a"}}, time.Now(), true), r.Listed(nil, time.Now(), false), r.Listed(nil, before, true))
		if len(over) != 0 || r.Use().Games != 1 {
			t.Errorf("ended while it may be in progress: %v, slots %+v", over, r.Use())
		}
		over = slices.Concat(r.Listed(nil, time.Now(), true), r.Listed(nil, time.Now(), true))
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

// Only games that are played are shown, by id.
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
	if !slices.Equal(ids, []string{"w", "x"}) {
		t.Errorf("shown: %q", ids)
	}
}

// A game that has ended according to a list, but is in progress, counts again.
func TestGame_NotOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWalk(t)
		e := w.game.entry
		e.update(lost)
		time.Sleep(time.Second)
		if over := e.registry.Listed(nil, time.Now(), true); len(over) != 1 || !e.isOver() {
			t.Fatal("the game has not ended")
		}
		w.game.finishedBeforeStart = true
		w.follow("turn")
		if r := e.registry; e.isOver() || r.Use().Games != 1 || !slices.Equal(r.Unfinished(), []string{e.id}) {
			t.Errorf("running %q, slots %+v", r.Unfinished(), r.Use())
		}
		w.end()
	})
}

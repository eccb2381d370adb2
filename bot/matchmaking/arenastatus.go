package matchmaking

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/internal/control"
)

// Status returns the arenas that we play in or want to, by start time.
func (a *Arenas) Status() []control.Arena {
	if list := a.statuses.Load(); list != nil {
		return *list
	}
	return nil
}

// Join joins an arena of the settings, even if it has refused us before,
// and returns the state reached.
func (a *Arenas) Join(ctx context.Context, id string) (control.Arena, error) {
	at := -1
	var list []control.Arena
	err := a.do(ctx, func(ctx context.Context) {
		if t := a.known[id]; t != nil {
			t.refusal, t.lastJoin = "", time.Time{}
		}
		a.update(ctx)
		list = a.Status()
		at = slices.IndexFunc(list, func(s control.Arena) bool { return s.ID == id })
	})
	switch {
	case err != nil:
		return control.Arena{}, err
	case at < 0:
		return control.Arena{}, errors.New("this bot cannot play in it, or it is over")
	}
	return list[at], nil
}

// publish publishes the state of all arenas.
func (a *Arenas) publish() {
	now := time.Now()
	list := []control.Arena{}
	for _, t := range slices.SortedFunc(maps.Values(a.known), func(x, y *tournament) int { return x.Starts.Compare(y.Starts) }) {
		if !t.Finished {
			list = append(list, control.Arena{ID: t.ID, Name: t.Name, Refused: t.refusal != "", State: t.state(now)})
		}
	}
	a.statuses.Store(&list)
}

// state describes our part in the arena.
func (t *tournament) state(now time.Time) string {
	starts := ""
	if now.Before(t.Starts) {
		starts = ", starts at " + t.Starts.Local().Format("15:04 on 2 January")
	}
	switch {
	case t.refusal != "":
		return "entry refused: " + t.refusal
	case t.leaving:
		return "not left yet"
	case t.joined:
		return "joined" + starts
	case starts != "", t.slot != nil:
		return "not joined yet" + starts
	}
	return "waits for a free slot"
}

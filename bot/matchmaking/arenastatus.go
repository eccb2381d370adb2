package matchmaking

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// Arena is an arena that we play in, or want to.
type Arena struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"` // such as "joined"
}

// Status returns the arenas that we play in or want to, by start time.
func (a *Arenas) Status() []Arena {
	if list := a.statuses.Load(); list != nil {
		return *list
	}
	return []Arena{}
}

// Join joins an arena of the settings, even if it has refused us before,
// and returns the state reached.
func (a *Arenas) Join(ctx context.Context, id string) (Arena, error) {
	var joined Arena
	var err error
	undone := a.do(ctx, func(ctx context.Context) {
		if t := a.known[id]; t != nil {
			t.refusal, t.leaving, t.lastJoin = "", false, time.Time{}
		}
		if a.left[id] {
			delete(a.left, id)
			a.listed = time.Time{}
		}
		a.update(ctx)
		switch t := a.known[id]; {
		case t == nil || t.Finished:
			err = errors.New("this bot cannot play in it, or it is over")
		case t.refusal != "":
			err = errors.New(t.state(time.Now()))
		default:
			joined = t.status(time.Now())
		}
	})
	if undone != nil {
		return Arena{}, undone
	}
	return joined, err
}

// Leave leaves an arena until Join, and returns its name.
func (a *Arenas) Leave(ctx context.Context, id string) (name string, err error) {
	undone := a.do(ctx, func(ctx context.Context) {
		t := a.known[id]
		if t == nil || t.Finished {
			err = errors.New("the bot does not play in it")
			return
		}
		a.left[id], name, t.leaving = true, t.Name, true
		a.leaveOthers(ctx)
		if a.publish(); a.known[id] != nil {
			err = errors.New("not left yet, since Lichess has not confirmed it: the bot tries again")
		}
	})
	if undone != nil {
		return "", undone
	}
	return name, err
}

// publish publishes the state of all arenas.
func (a *Arenas) publish() {
	now := time.Now()
	list := []Arena{}
	for _, t := range slices.SortedFunc(maps.Values(a.known), func(x, y *tournament) int {
		return x.Starts.Compare(y.Starts)
	}) {
		if !t.Finished {
			list = append(list, t.status(now))
		}
	}
	a.statuses.Store(&list)
}

func (t *tournament) status(now time.Time) Arena {
	return Arena{ID: t.ID, Name: t.Name, State: t.state(now)}
}

// state describes our part in the arena.
func (t *tournament) state(now time.Time) string {
	starts := ""
	if now.Before(t.Starts) {
		starts = ", starts at " + t.Starts.Local().Format("15:04 MST on 2 January")
	}
	switch {
	case t.refusal != "":
		return "entry refused: " + t.refusal
	case t.leaving:
		return "not left yet"
	case t.joined:
		return "joined" + starts
	case t.wait > 0:
		return "not joined yet, since Lichess refuses it for now" + starts
	case starts != "", t.slot != nil:
		return "not joined yet" + starts
	}
	return "waits for a free slot"
}

package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/game"
)

// ArenaStatus is an arena and our part in it.
type ArenaStatus struct {
	ID, Name string
	Refused  bool // our entry was refused
	State    string
}

// Status returns the arenas that we play in or want to, by start time.
func (a *Arenas) Status() []ArenaStatus {
	if list := a.statuses.Load(); list != nil {
		return *list
	}
	return nil
}

// joinRequest asks for an arena to be joined that the settings have.
type joinRequest struct {
	id    string
	reply chan<- *ArenaStatus // buffered
}

// Join joins an arena of the settings, even if it has refused us before,
// and returns the state reached.
func (a *Arenas) Join(ctx context.Context, id string) (ArenaStatus, error) {
	reply := make(chan *ArenaStatus, 1)
	select {
	case a.joins <- joinRequest{id, reply}:
	case <-a.left:
		return ArenaStatus{}, game.ErrDraining
	case <-ctx.Done():
		return ArenaStatus{}, fmt.Errorf("join arena %s: %w", id, ctx.Err())
	}
	select {
	case e := <-reply:
		if e == nil {
			return ArenaStatus{}, errors.New("this bot cannot play in it, or it is over")
		}
		return *e, nil
	case <-a.left:
		return ArenaStatus{}, game.ErrDraining
	case <-ctx.Done():
		return ArenaStatus{}, fmt.Errorf("join arena %s: %w", id, ctx.Err())
	}
}

// retry forgets that an arena has refused us.
func (a *Arenas) retry(id string) {
	if t := a.known[id]; t != nil {
		t.refused, t.lastJoin = false, time.Time{}
	}
}

// report publishes the state of all arenas, and answers a request that has an id.
func (a *Arenas) report(join joinRequest) {
	now := time.Now()
	list := []ArenaStatus{}
	for _, t := range slices.SortedFunc(maps.Values(a.known), func(x, y *tournament) int { return x.Starts.Compare(y.Starts) }) {
		list = append(list, ArenaStatus{ID: t.ID, Name: t.Name, Refused: t.refused, State: t.state(now)})
	}
	a.statuses.Store(&list)
	if join.id == "" {
		return
	}
	if i := slices.IndexFunc(list, func(e ArenaStatus) bool { return e.ID == join.id }); i >= 0 {
		join.reply <- &list[i]
		return
	}
	join.reply <- nil
}

// state describes our part in the arena.
func (t *tournament) state(now time.Time) string {
	starts := ""
	if now.Before(t.Starts) {
		starts = ", starts at " + t.Starts.Local().Format("15:04 on 2 January")
	}
	switch {
	case t.refused:
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

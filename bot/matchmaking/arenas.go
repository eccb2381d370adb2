package matchmaking

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// Arenas plays in tournaments that allow bots. It joins them in advance; during one
// it reserves a slot for the next game, and pauses when no slot is free. Its fields
// belong to the goroutine of Run.
type Arenas struct {
	cfg      Config
	settings config.Arenas
	changed  chan struct{} // capacity 1: a slot is free or needed, or the settings may have changed

	known  map[string]*tournament // by id; one that is over stays if it was configured by id
	left   map[string]bool        // ids of those that the operator has left
	listed time.Time              // when the lists were last read
	limit  *record.Limiter        // of joins, all arenas together, with those of earlier runs

	calls                            // the operator's joins
	statuses atomic.Pointer[[]Arena] // as of the last look
}

// tournament is an arena and our participation in it.
type tournament struct {
	lichess.Arena
	team     string        // whose list it came from; "" if configured by id
	joined   bool          // and not paused
	leaving  bool          // no longer wanted, and not left yet
	slot     *game.Entry   // for its next game; nil for none
	refusal  string        // why our entry was refused; "" if it was not
	lastJoin time.Time     // when we last joined or asked to be paired
	wait     time.Duration // after lastJoin, since Lichess has refused that join for now; 0 if it has not
}

// NewArenas returns an Arenas that has joined none.
func NewArenas(c Config) *Arenas {
	limit := record.NewLimiter(c.Timing.ArenaJoins, c.State,
		func(d *record.State) *[]time.Time { return &d.ArenaJoins },
		c.Log.With().Str("request", "join of an arena").Logger())
	return &Arenas{
		cfg: c, changed: make(chan struct{}, 1), known: map[string]*tournament{}, left: map[string]bool{},
		limit: limit, calls: newCalls(),
	}
}

// Notify makes Run check again: a slot is free or needed, or the settings may have
// changed.
func (a *Arenas) Notify() { event.Wake(a.changed) }

// Left is closed when Run has ended. After that no arena pairs us, but one may just have
// done so.
func (a *Arenas) Left() <-chan struct{} { return a.ended }

// Run plays in arenas until the context ends, or the bot drains. It must be called only
// once.
func (a *Arenas) Run(ctx context.Context) error {
	defer a.limit.Close()
	defer close(a.ended) // first: a drain does not wait for the disk
	for look := a.update; !a.cfg.Games.IsDraining(); {
		look(ctx)
		look = a.update
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.cfg.Games.Draining():
		case <-a.changed:
		case <-time.After(a.cfg.Timing.ArenaInterval):
		case look = <-a.queue: // a join, which updates them, too
		}
	}
	a.leaveAll(ctx)
	return nil
}

// update applies the current settings, attends all arenas and publishes their state.
func (a *Arenas) update(ctx context.Context) {
	a.loadSettings()
	a.leaveOthers(ctx)
	a.attendAll(ctx)
	a.publish()
}

// loadSettings applies the current settings.
func (a *Arenas) loadSettings() {
	next := a.cfg.Settings().Arenas
	if reflect.DeepEqual(next, a.settings) {
		return
	}
	a.settings, a.listed = next, time.Time{}
	maps.DeleteFunc(a.known, func(_ string, t *tournament) bool { return t.Finished })
	for id, t := range a.known {
		t.refusal = "" // the password may have changed
		t.leaving = a.left[id] || !slices.Contains(next.IDs, id) && !slices.Contains(next.Teams, t.team)
	}
}

// leaveOthers leaves the arenas that are no longer wanted. While one cannot be left,
// a game may still begin in it: it keeps its slot, and the next look tries again.
func (a *Arenas) leaveOthers(ctx context.Context) {
	for id, t := range a.known {
		if t.leaving && t.joined {
			a.withdraw(ctx, t, "arena left: paused, left by the operator, or no longer configured")
		}
		if t.leaving && !t.joined {
			a.release(t)
			delete(a.known, id)
		}
	}
}

// attendAll attends every arena in order of due, so that all get their share of the joins.
func (a *Arenas) attendAll(ctx context.Context) {
	now := time.Now()
	if now.Sub(a.listed) >= a.cfg.Timing.ArenaListInterval {
		a.listed = now
		a.list(ctx)
		if a.cfg.Games.IsDraining() {
			return
		}
	}
	order := slices.SortedFunc(maps.Values(a.known),
		func(x, y *tournament) int { return x.due(now).Compare(y.due(now)) })
	for _, t := range order {
		a.attend(ctx, t, now)
	}
}

// due orders arenas for joining: those in progress by when they last asked for a game, then
// the others by start.
func (t *tournament) due(now time.Time) time.Time {
	if now.Before(t.Starts) {
		return t.Starts
	}
	return t.lastJoin
}

// list reads the configured arenas and those of the configured teams, until the bot drains.
func (a *Arenas) list(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	a.cfg.Games.Go(func() {
		select {
		case <-a.cfg.Games.Draining():
			stop()
		case <-ctx.Done():
		}
	})
	for _, id := range a.settings.IDs {
		if t := a.known[id]; a.left[id] || t != nil && (t.Finished || t.refusal != "") {
			continue
		}
		arena, err := a.cfg.Client.Arena(ctx, id)
		if err != nil {
			a.cfg.Log.Warn().Err(err).Str("arena", id).Msg("arena not read")
		}
		if errors.Is(err, lichess.ErrNotFound) {
			arena = &lichess.Arena{ID: id, Finished: true}
		}
		if arena != nil {
			a.upsert(arena, "")
		}
	}
	for _, team := range a.settings.Teams {
		list, err := a.cfg.Client.TeamArenas(ctx, team)
		if err != nil {
			a.cfg.Log.Warn().Err(err).Str("team", team).Msg("team arenas not fully read")
		}
		for i := range list {
			a.upsert(&list[i], team)
		}
	}
}

// upsert stores an arena, or updates it. Those of a team that are over, those that the
// operator has left, and those closed to us, are skipped.
func (a *Arenas) upsert(arena *lichess.Arena, team string) {
	t := a.known[arena.ID]
	switch {
	case t != nil:
		if t.team == "" && team != "" {
			t.team, t.refusal = team, "" // which may have been for want of the team
		}
		t.Arena = *arena
	case a.left[arena.ID]:
	case arena.Finished && team != "":
	case !arena.Finished && (arena.Variant != lichess.Crazyhouse || !arena.BotsAllowed):
		if team == "" {
			a.cfg.Log.Warn().Stringer("arena", arena).Str("variant", arena.Variant).
				Bool("bots_allowed", arena.BotsAllowed).
				Msg("arena skipped: this bot cannot play in it")
		}
	default:
		a.known[arena.ID] = &tournament{Arena: *arena, team: team}
	}
}

// attend joins an arena before it starts, keeps asking to be paired during it, or
// pauses, and removes it when it is over.
func (a *Arenas) attend(ctx context.Context, t *tournament, now time.Time) {
	switch {
	case t.Finished || !now.Before(t.Finishes):
		a.release(t)
		if t.Finished, t.joined = true, false; t.team != "" {
			delete(a.known, t.ID)
		}
	case t.refusal != "", t.leaving, now.Sub(t.lastJoin) < t.wait:
	case now.Before(t.Starts):
		if !t.joined {
			a.join(ctx, t, false)
		}
	case a.cfg.Games.InArena(t.ID):
		a.release(t) // unless the game has taken it
		t.lastJoin = time.Time{}
	case a.reserve(t):
		if now.Sub(t.lastJoin) >= a.cfg.Timing.ArenaInterval || !t.joined {
			a.join(ctx, t, true)
		}
	case t.joined:
		a.withdraw(ctx, t, "arena paused: no free slot")
	}
}

// withdrawTimeout bounds the withdrawals at shutdown.
const withdrawTimeout = 5 * time.Second

// reserve reserves a slot for the next game, unless a human is waiting for one.
func (a *Arenas) reserve(t *tournament) bool {
	if t.slot != nil && t.slot.IsHeld() {
		return true
	}
	t.slot = nil
	if !a.cfg.HumanWaits() {
		t.slot, _ = a.cfg.Games.Reserve("", game.Info{Bot: true, Clock: true, Arena: t.ID}) // it asks again
	}
	return t.slot != nil
}

func (a *Arenas) release(t *tournament) {
	if t.slot != nil {
		t.slot.Release()
		t.slot = nil
	}
}

// join joins, resumes after a pause, or asks to be paired, if the limit of joins allows
// it. A refusal is final, but for those that pass: Lichess's pause after one has left an
// arena, and too many joins.
func (a *Arenas) join(ctx context.Context, t *tournament, pairNow bool) {
	log := a.cfg.Log.With().Stringer("arena", &t.Arena).Logger()
	if !a.limit.Allow(ctx) {
		log.Info().Msg("arena not joined yet: Lichess limits how often all arenas together are joined")
		return
	}
	t.lastJoin = time.Now()
	err := a.cfg.Client.JoinArena(
		ctx, t.ID, lichess.ArenaEntry{Password: a.settings.Password.Reveal(), Team: t.team, PairNow: pairNow},
	)
	switch {
	case err == nil:
		if t.wait = 0; !t.joined {
			t.joined = true
			log.Info().Time("starts", t.Starts).Time("finishes", t.Finishes).Msg("arena joined")
		}
	case lichess.IsArenaPause(err):
		t.wait = min(max(2*t.wait, 10*time.Second), 2*time.Minute) // a pause of Lichess's is as long
		time.AfterFunc(t.wait, a.Notify)
		if !t.joined {
			a.release(t)
		}
		log.Info().Err(err).Msg("arena not joined yet")
	case lichess.IsRefusal(err):
		t.refusal, t.joined = err.Error(), false
		a.release(t)
		log.Warn().Err(err).Msg("arena entry refused")
	default:
		log.Warn().Err(err).Msg("arena not joined")
	}
}

// withdraw pauses in an arena; its game in progress continues. An arena that no longer
// exists counts as left.
func (a *Arenas) withdraw(ctx context.Context, t *tournament, why string) {
	err := a.cfg.Client.WithdrawArena(ctx, t.ID)
	if err != nil && !errors.Is(err, lichess.ErrNotFound) {
		a.cfg.Log.Warn().Err(err).Stringer("arena", &t.Arena).Msg("arena not left")
		return
	}
	t.joined = false
	a.cfg.Log.Info().Stringer("arena", &t.Arena).Msg(why)
}

// leaveAll withdraws from every arena within the timeout. It does not depend on the
// run's context, which ends as soon as a drained bot has no game.
func (a *Arenas) leaveAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	for _, t := range a.known {
		if t.joined {
			a.withdraw(ctx, t, "arena left: shutting down")
		}
		a.release(t)
	}
	a.publish()
}

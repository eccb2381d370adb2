package bot

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// Arenas configures which tournaments to join.
type Arenas struct {
	IDs      []string
	Teams    []string // all of their arenas
	Password string   // for those that require one
}

func (a *Arenas) equal(b *Arenas) bool {
	return slices.Equal(a.IDs, b.IDs) && slices.Equal(a.Teams, b.Teams) && a.Password == b.Password
}

// arenas plays in tournaments that allow bots. It joins them in advance; during one
// it reserves a slot for the next game, and pauses when no slot is free. Its fields
// belong to the goroutine of run.
type arenas struct {
	bot   *Bot
	terms Arenas
	wake  chan struct{}

	known  map[string]*tournament
	listed time.Time // when the lists were last read
}

// tournament is an arena and our participation in it.
type tournament struct {
	lichess.Arena
	team     string             // whose list it came from; "" if configured by id
	joined   bool               // and not paused
	slot     *slots.Reservation // for its next game; nil for none
	refused  bool               // our entry was refused
	lastJoin time.Time          // when we last joined or asked to be paired
}

func newArenas(b *Bot) *arenas {
	return &arenas{bot: b, wake: make(chan struct{}, 1), known: map[string]*tournament{}}
}

// notify wakes run: a game is over, or a slot is free or needed.
func (a *arenas) notify() {
	select {
	case a.wake <- struct{}{}:
	default: // will look anyway
	}
}

// run plays in arenas until the context ends, or the bot drains.
func (a *arenas) run(ctx context.Context) error {
	for {
		a.reloadSettings(ctx)
		a.attendAll(ctx)
		timer := time.NewTimer(a.bot.timing.arenaInterval)
		select {
		case <-ctx.Done():
		case <-a.bot.draining:
		case <-a.wake:
		case <-timer.C:
		}
		timer.Stop()
		if a.bot.isDraining() {
			a.leaveAll(ctx)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// reloadSettings applies the current settings, and leaves the arenas that are no
// longer configured.
func (a *arenas) reloadSettings(ctx context.Context) {
	terms := a.bot.settings().Matchmaking.Arenas
	if terms.equal(&a.terms) {
		return
	}
	a.terms, a.listed = terms, time.Time{}
	for id, t := range a.known {
		t.refused = false // the password may have changed
		if slices.Contains(terms.IDs, id) || slices.Contains(terms.Teams, t.team) {
			continue
		}
		if t.joined {
			a.withdraw(ctx, t, "arena left: no longer configured")
		}
		a.release(t)
		delete(a.known, id)
	}
}

// attendAll attends every arena, in order of start.
func (a *arenas) attendAll(ctx context.Context) {
	now := time.Now()
	if now.Sub(a.listed) >= a.bot.timing.arenaListInterval {
		a.listed = now
		a.list(ctx)
	}
	order := slices.SortedFunc(maps.Values(a.known), func(x, y *tournament) int { return x.Starts.Compare(y.Starts) })
	for _, t := range order {
		a.attend(ctx, t, now)
	}
}

// list reads the configured arenas and those of the configured teams.
func (a *arenas) list(ctx context.Context) {
	for _, id := range a.terms.IDs {
		if t := a.known[id]; t != nil && t.refused {
			continue
		}
		arena, err := a.bot.opts.Client.Arena(ctx, id)
		if err != nil {
			a.bot.log.Warn().Err(err).Str("arena", id).Msg("arena not read")
			continue
		}
		a.upsert(arena, "")
	}
	for _, team := range a.terms.Teams {
		list, err := a.bot.opts.Client.TeamArenas(ctx, team)
		if err != nil {
			a.bot.log.Warn().Err(err).Str("team", team).Msg("team arenas not fully read")
		}
		for i := range list {
			a.upsert(&list[i], team)
		}
	}
}

// upsert stores an arena, or updates it. Arenas that are over or closed to us are
// skipped.
func (a *arenas) upsert(arena *lichess.Arena, team string) {
	t := a.known[arena.ID]
	switch {
	case t != nil:
		t.Arena = *arena
	case arena.Finished:
	case arena.Variant != lichess.Crazyhouse, !arena.BotsAllowed:
		if team == "" {
			a.bot.log.Warn().Stringer("arena", arena).Str("variant", arena.Variant).Bool("bots_allowed", arena.BotsAllowed).
				Msg("arena skipped: this bot cannot play in it")
		}
	default:
		a.known[arena.ID] = &tournament{Arena: *arena, team: team}
	}
}

// attend joins an arena before it starts, keeps asking to be paired during it, or
// pauses, and removes it when it is over.
func (a *arenas) attend(ctx context.Context, t *tournament, now time.Time) {
	switch {
	case t.Finished || !now.Before(t.Finishes):
		a.release(t)
		delete(a.known, t.ID)
	case t.refused:
	case now.Before(t.Starts):
		if !t.joined {
			a.join(ctx, t, false)
		}
	case a.bot.slots.InArena(t.ID):
		t.slot, t.lastJoin = nil, time.Time{} // the game holds the slot now
	case a.reserve(t):
		if now.Sub(t.lastJoin) >= a.bot.timing.arenaInterval || !t.joined {
			a.join(ctx, t, true)
		}
	case t.joined:
		a.withdraw(ctx, t, "arena paused: no free slot")
	}
}

// withdrawTimeout bounds the withdrawals at shutdown.
const withdrawTimeout = 5 * time.Second

// reserve reserves a slot for the next game, unless a human is waiting for one.
func (a *arenas) reserve(t *tournament) bool {
	if t.slot != nil && t.slot.IsHeld() {
		return true
	}
	t.slot = nil
	if !a.bot.queue.HumanWaits() {
		t.slot, _ = a.bot.slots.Reserve(slots.Game{Bot: true, Clock: true, Arena: t.ID}) // it asks again
	}
	return t.slot != nil
}

func (a *arenas) release(t *tournament) {
	if t.slot != nil {
		t.slot.Release()
		t.slot = nil
	}
}

// join joins, resumes after a pause, or asks to be paired. A refusal is final.
func (a *arenas) join(ctx context.Context, t *tournament, pairNow bool) {
	t.lastJoin = time.Now()
	err := a.bot.opts.Client.JoinArena(ctx, t.ID, lichess.ArenaEntry{Password: a.terms.Password, Team: t.team, PairNow: pairNow})
	log := a.bot.log.With().Stringer("arena", &t.Arena).Logger()
	switch {
	case err == nil && !t.joined:
		t.joined = true
		log.Info().Time("starts", t.Starts).Time("finishes", t.Finishes).Msg("arena joined")
	case err == nil:
	case lichess.IsRefusal(err):
		t.refused, t.joined = true, false
		a.release(t)
		log.Warn().Err(err).Msg("arena entry refused")
	default:
		log.Warn().Err(err).Msg("arena not joined")
	}
}

// withdraw pauses in an arena; its game in progress continues.
func (a *arenas) withdraw(ctx context.Context, t *tournament, why string) {
	err := a.bot.opts.Client.WithdrawArena(ctx, t.ID)
	if err != nil {
		a.bot.log.Warn().Err(err).Stringer("arena", &t.Arena).Msg("arena not left")
		return
	}
	t.joined = false
	a.bot.log.Info().Stringer("arena", &t.Arena).Msg(why)
}

// leaveAll withdraws from every arena within the timeout. It does not depend on the
// run's context, which ends as soon as a drained bot has no game.
func (a *arenas) leaveAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	for _, t := range a.known {
		if t.joined {
			a.withdraw(ctx, t, "arena left: shutting down")
		}
		a.release(t)
	}
}

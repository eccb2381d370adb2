package bot

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Arenas says which tournaments to join.
type Arenas struct {
	IDs      []string
	Teams    []string // all of their arenas
	Password string   // for those that ask for one
}

func (a *Arenas) equal(b *Arenas) bool {
	return slices.Equal(a.IDs, b.IDs) && slices.Equal(a.Teams, b.Teams) && a.Password == b.Password
}

// arenas plays in tournaments that allow bots. It joins them ahead, and while one
// is on it holds a slot for the next game: without a free slot it makes a pause.
// Its fields belong to the goroutine of run.
type arenas struct {
	bot   *Bot
	terms Arenas
	wake  chan struct{}

	known  map[string]*tournament
	listed time.Time // when the lists were last read
}

// tournament is an arena and how we stand in it.
type tournament struct {
	lichess.Arena
	team     string    // in whose list it was, "" if it was named
	joined   bool      // and not paused
	reserved bool      // a slot is held for its next game
	refused  bool      // it does not let us in
	lastJoin time.Time // when it was last told that we wait
}

func newArenas(b *Bot) *arenas {
	return &arenas{bot: b, wake: make(chan struct{}, 1), known: map[string]*tournament{}}
}

// notify makes it look again: a game is over, or a slot is free or needed.
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

// reloadSettings takes over the settings as they are now, and leaves the arenas that are
// not wanted any more.
func (a *arenas) reloadSettings(ctx context.Context) {
	terms := a.bot.settings().Matchmaking.Arenas
	if terms.equal(&a.terms) {
		return
	}
	a.terms, a.listed = terms, time.Time{}
	for id, t := range a.known {
		t.refused = false // there may be another password
		if slices.Contains(terms.IDs, id) || slices.Contains(terms.Teams, t.team) {
			continue
		}
		if t.joined {
			a.withdraw(ctx, t, "not wanted any more: withdrawn from arena")
		}
		a.release(t)
		delete(a.known, id)
	}
}

// attendAll sees to every arena, the first to begin first.
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

// list reads the arenas that were named and those of the teams.
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
			a.bot.log.Warn().Err(err).Str("team", team).Msg("arenas of a team not all read")
		}
		for i := range list {
			a.upsert(&list[i], team)
		}
	}
}

// upsert takes in what the server says of an arena. One that we cannot play in, or
// that is over, is passed over.
func (a *arenas) upsert(arena *lichess.Arena, team string) {
	t := a.known[arena.ID]
	switch {
	case t != nil:
		t.Arena = *arena
	case arena.Finished:
	case arena.Variant != lichess.Crazyhouse, !arena.BotsAllowed:
		if team == "" {
			a.bot.log.Warn().Stringer("arena", arena).Str("variant", arena.Variant).Bool("bots_allowed", arena.BotsAllowed).
				Msg("arena cannot be played in: left alone")
		}
	default:
		a.known[arena.ID] = &tournament{Arena: *arena, team: team}
	}
}

// attend joins an arena ahead; while it is on, keeps telling it that we wait, or
// makes a pause; and forgets it when it is over.
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
	case a.bot.slots.inArena(t.ID):
		t.reserved, t.lastJoin = false, time.Time{} // the game has taken the slot
	case a.reserve(t):
		if now.Sub(t.lastJoin) >= a.bot.timing.arenaInterval || !t.joined {
			a.join(ctx, t, true)
		}
	case t.joined:
		a.withdraw(ctx, t, "no slot is free: pause in arena")
	}
}

// withdrawTimeout bounds what the end of the bot waits for arenas.
const withdrawTimeout = 5 * time.Second

// arenaSlot is what stands for the id of an arena's next game.
func arenaSlot(id string) string { return "arena " + id }

// reserve takes a slot for the next game, unless a human waits for one.
func (a *arenas) reserve(t *tournament) bool {
	name := arenaSlot(t.ID)
	t.reserved = a.bot.slots.isReserved(name) ||
		!a.bot.queue.humanWaits() && a.bot.slots.reserveOutgoing(name, participant{opponent: name, bot: true, clock: true}) == nil
	return t.reserved
}

func (a *arenas) release(t *tournament) {
	if t.reserved {
		a.bot.slots.releaseOutgoing(arenaSlot(t.ID))
		t.reserved = false
	}
}

// join joins, goes on after a pause, or tells that we still wait. A refusal is for
// good.
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
		log.Warn().Err(err).Msg("arena does not let us in")
	default:
		log.Warn().Err(err).Msg("arena not joined")
	}
}

// withdraw leaves an arena for now; its game, if one is on, goes on.
func (a *arenas) withdraw(ctx context.Context, t *tournament, why string) {
	err := a.bot.opts.Client.WithdrawArena(ctx, t.ID)
	if err != nil {
		a.bot.log.Warn().Err(err).Stringer("arena", &t.Arena).Msg("not withdrawn from arena")
		return
	}
	t.joined = false
	a.bot.log.Info().Stringer("arena", &t.Arena).Msg(why)
}

// leaveAll withdraws from every arena, as far as the server answers in time. A
// drained bot ends meanwhile if it has no game: that must not break it off.
func (a *arenas) leaveAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	for _, t := range a.known {
		if t.joined {
			a.withdraw(ctx, t, "shutting down: withdrawn from arena")
		}
		a.release(t)
	}
}

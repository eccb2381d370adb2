package bot

import (
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const (
	endpointArenaJoin = "POST /api/tournament/{id}/join"
	crazyBots         = "crazy-bots"
)

// inArenas lets a bot play in arenas.
func inArenas(terms matchmaking.ArenaSettings) func(*Bot) {
	return func(b *Bot) {
		b.settings().Matchmaking.Arenas = terms
	}
}

// arena makes an arena with somebody in it who plays.
func (r *rig) arena(spec lichesstest.ArenaSpec) (id string) {
	spec.Limit, spec.Increment, spec.Rated = 3*time.Minute, 2*time.Second, true
	id = r.AddArena(spec)
	r.EnterArena(id, "alice")
	return id
}

// The bot joins, plays game after game, and withdraws when it drains.
func TestArenas_PlayUntilDrain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spec  lichesstest.ArenaSpec
		terms func(id string) matchmaking.ArenaSettings
	}{
		{"by id", lichesstest.ArenaSpec{Password: "secret"}, func(id string) matchmaking.ArenaSettings {
			return matchmaking.ArenaSettings{IDs: []string{id}, Password: "secret"}
		}},
		{"by team", lichesstest.ArenaSpec{Team: crazyBots}, func(string) matchmaking.ArenaSettings { return matchmaking.ArenaSettings{Teams: []string{crazyBots}} }},
		{"ahead", lichesstest.ArenaSpec{Team: crazyBots, StartsIn: 200 * time.Millisecond}, func(string) matchmaking.ArenaSettings { return matchmaking.ArenaSettings{Teams: []string{crazyBots}} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, lichesstest.Options{Seed: 3})
			r.AddHuman("alice", peaceful(6, 0))
			id := r.arena(tt.spec)
			run := r.start(inArenas(tt.terms(id)))
			eventually(t, "two games are played", func() bool { return len(r.archive.saved()) >= 2 })
			run.Drain()
			if err := run.wait(); err != nil {
				t.Error(err)
			}
			if state := r.Arena(id, botName); !state.Joined || !state.Paused {
				t.Errorf("after the drain: %+v", state)
			}
			if left := r.Playing(botName); len(left) != 0 {
				t.Errorf("games left: %v", left)
			}
			r.checkNoViolations()
		})
	}
}

// Without a free slot the bot makes a pause, and goes on when there is one.
func TestArenas_Pause(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", lichesstest.Idle())
	r.AddHuman("bob", lichesstest.Idle())
	id := r.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	run := r.start(func(b *Bot) {
		b.slots.Resize(slots.Limits{Max: 2, ReservedForHumans: 1})
		inArenas(matchmaking.ArenaSettings{IDs: []string{id}})(b)
	})
	eventually(t, "the bot is in", func() bool { return r.Arena(id, botName).Joined })
	if games := run.Running(); len(games) != 0 {
		t.Errorf("the slot that is held counts as a game: %v", games)
	}
	run.slots.Resize(slots.Limits{Max: 1, ReservedForHumans: 1})
	r.EnterArena(id, "alice")
	eventually(t, "a game is on", func() bool { return len(run.Running()) == 1 })
	if use := run.Slots(); use.Games != 1 {
		t.Errorf("the game did not take the slot that was held for it: %+v", use)
	}
	game := run.Running()[0]
	r.plies(game, 0)
	r.Perform(game, "alice", lichesstest.Action{Resign: true})
	eventually(t, "the bot makes a pause", func() bool { return r.Arena(id, botName).Paused })
	run.slots.Resize(slots.Limits{Max: 2, ReservedForHumans: 1})
	eventually(t, "the bot goes on", func() bool { return !r.Arena(id, botName).Paused })
	eventually(t, "the next game is on", func() bool { return len(run.Running()) == 1 })
}

// Arenas that are over, for humans, or of another variant are left alone.
func TestArenas_LeftAlone(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	over := r.AddArena(lichesstest.ArenaSpec{Team: crazyBots})
	r.EndArena(over)
	ids := []string{
		over, r.AddArena(lichesstest.ArenaSpec{Team: crazyBots, NoBots: true}),
		r.AddArena(lichesstest.ArenaSpec{Team: crazyBots, Variant: "atomic"}),
	}
	locked := r.AddArena(lichesstest.ArenaSpec{Team: crazyBots, Password: "unknown"})
	r.start(inArenas(matchmaking.ArenaSettings{IDs: slices.Clone(ids), Teams: []string{crazyBots}}))
	eventually(t, "the locked one has refused", func() bool { return r.log.messages("arena entry refused") > 0 })
	eventually(t, "the lists are read again", func() bool { return r.requests("GET /api/team/{id}/arena") > 3 })
	if n := r.requests(endpointArenaJoin); n != 1 {
		t.Errorf("%d tries to join, want one", n)
	}
	for _, id := range append(ids, locked) {
		if r.Arena(id, botName).Joined {
			t.Errorf("joined %s", id)
		}
	}
}

// While no game comes, the bot goes on saying that it waits; when the arena is
// over, it gives the slot back.
func TestArenas_StayToTheEnd(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	id := r.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
	run := r.start(inArenas(matchmaking.ArenaSettings{IDs: []string{id}}))
	eventually(t, "it is asked for a game again and again", func() bool { return r.requests(endpointArenaJoin) > 3 })
	if run.Slots().Games != 1 {
		t.Error("no slot is held")
	}
	r.EndArena(id)
	eventually(t, "the slot is free", func() bool { return run.Slots().Games == 0 })
}

// An arena that the settings name no longer is left; one that they name now is
// joined.
func TestArenas_Reload(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	old, next := r.AddArena(lichesstest.ArenaSpec{}), r.AddArena(lichesstest.ArenaSpec{Password: "secret"})
	run := r.start(inArenas(matchmaking.ArenaSettings{IDs: []string{old, next}, Password: "wrong"}))
	eventually(t, "the first is joined, the other refuses", func() bool {
		return r.Arena(old, botName).Joined && r.log.messages("arena entry refused") == 1
	})
	o := *run.settings()
	o.Matchmaking.Arenas = matchmaking.ArenaSettings{IDs: []string{next}, Password: "secret"}
	run.Reload(o)
	eventually(t, "the other is joined", func() bool { return r.Arena(next, botName).Joined })
	eventually(t, "the first is left", func() bool { return r.Arena(old, botName).Paused && run.Slots().Games == 1 })
}

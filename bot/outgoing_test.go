package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const endpointCancel = "POST /api/challenge/{id}/cancel"

// offered returns what became of the first challenge to a user.
func (r *rig) offered(to string) lichesstest.ReceivedChallenge {
	r.t.Helper()
	list := r.Challenges(to)
	if len(list) == 0 {
		r.t.Fatalf("%s was not challenged", to)
	}
	return list[0]
}

func TestOutgoingChallenges_AreCanceled(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before bool // it was sent before the bot ran, which the event stream does not tell
		fault  func(*lichesstest.Faults)
		change func(*Bot)
		drain  bool
		stop   bool
	}{
		{name: "when nobody answers"},
		{name: "of an earlier run", before: true, fault: inject("fail", lichesstest.When{Class: "challenges", Next: 3, Status: 503}), change: func(b *Bot) { b.timing.matchmaking.AnswerTimeout = time.Hour }},
		{name: "when the reply is lost", fault: inject("lose", lichesstest.When{Class: "challenge", Next: 1})},
		{name: "when the bot drains", change: func(b *Bot) { b.timing.matchmaking.AnswerTimeout = time.Hour }, drain: true},
		{name: "when the bot is stopped", change: func(b *Bot) { b.timing.matchmaking.AnswerTimeout = time.Hour }, stop: true},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.AddUser("alice", "")
			if tt.before {
				r.Challenge(botName, "alice", blitz)
			}
			r.AddHuman("carol", lichesstest.Idle())
			if tt.fault != nil {
				tt.fault(r.Faults)
			}
			bot := r.start(tt.change)
			if !tt.before {
				r.Challenge(botName, "alice", blitz)
				theirs := blitz
				theirs.Variant = "atomic"
				r.Challenge("carol", botName, theirs) // read after our own
				r.decided(1)
			}
			if tt.drain {
				bot.Drain()
			}
			if tt.stop {
				bot.halt()
			}
			waittest.Until(t, "it is taken back", func() bool { return r.offered("alice").Status == "canceled" })
			if !tt.drain && !tt.stop {
				waittest.Until(t, "it is forgotten", func() bool { return len(bot.Status().Challenges) == 0 })
				synctest.Wait() // its event may come before the reply that is counted
				sent := r.requests(endpointCancel)
				bot.halt()
				r.checkRequests(endpointCancel, sent)
			}
			r.checkNoErrors()
		})
	}
}

func TestOutgoingChallenges_AnsweredOnes(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(20, time.Millisecond))
		r.AddHuman("bob", lichesstest.Idle())
		r.AnswerChallenges("bob", declining("later"))
		bot := r.startPeaceful(20)
		id := r.Challenge(botName, "alice", blitz)
		r.Challenge(botName, "bob", blitz)
		r.mated(id)
		waittest.Until(t, "bob has declined", func() bool { return r.offered("bob").Status == "declined" })
		bot.plays()
		bot.halt() // which takes back what is open
		r.checkRequests(endpointCancel, 0)
		if s := r.offered("bob").Status; s != "declined" {
			t.Errorf("the other one is %s", s)
		}
	})
}

// A challenge without a clock does not expire, and one to us is not ours.
func TestOutgoingChallenges_OthersAreIgnored(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddUser("alice", "")
		r.AddUser("bob", "")
		bot := r.start(nil)
		r.Challenge(botName, "alice", lichesstest.ChallengeSpec{Days: 3})
		r.Challenge(botName, "bob", blitz)
		waittest.Until(t, "the one with a clock is taken back", func() bool { return r.offered("bob").Status == "canceled" })
		if s := r.offered("alice").Status; s != "created" {
			t.Errorf("the one without is %s", s)
		}
		bot.halt()
		if s := r.offered("alice").Status; s != "created" {
			t.Errorf("the one without is %s when the bot has stopped", s)
		}
	})
}

// Whoever sent a challenge, and whatever ends its wait, it is taken back once.
func TestOutgoingChallenges_AreCanceledOnce(t *testing.T) {
	for name, end := range map[string]func(*runningBot){
		"by time": func(*runningBot) {}, "by drain": func(b *runningBot) { b.Drain() }, "by the end": func(b *runningBot) { b.halt() },
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.partner("silent", lichesstest.Idle(), silent)
			bot := r.start(withMatchmaking(func(m *config.Matchmaking) {
				m.Pause = config.Range[time.Duration]{Min: day, Max: day}
				if name == "by time" {
					m.Wait = 50 * time.Millisecond
				}
			}))
			waittest.Until(t, "the challenge is sent", func() bool { return len(seen[event.ChallengeSent](r)) == 1 })
			end(bot)
			waittest.Until(t, "the sender knows", func() bool { return len(seen[event.ChallengeClosed](r)) == 1 })
			bot.halt()
			if n := r.requests(endpointCancel); n != 1 || r.offered("silent").Status != "canceled" {
				t.Errorf("taken back %d times, and it is %s", n, r.offered("silent").Status)
			}
			o, closed := opponentOf(bot.opts.State, "silent"), seen[event.ChallengeClosed](r)[0]
			if name != "by time" && o.Refusals != 0 {
				t.Errorf("a challenge we took back counts as a refusal: %+v", o)
			}
			if name == "by time" && (o.Reason != opponent.NoAnswer || closed.Outcome != event.Declined || closed.Rule != opponent.NoAnswer) {
				t.Errorf("remembered %+v, closed %+v", o, closed)
			}
		})
	}
}

const (
	endpointArenaJoin = "POST /api/tournament/{id}/join"
	crazyBots         = "crazy-bots"
)

// inArenas lets a bot play in arenas.
func inArenas(terms config.Arenas) func(*Bot) {
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
		terms func(id string) config.Arenas
	}{
		{"by id", lichesstest.ArenaSpec{Password: "secret"}, func(id string) config.Arenas {
			return config.Arenas{IDs: []string{id}, Password: "secret"}
		}},
		{"ahead", lichesstest.ArenaSpec{Team: crazyBots, StartsIn: 200 * time.Millisecond}, func(string) config.Arenas { return config.Arenas{Teams: []string{crazyBots}} }},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(6, 0))
			id := r.arena(tt.spec)
			run := r.start(inArenas(tt.terms(id)))
			r.archived(2)
			run.drain()
			if state := r.Arena(id, botName); !state.Joined || !state.Paused {
				t.Errorf("after the drain: %+v", state)
			}
			if left := r.Playing(botName); len(left) != 0 {
				t.Errorf("games left: %v", left)
			}
		})
	}
}

// Without a free slot the bot makes a pause, and goes on when there is one.
func TestArenas_Pause(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", lichesstest.Idle())
		r.AddHuman("bob", lichesstest.Idle())
		id := r.AddArena(lichesstest.ArenaSpec{Limit: time.Minute})
		run := r.start(func(b *Bot) {
			b.games.Resize(config.Games{Max: 2, ReservedForHumans: 1})
			inArenas(config.Arenas{IDs: []string{id}})(b)
		})
		waittest.Until(t, "the bot is in", func() bool { return r.Arena(id, botName).Joined })
		if games := run.Running(); len(games) != 0 {
			t.Errorf("the slot that is held counts as a game: %v", games)
		}
		run.games.Resize(config.Games{Max: 1, ReservedForHumans: 1})
		r.EnterArena(id, "alice")
		waittest.Until(t, "a game is in progress", func() bool { return len(run.Running()) == 1 })
		if use := run.Slots(); use.Games != 1 {
			t.Errorf("the game did not take the slot that was held for it: %+v", use)
		}
		first := run.Running()[0]
		r.plies(first, 0)
		r.Perform(first, "alice", lichesstest.Action{Resign: true})
		waittest.Until(t, "the bot makes a pause", func() bool { return r.Arena(id, botName).Paused })
		run.games.Resize(config.Games{Max: 2, ReservedForHumans: 1})
		waittest.Until(t, "the bot goes on", func() bool { return !r.Arena(id, botName).Paused })
		waittest.Until(t, "the next game is in progress", func() bool { return len(run.Running()) == 1 })
	})
}

// After leaving an arena one can join none for a while: it is tried until that is over.
func TestArenas_PausedAndResumed(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		id := r.AddArena(lichesstest.ArenaSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second})
		run := r.start(inArenas(config.Arenas{IDs: []string{id}}))
		waittest.Until(t, "the arena is joined", func() bool { return r.Arena(id, botName).Joined })
		for _, joins := range []int{3, 6, 10} { // in all
			run.pause(false)
			waittest.Until(t, "the arena is left", func() bool { return r.Arena(id, botName).Paused })
			run.resume()
			waittest.Until(t, "the arena is joined again", func() bool { return !r.Arena(id, botName).Paused })
			synctest.Wait()
			r.checkRequests(endpointArenaJoin, joins)
		}
	})
}

// A drain waits for an arena that is being left: one may have paired us just before.
func TestArenas_DrainWhileLeaving(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(6, 0))
		id := r.AddArena(lichesstest.ArenaSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second})
		run := r.start(inArenas(config.Arenas{IDs: []string{id}}))
		waittest.Until(t, "the arena is joined", func() bool { return r.Arena(id, botName).Joined })
		r.Faults.Inject("fail", lichesstest.When{Class: "arena", Next: 1 << 30, Status: 503})
		o := *run.settings()
		o.Matchmaking.Arenas = config.Arenas{}
		run.Reload(&o)
		waittest.Until(t, "the arena cannot be left", func() bool { return r.requests("POST /api/tournament/{id}/withdraw") > 0 })
		r.MuteEvents(botName, false)
		r.EnterArena(id, "alice")
		run.drain()
		if left := r.Playing(botName); len(left) != 0 || len(r.archive.saved()) != 1 {
			t.Errorf("games left: %v, recorded: %d", left, len(r.archive.saved()))
		}
	})
}

package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const endpointCancel = "POST /api/challenge/{id}/cancel"

// becomes waits until the first challenge to a user has a status.
func (r *rig) becomes(to, status string) {
	r.t.Helper()
	r.until("the challenge to "+to+" is "+status, func() bool {
		list := r.Challenges(to)
		return len(list) > 0 && list[0].Status == status
	})
}

// A challenge that the bot did not send is cancelled, but those without a clock, which do not
// expire, and those that are answered, even when the bot ends.
func TestOutgoingChallenges_AreCanceled(t *testing.T) {
	for name, tt := range map[string]struct {
		before bool // it was sent before the bot ran, which the event stream does not tell
		fault  []string
		wait   time.Duration
		end    func(*runningBot)
	}{
		"when nobody answers":     {false, nil, 0, nil},
		"of an earlier run":       {true, []string{"fail challenges x3 503"}, time.Hour, nil},
		"when the reply is lost":  {false, []string{"lose challenge x1"}, 0, nil},
		"when the bot drains":     {false, nil, time.Hour, func(b *runningBot) { b.Drain() }},
		"when the bot is stopped": {false, nil, time.Hour, (*runningBot).halt},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.AddUser("alice", "")
			r.AddUser("slow", "")
			r.AddHuman("bob", lichesstest.Idle())
			r.AnswerChallenges("bob", declining("later"))
			r.AddHuman("carol", peaceful(20, time.Millisecond))
			r.fault(tt.fault...)
			send := func() {
				r.Challenge(botName, "alice", terms(""))
				r.Challenge(botName, "slow", terms("3d"))
			}
			if tt.before {
				send()
			}
			bot := r.start(func(b *setup) {
				b.opts.Engine = &fakeEngine{peace: 20}
				if tt.wait > 0 {
					b.timing.matchmaking.AnswerTimeout = tt.wait
				}
			})
			if !tt.before {
				send()
			}
			r.Challenge(botName, "bob", terms(""))
			r.mated(r.Challenge(botName, "carol", terms("")))
			r.becomes("bob", "declined")
			if tt.end != nil {
				tt.end(bot)
			}
			r.becomes("alice", "canceled")
			if tt.end == nil {
				r.until("it is forgotten", func() bool { return len(bot.Status().Challenges) == 0 })
			}
			synctest.Wait() // its event may come before the reply that is counted
			sent := r.requests(endpointCancel)
			bot.halt()
			r.checkRequests(endpointCancel, sent)
			r.becomes("slow", "created")
			r.becomes("bob", "declined")
			r.checkNoErrors()
		})
	}
}

// Whoever sent a challenge, and whatever ends its wait, it is taken back once.
func TestOutgoingChallenges_AreCanceledOnce(t *testing.T) {
	for name, end := range map[string]func(*rig, *runningBot){
		"by time": func(*rig, *runningBot) {}, "by drain": func(_ *rig, b *runningBot) { b.Drain() },
		"by the end":         func(_ *rig, b *runningBot) { b.halt() },
		"by matchmaking off": func(_ *rig, b *runningBot) { b.SetMatchmaking(false) },
		"by a block": func(_ *rig, b *runningBot) {
			b.reload(func(c *config.Config) { c.Challenges.Block = []string{"silent"} })
		},
		"by a person": func(r *rig, _ *runningBot) {
			r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: time.Minute})
		},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.partner("silent", lichesstest.Idle(), silent)
			r.AddHuman("alice", lichesstest.Idle())
			configure := withMatchmaking(func(m *config.Matchmaking) {
				m.Pause = config.Range[time.Duration]{Min: day, Max: day}
				if name == "by time" {
					m.Wait = 50 * time.Millisecond
				}
			})
			bot := r.start(func(b *setup) {
				configure(b)
				b.settings().Games.Max = 1
			})
			await[event.ChallengeSent](r, 1)
			end(r, bot)
			closed := await[event.ChallengeClosed](r, 1)[0]
			bot.halt()
			r.checkRequests(endpointCancel, 1)
			r.becomes("silent", "canceled")
			o := opponentOf(bot.opts.State, "silent")
			if name != "by time" && o.Refusals != 0 {
				t.Errorf("a challenge we took back counts as a refusal: %+v", o)
			}
			if name == "by time" && (o.Reason != opponent.NoAnswer || closed.Outcome != event.Declined ||
				closed.Rule != opponent.NoAnswer) {
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
func inArenas(terms config.Arenas) func(*setup) {
	return func(b *setup) { b.settings().Matchmaking.Arenas = terms }
}

// inArena waits until our bot plays in an arena, or does not.
func (r *rig) inArena(id string, want bool) {
	r.t.Helper()
	fixture.Until(r.t, "the arena is joined or left", func() bool {
		state := r.Arena(id, botName)
		return (state.Joined && !state.Paused) == want
	})
}

// The bot joins, plays game after game, and withdraws when it drains.
func TestArenas_PlayUntilDrain(t *testing.T) {
	spec := lichesstest.ArenaSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true, Password: "secret"}
	ahead := spec
	ahead.Password, ahead.Team, ahead.StartsIn = "", crazyBots, 200*time.Millisecond
	for terms, spec := range map[*config.Arenas]lichesstest.ArenaSpec{{Password: "secret"}: spec,
		{Teams: []string{crazyBots}}: ahead} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(6, 0))
			id := r.AddArena(spec)
			r.EnterArena(id, "alice")
			if len(terms.Teams) == 0 {
				terms.IDs = []string{id}
			}
			run := r.start(inArenas(*terms))
			r.archived(2)
			run.drain()
			r.inArena(id, false)
			if left := r.Playing(botName); len(left) != 0 {
				t.Errorf("games left: %v", left)
			}
		})
	}
}

// Without a free slot the bot makes a pause, and goes on when there is one. After leaving an
// arena one can join none for a while: it is tried until that is over. A drain waits for an
// arena that is being left: one may have paired us just before.
func TestArenas_PauseAndLeave(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", lichesstest.Idle())
		id := r.AddArena(lichesstest.ArenaSpec{Name: "Zh", Limit: 3 * time.Minute, Increment: 2 * time.Second})
		run := r.start(func(b *setup) {
			b.settings().Games = config.Games{Max: 2, ReservedForHumans: 1}
			inArenas(config.Arenas{IDs: []string{id}})(b)
		})
		r.inArena(id, true)
		run.plays() // the slot that is held is no game
		run.games.Resize(config.Games{Max: 1, ReservedForHumans: 1})
		r.EnterArena(id, "alice")
		r.until("a game is in progress", func() bool { return len(run.Running()) == 1 })
		if use := run.Slots(); use.Games != 1 {
			t.Errorf("the game did not take the slot that was held for it: %+v", use)
		}
		first := run.Running()[0]
		r.until("the game is shown in its arena", func() bool {
			games := run.Status().Games
			return len(games) == 1 && games[0].Arena == "Zh"
		})
		r.Perform(first, "alice", lichesstest.Action{Resign: true})
		r.inArena(id, false)
		run.games.Resize(config.Games{Max: 2, ReservedForHumans: 1})
		r.inArena(id, true)
	})
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(6, 0))
		id := r.AddArena(lichesstest.ArenaSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second})
		run := r.start(inArenas(config.Arenas{IDs: []string{id}}))
		r.inArena(id, true)
		for _, joins := range []int{3, 6, 10} { // in all
			run.pause(false)
			r.inArena(id, false)
			run.resume()
			r.inArena(id, true)
			synctest.Wait()
			r.checkRequests(endpointArenaJoin, joins)
		}
		r.fault("fail arena x1000000 503")
		run.reload(func(c *config.Config) { c.Matchmaking.Arenas = config.Arenas{} })
		r.until("the arena cannot be left", func() bool { return r.requests("POST /api/tournament/{id}/withdraw") > 3 })
		r.MuteEvents(botName, false)
		r.EnterArena(id, "alice")
		run.drain()
		if left := r.Playing(botName); len(left) != 0 || len(r.archive.saved()) != 1 {
			t.Errorf("games left: %v, recorded: %d", left, len(r.archive.saved()))
		}
	})
}

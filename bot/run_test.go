package bot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestRun_Refused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		token func(*rig) string
		want  string
	}{
		{"bad token", func(*rig) string { return "lip_nobody" }, "No such token"},
		{"not a bot", func(r *rig) string { return r.AddUser("alice", "", "bot:play") }, "alice is not a BOT account: run \"zhbot upgrade\" once"},
		{"no scope", func(r *rig) string { return r.AddUser("bob", "BOT", "challenge:read") }, "lacks the scope bot:play; it has challenge:read"},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			b := New(Options{Client: r.clientOf(tt.token(r), nil), Engine: &fakeEngine{}}, &config.Config{Games: config.Games{Max: 1}})
			if err := b.Run(t.Context()); !IsRefused(err) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A page for maintenance, whatever its status, is waited out.
func TestRun_WebPageAtStart(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.Faults.Inject("fail", lichesstest.When{Class: "account", Next: 1, Status: 200})
		if bot := r.start(nil); bot.ended() {
			t.Errorf("ended with %v", bot.wait())
		}
	})
}

// A revoked token ends the bot, also while a game is in progress: the server leaves streams
// open, and refuses the next request.
func TestRun_TokenRevoked(t *testing.T) {
	for name, refuse := range map[string]func(*rig){
		"idle": func(r *rig) {
			r.Revoke(r.token)
			r.Restart(time.Millisecond)
		},
		"in a game": func(r *rig) {
			r.AddHuman("alice", peaceful(1000, time.Millisecond))
			r.plies(r.Challenge("alice", botName, blitz), 4)
			r.Revoke(r.token)
		},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			bot := r.startPeaceful(1000)
			refuse(r)
			if err := bot.wait(); !errors.Is(err, lichess.ErrUnauthorized) {
				t.Errorf("got %v, want %v", err, lichess.ErrUnauthorized)
			}
			if strings.Contains(r.log.String(), r.token) || strings.Contains(bot.err.Error(), r.token) {
				t.Error("the token is in the log")
			}
		})
	}
}

func TestRun_StopsWhileServerIsAway(t *testing.T) {
	for name, stop := range map[string]func(*runningBot){"stopped": func(b *runningBot) { b.stop() }, "drained": func(b *runningBot) { b.Drain() }} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.Faults.Inject("fail", lichesstest.When{Class: "account", Next: 1000, Status: 503})
			b := r.launch(nil)
			time.Sleep(time.Second)
			stop(b)
			if err := b.wait(); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

// TestRun_ResumesGamesWithoutEventStream shows that games in play do not wait for
// the event stream, nor the other way round.
func TestRun_ResumesGamesWithoutEventStream(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(40, time.Millisecond))
		first := r.startPeaceful(40)
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 4)
		first.halt()
		r.Faults.Inject("fail", lichesstest.When{Class: "events", Next: 1 << 30, Status: 503})
		r.launch(nil)
		r.finished(id)
	})
}

func TestRun_EventStreamStaysWithinLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const burst = 3
		r := newRig(t, lichesstest.Options{})
		r.Faults.Inject("cut", lichesstest.When{Chance: 1})
		bot := r.start(func(b *Bot) {
			b.timing.openings = record.Rate{Burst: burst, Interval: time.Hour}
		})
		r.AddHuman("alice", lichesstest.Idle())
		r.Challenge("alice", botName, blitz) // its line is cut, and again after each opening
		waittest.Until(t, "the event stream is cut", func() bool { return len(seen[event.StreamLost](r)) == burst })
		r.checkRequests(endpointEventStream, burst)
		bot.halt() // also while it waits to open
	})
}

func TestRun_EventsMissed(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(10, 0))
		r.start(nil)
		r.cut() // the line with the challenge
		r.finished(r.Challenge("alice", botName, blitz))
		r.Faults.Inject("stall", lichesstest.When{Next: 1})
		r.finished(r.Challenge("alice", botName, blitz))
	})
}

func TestRun_BlackHoleOverTLS(t *testing.T) {
	t.Parallel()
	r := newTLSServer(t).newRig(t)
	r.AddHuman("alice", peaceful(60, 2*time.Millisecond))
	r.start(func(b *Bot) {
		b.opts.Engine, b.timing.games.Stream.FirstEvent.Initial = &fakeEngine{peace: 60}, 500*time.Millisecond
	})
	id := r.Challenge("alice", botName, blitz)
	r.plies(id, 4)
	r.Faults.Inject("hole", lichesstest.When{Next: 1})
	r.cut()
	r.mated(id)
}

func TestDrain(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(40, 2*time.Millisecond))
		bot := r.startPeaceful(40)
		letter := r.begin("alice", withColor(lichesstest.ChallengeSpec{Days: 3}, "black")).id
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 4)
		bot.Drain()
		bot.Drain()
		r.Challenge("alice", botName, blitz)
		r.declined("later", 1)
		if err := bot.wait(); err != nil {
			t.Error(err)
		}
		if result, _ := r.Game(id); result.Status == "started" {
			t.Error("the bot left a game with a clock")
		}
		if result, _ := r.Game(letter); result.Status == "started" && !slices.Equal(bot.Running(), []string{letter}) {
			t.Errorf("left %v, want %s", bot.Running(), letter)
		}
		if len(r.archive.saved()) == 0 {
			t.Error("the last game was not archived")
		}
	})
}

func TestDrain_Timeout(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", lichesstest.Idle())
		bot := r.start(func(b *Bot) { b.settings().Games.DrainTimeout = 10 * time.Millisecond })
		id := r.Challenge("alice", botName, withColor(blitz, "white"))
		waittest.Until(t, "the game is in progress", func() bool { return len(bot.Running()) == 1 })
		bot.drain()
		if got := bot.Running(); !slices.Equal(got, []string{id}) {
			t.Errorf("left %v, want %s", got, id)
		}
	})
}

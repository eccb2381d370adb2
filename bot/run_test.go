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
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestRun_Refused(t *testing.T) {
	for want, token := range map[string]func(*rig) string{
		"No such token": func(*rig) string { return "lip_nobody" },
		"alice is not a BOT account: run \"zhbot setup\"": func(r *rig) string {
			return r.AddUser("alice",
				"", "bot:play")
		},
		"lacks the scope bot:play; it has challenge:read": func(r *rig) string {
			return r.AddUser("bob",
				"BOT", "challenge:read")
		},
	} {
		runInBubble(t, want, func(t *testing.T, r *rig) {
			b := New(Options{Client: r.clientOf(token(r), nil), Engine: &fakeEngine{}},
				&config.Config{Games: config.Games{Max: 1}})
			if err := b.Run(t.Context()); !IsRefused(err) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// A page for maintenance, whatever its status, is waited out.
func TestRun_WebPageAtStart(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.fault("fail account x1 200")
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
			r.plies(r.challenge("alice", ""), 4)
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
	for name, stop := range map[string]func(*runningBot){
		"stopped": func(b *runningBot) { b.stop() }, "drained": func(b *runningBot) { b.Drain() },
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.fault("fail account x1000 503")
			b := r.launch(nil)
			time.Sleep(time.Second)
			stop(b)
			if err := b.wait(); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

func TestRun_EventStreamStaysWithinLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		const burst = 3
		r.fault("cut 100%")
		bot := r.start(func(b *setup) { b.timing.openings = record.Rate{Burst: burst, Interval: time.Hour} })
		r.AddHuman("alice", lichesstest.Idle())
		r.challenge("alice", "") // its line is cut, and again after each opening
		await[event.StreamLost](r, burst)
		r.checkRequests(endpointEventStream, burst)
		time.Sleep(time.Second)
		bot.halt() // also while it waits to open
	})
}

func TestRun_EventsMissed(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(10, 0))
		r.start(nil)
		for _, fault := range []string{"cut x1", "stall x1"} { // the line with the challenge
			r.fault(fault)
			r.finished(r.challenge("alice", ""))
		}
	})
}

// A drain lets games with a clock end, and leaves the others, or what remains after the timeout,
// to the next start.
func TestDrain(t *testing.T) {
	for name, timeout := range map[string]time.Duration{"forever": 0, "timeout": 10 * time.Millisecond,
		"reloaded": 10 * time.Millisecond} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(40, 2*time.Millisecond))
			bot := r.start(func(b *setup) {
				b.opts.Engine = &fakeEngine{peace: 40}
				if name != "reloaded" {
					b.settings().Games.DrainTimeout = timeout
				}
			})
			r.AddHuman("bob", lichesstest.Idle())
			left := []string{r.begin("bob", "white 3d").id}
			id := r.challenge("alice", "")
			r.plies(id, 4)
			bot.Drain()
			bot.Drain()
			if name == "reloaded" {
				synctest.Wait()
				bot.reload(func(c *config.Config) { c.Games.DrainTimeout = timeout })
			}
			if timeout == 0 {
				r.challenge("alice", "")
				r.declined("later", 1)
			}
			err := bot.wait()
			if timeout > 0 {
				left = append(left, id)
			}
			running := bot.Running()
			slices.Sort(left)
			slices.Sort(running)
			if err != nil || !slices.Equal(running, left) {
				t.Errorf("left %v, want %v: %v", running, left, err)
			}
			if n := len(r.archive.saved()); timeout == 0 && n == 0 {
				t.Error("the last game was not archived")
			}
		})
	}
}

// A drain that begins before the games in progress are known waits for them.
func TestDrain_BeforeGamesAreListed(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(20, 2*time.Millisecond))
		first := r.startPeaceful(20)
		id := r.begin("alice", "").id
		r.plies(id, 4)
		first.halt()
		synctest.Wait() // for the move that was on its way
		known := make(chan struct{})
		bot := r.launch(func(b *setup) {
			b.opts.Engine = &fakeEngine{peace: 20}
			b.opts.Observe = func(e event.Event) {
				if _, ok := e.(event.LoggedIn); ok {
					r.fault("fail account x3 503") // the list of games
					close(known)
				}
			}
		})
		<-known
		bot.Drain()
		if err := bot.wait(); err != nil {
			t.Error(err)
		}
		if result := r.finished(id); result.Status == "outoftime" || len(bot.Running()) > 0 {
			t.Errorf("ended by %s; left %v", result.Status, bot.Running())
		}
	})
}

// New games do not wait for a slow engine longer than they must, and its name is shown.
func TestRun_EngineNotReady(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("rival", lichesstest.Idle())
		b := r.start(func(b *setup) {
			b.opts.Program = func() string { return "slow" }
			b.opts.AwaitEngine = func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			}
		})
		time.Sleep(engineWait - 10*time.Second)
		began := time.Now()
		if r.begin("rival", ""); time.Since(began) < 9*time.Second {
			t.Error("a game began too early")
		}
		if program := b.Status().Program; program != "slow" {
			t.Errorf("searched by %q", program)
		}
	})
}

// An engine that cannot be used ends the bot, at once or after its games; it drains as any other.
func TestRun_EngineUnusable(t *testing.T) {
	missing := errors.New("no such program")
	unusable := func(b *setup) { b.opts.AwaitEngine = func(context.Context) error { return missing } }
	inBubble(t, func(t *testing.T, r *rig) {
		if err := r.start(unusable).wait(); !errors.Is(err, missing) {
			t.Errorf("Run returned %v, want %v", err, missing)
		}
	})
	for _, drains := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			before := r.start(nil)
			o := r.challengeAsHuman("white")
			before.halt()
			bot := r.start(unusable)
			bot.plays(o.id)
			if drains {
				bot.Drain()
			}
			o.perform(lichesstest.Action{Abort: true})
			if err := bot.wait(); (err == nil) != drains || err != nil && !errors.Is(err, missing) {
				t.Errorf("drains %t: %v", drains, err)
			}
		})
	}
}

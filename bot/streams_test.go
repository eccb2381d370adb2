package bot

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A stray refusal of what stands before the server ends no game.
func TestRun_StrayRefusals(t *testing.T) {
	for _, status := range []int{400, 401, 404} {
		runInBubble(t, fmt.Sprint(status), func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(30, 2*time.Millisecond))
			r.startPeaceful(30)
			r.Faults.Inject("fail", lichesstest.When{Class: "game", Next: 3, Status: status})
			id := r.Challenge("alice", botName, blitz)
			r.plies(id, 6)
			r.Faults.Inject("fail", lichesstest.When{Class: "game", Next: 3, Status: status})
			r.cut()
			r.finished(id)
			if n := len(seen[event.GameAbandoned](r)); n != 0 {
				t.Errorf("given up %d times", n)
			}
		})
	}
}

// One refusal of the token by mistake ends neither the bot nor a game.
func TestRun_TokenRefusedByMistake(t *testing.T) {
	checkEachClass(t, "fail", lichesstest.When{Status: 401, Text: "No such token"}, func(t *testing.T, r *rig) {
		if r.requests(endpointTokenTest) < 2 {
			t.Error("the token was not tested")
		}
	})
}

// Nor does an answer that switches protocols, which would never end; the bot's own end does
// not wait for it, either.
func TestRun_SwitchedProtocols(t *testing.T) {
	checkEachClass(t, "switch", lichesstest.When{}, func(*testing.T, *rig) {})
}

// Fields that are only shown keep the bot from nothing, whatever their types: neither at its
// start beside a game in progress nor when the event stream has to be opened again.
func TestRun_OddTypes(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.Faults.Inject("types", lichesstest.When{Chance: 1})
		for _, name := range []string{"alice", "bob", "carol"} {
			r.AddHuman(name, peaceful(30, time.Second))
		}
		engine := func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 30} }
		bot := r.start(engine)
		games := []string{r.begin("alice", blitz).id}
		r.plies(games[0], 6)
		bot.halt()
		r.start(engine)
		games = append(games, r.begin("bob", blitz).id)
		r.Restart(time.Millisecond)
		games = append(games, r.begin("carol", blitz).id)
		r.mated(games...)
	})
}

// checkEachClass has a fault happen to one request of each class, while a game is played.
func checkEachClass(t *testing.T, fault string, when lichesstest.When, check func(*testing.T, *rig)) {
	t.Helper()
	restart := func(r *rig, _ *runningBot) { r.Restart(time.Millisecond) }
	for class, trigger := range map[string]func(*rig, *runningBot){
		"move":      func(*rig, *runningBot) {},
		"account":   func(_ *rig, b *runningBot) { b.games.RequestSync() },
		"game":      restart,
		"events":    restart,
		"challenge": func(r *rig, _ *runningBot) { r.begin("bob", blitz) },
	} {
		runInBubble(t, class, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(30, time.Second))
			r.AddHuman("bob", peaceful(30, time.Second))
			bot := r.startPeaceful(30)
			id := r.Challenge("alice", botName, blitz)
			r.plies(id, 6)
			when.Class, when.Next = class, 1
			r.Faults.Inject(fault, when)
			trigger(r, bot)
			if end := r.finished(id); end.Status != "mate" || bot.ended() {
				t.Errorf("the game ended by %s, the bot: %t", end.Status, bot.ended())
			}
			check(t, r)
		})
	}
}

// After an outage whatever finds the server back first wakes all games, long before
// their own pauses are over.
func TestRun_BackAfterOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(1000, time.Millisecond))
		r.start(func(b *Bot) {
			b.opts.Engine = &fakeEngine{peace: 1000}
			b.timing.games.Stream.Reopen = event.Backoff{Initial: time.Hour, Max: time.Hour}
			b.timing.games.Stream.ReopenEarlyMax = time.Hour
		})
		id := r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: 3 * time.Hour})
		r.plies(id, 4)
		r.Restart(500 * time.Millisecond)
		before, _ := r.Game(id)
		r.plies(id, len(before.Moves)+10)
	})
}

// A 429 that asks for more than the clock has costs no game, neither of the
// stream nor of the moves.
func TestRun_LimitedLongerThanTheClock(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(30, 0))
		r.startPeaceful(30)
		id := r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: 4 * time.Second})
		r.plies(id, 4)
		r.Faults.Inject("limit", lichesstest.When{Class: "game", For: time.Second, Style: lichesstest.LimitPlain}) // for a minute, as far as one knows
		r.Faults.Inject("limit", lichesstest.When{Class: "move", For: 500 * time.Millisecond, Style: lichesstest.LimitPlain})
		r.cut()
		r.mated(id)
	})
}

// Two programs with one token end each other's event stream. Both say so, and
// games go on.
func TestRun_Duplicate(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(20, 0))
		r.start(nil)
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 2)
		r.start(func(b *Bot) { b.opts.Archive = nil })
		waittest.Until(t, "the second instance is seen", func() bool { return len(seen[event.Duplicate](r)) > 0 })
		if d := seen[event.Duplicate](r)[0]; d.Game != "" || d.RetryIn < 30*time.Second {
			t.Errorf("it is reported as %+v", d)
		}
		r.finished(id)
	})
}

// A server that restarts is no second instance, however often.
func TestRun_RestartIsNoDuplicate(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(nil)
		for n := range 3 {
			r.Restart(300 * time.Millisecond)
			waittest.Until(t, "the stream is open again", func() bool { return len(seen[event.StreamOpened](r)) == n+2 })
		}
		if n := len(seen[event.Duplicate](r)); n != 0 {
			t.Errorf("a second instance was seen %d times", n)
		}
		if opened := seen[event.StreamOpened](r); opened[0].Reopened || !opened[3].Reopened {
			t.Errorf("opened %+v", opened)
		}
		r.checkRequests(endpointEventStream, 4)
	})
}

// Two programs that play the same game end each other's stream of it: that is
// noticed, and the stream is not opened all the time.
func TestRun_DuplicateInAGame(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", lichesstest.Idle())
		r.start(func(b *Bot) {
			b.timing.games.Stream.DuplicateBackoff = event.Backoff{Initial: time.Hour, Max: time.Hour}
			b.timing.games.SyncLive = time.Hour
		})
		id := r.Challenge("alice", botName, withColor(lichesstest.ChallengeSpec{Days: 3}, "white"))
		other := r.clientOf(r.token, nil)
		if _, err := other.Account(t.Context()); err != nil { // for the same User-Agent
			t.Fatal(err)
		}
		opened := func() int {
			return len(slices.DeleteFunc(seen[event.StreamOpened](r), func(e event.StreamOpened) bool { return e.Game != id }))
		}
		for n := range 4 {
			waittest.Until(t, "the game's stream is open", func() bool { return opened() == n+1 })
			stream, err := other.StreamGame(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			if _, err := stream.Next(); err != nil {
				t.Fatal(err)
			}
			if n < 3 {
				continue
			}
			waittest.Until(t, "the stream is left to the other program", func() bool {
				lost := seen[event.StreamLost](r)
				return len(lost) > 0 && lost[len(lost)-1].RetryIn > time.Minute
			})
		}
		if d := seen[event.Duplicate](r); len(d) != 1 || d[0].Game != id {
			t.Errorf("noticed as %+v, want once a minute", d)
		}
	})
}

// A stream misses a move: nothing but the list of games in play ever tells.
func TestGame_FindsAMissedMove(t *testing.T) {
	for _, tt := range []struct {
		name   string
		color  string // the person's
		change func(*Bot)
	}{
		{"of the opponent", "white", func(b *Bot) { b.timing.games.SyncLive = 50 * time.Millisecond }},
		{"the first, before an abort", "white", func(b *Bot) { b.settings().Games.AbortAfter = 10 * time.Second }},
		{"of ours", "black", nil},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.start(tt.change)
			r.Faults.Inject("miss", lichesstest.When{Next: 1})
			p := r.challengeAsHuman(withColor(blitz, tt.color))
			if tt.color == "white" {
				r.joined(p.id)
				p.exchange("e2e4")
			} else {
				r.plies(p.id, 1)
			}
			waittest.Until(t, "the game is read again", func() bool { return r.requests(endpointGameStream) > 1 })
			if result, _ := r.Game(p.id); result.Status != "started" {
				t.Errorf("ended by %s", result.Status)
			}
			synctest.Wait()
			r.checkRequests(endpointGameStream, 2)
		})
	}
}

// The first line of a stream may come after that of a later move: no takeback.
func TestGame_OlderFirstLineIsNoTakeback(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(nil)
		r.Faults.Inject("late", lichesstest.When{Next: 1})
		p := r.challengeAsHuman(withColor(blitz, "white"))
		waittest.Until(t, "the stream is being opened", func() bool { return r.requests(endpointGameStream) == 1 })
		p.exchange("e2e4")
		p.exchange("g1f3")
		r.checkRequests(endpointGameStream, 1)
	})
}

// A game that ends while its stream is being opened sends its last line first.
func TestGame_EndsBeforeItsFirstLine(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		bot := r.start(nil)
		r.Faults.Inject("late", lichesstest.When{Next: 1})
		p := r.challengeAsHuman(withColor(blitz, "white"))
		waittest.Until(t, "the stream is being opened", func() bool { return r.requests(endpointGameStream) == 1 })
		p.perform(lichesstest.Action{Abort: true})
		bot.plays()
	})
}

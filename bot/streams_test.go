package bot

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Two programs with one token end each other's event stream. Both say so, and
// games go on. A server that restarts is no second program, however often.
func TestRun_Duplicate(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(20, 0))
		r.start(nil)
		id := r.challenge("alice", "")
		r.plies(id, 2)
		r.start(func(b *setup) { b.opts.Archive = nil })
		if d := await[event.Duplicate](r, 1)[0]; d.Game != "" || d.RetryIn < 30*time.Second {
			t.Errorf("it is reported as %+v", d)
		}
		r.finished(id)
	})
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(nil)
		for n := range 3 {
			r.Restart(300 * time.Millisecond)
			await[event.StreamOpened](r, n+2)
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
		r.start(func(b *setup) {
			b.timing.games.Stream.DuplicateBackoff = event.Backoff{Initial: time.Hour, Max: time.Hour}
			b.timing.games.SyncLive = time.Hour
		})
		id := r.challenge("alice", "white 3d")
		other := r.clientOf(r.token, nil)
		_, err := other.Account(t.Context()) // for the same User-Agent
		r.must(err)
		for n := range 4 {
			await[event.StreamOpened](r, n+2)
			stream, err := other.StreamGame(t.Context(), id)
			r.must(err)
			defer stream.Close()
			_, err = stream.Next()
			r.must(err)
		}
		r.until("the stream is left to the other program", func() bool {
			return slices.ContainsFunc(seen[event.StreamLost](r),
				func(e event.StreamLost) bool { return e.RetryIn > time.Minute })
		})
		if d := seen[event.Duplicate](r); len(d) != 1 || d[0].Game != id {
			t.Errorf("noticed as %+v, want once a minute", d)
		}
	})
}

// A stream misses a move: nothing but the list of games in play ever tells.
func TestGame_FindsAMissedMove(t *testing.T) {
	for name, tt := range map[string]struct {
		color  string // the person's
		change func(*setup)
	}{
		"of the opponent":            {"white", func(b *setup) { b.timing.games.SyncLive = 50 * time.Millisecond }},
		"the first, before an abort": {"white", func(b *setup) { b.settings().Games.AbortAfter = 10 * time.Second }},
		"of ours":                    {"black", nil},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(tt.change)
			r.fault("miss x1")
			p := r.challengeAsHuman(tt.color)
			if tt.color == "white" {
				r.joined(p.id)
				p.exchange("e2e4")
			} else {
				r.plies(p.id, 1)
			}
			r.until("the game is read again", func() bool { return r.requests(endpointGameStream) > 1 })
			if result, _ := r.Game(p.id); result.Status != "started" {
				t.Errorf("ended by %s", result.Status)
			}
			synctest.Wait()
			r.checkRequests(endpointGameStream, 2)
		})
	}
}

// The first line of a stream may come after that of a later move, which is no takeback; that of
// a game that ends meanwhile is its last.
func TestGame_LateFirstLine(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		bot := r.start(nil)
		for n := range 2 {
			r.fault("late x1")
			p := r.challengeAsHuman("white")
			r.until("the stream is being opened", func() bool { return r.requests(endpointGameStream) == n+1 })
			if n == 0 {
				p.exchange("e2e4", "g1f3")
				p.resign()
			} else {
				p.perform(lichesstest.Action{Abort: true})
			}
			bot.plays()
			r.checkRequests(endpointGameStream, n+1)
		}
	})
}

package bot

import (
	"errors"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/retry"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestReachability(t *testing.T) {
	r := newReachability()
	back := r.onRecovery()
	isBack := func(back <-chan struct{}) bool {
		select {
		case <-back:
			return true
		default:
			return false
		}
	}
	r.record(&lichess.APIError{StatusCode: 404, Explained: true})
	r.record(errors.New("of our own"))
	r.record(nil)
	if isBack(back) {
		t.Error("back although it never was away")
	}
	r.record(&lichess.NetworkError{Err: errors.New("no route")})
	r.record(&lichess.APIError{StatusCode: 502})
	r.record(&lichess.APIError{StatusCode: 404, Explained: true})
	if isBack(back) {
		t.Error("back although nothing has succeeded")
	}
	r.record(nil)
	if !isBack(back) || isBack(r.onRecovery()) {
		t.Error("not back, or already back from the next time")
	}
}

// After an outage whatever finds the server back first wakes all games, long before
// their own pauses are over.
func TestRun_BackAfterOutage(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(1000, time.Millisecond))
	r.start(func(b *Bot) {
		b.opts.Engine = &fakeEngine{peace: 1000}
		b.timing.gameRetry = retry.Backoff{Initial: time.Hour, Max: time.Hour}
		b.timing.gameRetryEarlyMax = time.Hour
	})
	id := r.Challenge("alice", botName, lichesstest.ChallengeSpec{Limit: 3 * time.Hour})
	r.plies(id, 4)
	r.Restart(500 * time.Millisecond)
	before, _ := r.Game(id)
	r.plies(id, len(before.Moves)+10)
}

package bot

import (
	"io"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestRefusedStreams_Persist(t *testing.T) {
	forbidden := &lichess.APIError{StatusCode: 403}
	missing := &lichess.APIError{StatusCode: 404}
	bad := &lichess.APIError{StatusCode: 400}
	down := &lichess.APIError{StatusCode: 502}
	type step struct {
		after time.Duration
		err   error // nil: the stream was open
		want  bool
	}
	for name, steps := range map[string][]step{
		"for two minutes":     {{0, forbidden, false}, {time.Minute, missing, false}, {time.Minute, bad, true}},
		"since the first one": {{time.Hour, missing, false}, {time.Second, missing, false}},
		"open in between":     {{0, missing, false}, {time.Minute, nil, false}, {time.Minute, missing, false}},
		"down in between":     {{0, missing, false}, {time.Minute, down, false}, {time.Minute, missing, false}, {2 * time.Minute, missing, true}},
		"lost in between":     {{0, missing, false}, {time.Minute, io.EOF, false}, {time.Minute, missing, false}},
	} {
		var r streamRefusals
		now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		for i, s := range steps {
			now = now.Add(s.after)
			if s.err == nil {
				r.clear()
			} else if got := r.exceeded(s.err, 2*time.Minute, now); got != s.want {
				t.Errorf("%s, step %d: %t", name, i+1, got)
			}
		}
	}
}

// A stray refusal of what stands before the server ends no game.
func TestRun_StrayRefusals(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404} {
		r := newRig(t, lichesstest.Options{})
		r.AddHuman("alice", peaceful(30, 2*time.Millisecond))
		r.start(func(b *Bot) { b.opts.Engine, b.timing.refusalTimeout = &fakeEngine{peace: 30}, time.Minute })
		r.Faults.Fail("game", 3, status)
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 6)
		r.Faults.Fail("game", 3, status)
		r.Faults.CutStreams(1)
		r.finished(id)
		if n := r.log.messages("game abandoned") + r.log.messages("slot freed"); n != 0 {
			t.Errorf("status %d: given up %d times", status, n)
		}
	}
}

// A game that was given up is found again by the list of games.
func TestRun_AbandonedGameIsResumed(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(40, 2*time.Millisecond))
	r.start(func(b *Bot) { b.opts.Engine, b.timing.syncInterval = &fakeEngine{peace: 40}, time.Hour })
	id := r.Challenge("alice", botName, blitz)
	r.plies(id, 6)
	r.Faults.Fail("game", 1000, 404)
	r.Faults.CutStreams(1)
	eventually(t, "the game is given up", func() bool { return r.log.messages("game abandoned") > 0 })
	r.Faults.Clear()
	if end := r.finished(id); end.Status != "mate" {
		t.Errorf("the game ended by %s", end.Status)
	}
}

package challenge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
)

// fakeClient answers the requests with errors, one after the other, then with none.
type fakeClient struct {
	accepts, declines []error
	reasons           []lichess.DeclineReason // of the requests to decline
	mu                sync.Mutex              // for declined
	declined          []string                // ids
	unreachable       bool                    // an accept is retried until its context ends
	slow              time.Duration           // to decline
}

func (c *fakeClient) AcceptChallenge(ctx context.Context, _ string, _ lichess.OpponentKind) error {
	if c.unreachable {
		<-ctx.Done()
		return ctx.Err()
	}
	return pop(&c.accepts)
}

func (c *fakeClient) DeclineChallenge(ctx context.Context, id string, reason lichess.DeclineReason) error {
	if err := lichess.Sleep(ctx, c.slow); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reasons, c.declined = append(c.reasons, reason), append(c.declined, id)
	return pop(&c.declines)
}

func pop(errs *[]error) (err error) {
	if len(*errs) > 0 {
		err, *errs = (*errs)[0], (*errs)[1:]
	}
	return err
}

// checkDeclined checks which challenges were declined, in order.
func (c *fakeClient) checkDeclined(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.declined, want) {
		t.Errorf("declined %q, want %q", c.declined, want)
	}
}

// answeringQueue returns a queue with a challenge that it accepts, and its events.
func answeringQueue(t *testing.T, client *fakeClient) (q *Queue, events *[]event.Event) {
	t.Helper()
	q, events = newTestQueue(config.Games{Max: 1}), new([]event.Event)
	q.cfg.Client = client
	q.cfg.Emit = func(e event.Event) { *events = append(*events, e) }
	q.add("")
	return q, events
}

// lastClosed returns what the last event says of a challenge that is closed.
func lastClosed(events *[]event.Event) (e event.ChallengeClosed, closed bool) {
	e, closed = (*events)[len(*events)-1].(event.ChallengeClosed)
	return e, closed
}

// What the server answers decides whether the game is played, the slot is freed, and
// the challenger is told.
func TestQueue_Accept(t *testing.T) {
	refused := &lichess.APIError{StatusCode: 400, Explained: true}
	unclear := &lichess.NetworkError{Err: errors.New("connection reset")}
	unsent := fmt.Errorf("%w: %w", lichess.ErrNotSent, context.DeadlineExceeded)
	limited := &lichess.RateLimitError{RetryAfter: time.Hour}
	for _, tt := range []struct {
		name     string
		answers  []error
		draining bool
		begun    bool // by another program
		outcome  event.Outcome
		played   bool
		declined bool
	}{
		{name: "accepted", outcome: event.Accepted, played: true},
		{name: "refused", answers: []error{refused}, outcome: event.Gone},
		{name: "accepted by another", answers: []error{refused}, begun: true, outcome: event.Accepted, played: true},
		{name: "accepted at the second try", answers: []error{unclear}, outcome: event.Accepted, played: true},
		{
			name: "refused at the second try, the first may have succeeded", answers: []error{unclear, refused},
			outcome: event.Accepted, played: true,
		},
		{
			name: "not sent at the second try, the first may have succeeded", answers: []error{unclear, unsent},
			outcome: event.Accepted, played: true,
		},
		{name: "unauthorized", answers: []error{&lichess.APIError{StatusCode: 401, Explained: true}},
			outcome: event.Gone},
		{name: "limited", answers: []error{limited}, outcome: event.Declined, declined: true},
		{name: "draining", draining: true, outcome: event.Declined, declined: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &fakeClient{accepts: tt.answers}
				q, events := answeringQueue(t, client)
				var log fixture.Log
				q.cfg.Log = zerolog.New(&log)
				c, _ := q.next()
				if tt.draining {
					q.cfg.Games.Drain()
				}
				if tt.begun {
					q.cfg.Games.Start(t.Context(), c.ID, c.game())
				}
				q.answerAndWait(t.Context(), c)
				if again, _ := q.next(); again != nil {
					q.answerAndWait(t.Context(), again)
				}
				if played := q.cfg.Games.HasBegun(c.ID); played != tt.played || q.cfg.Games.Has(c.ID) != tt.played {
					t.Errorf("played: %t, and has a slot: %t", played, q.cfg.Games.Has(c.ID))
				}
				if requested := len(q.cfg.Games.SyncRequests()) > 0; requested != (tt.name == "unauthorized") {
					t.Errorf("the list of games is requested: %t", requested) // which ends the bot
				}
				if told := log.Count("another program has accepted") == 1; told != tt.begun {
					t.Errorf("logged %s", &log)
				}
				if declined := slices.Equal(client.reasons,
					[]lichess.DeclineReason{lichess.DeclineLater}); declined != tt.declined {
					t.Errorf("declined with %q", client.reasons)
				}
				if d := q.Decide(c.offer); d.Accept == tt.draining || tt.draining && d.Reason != lichess.DeclineLater {
					t.Errorf("a challenge that comes now is decided with %+v", d)
				}
				if last, _ := lastClosed(events); last.Outcome != tt.outcome {
					t.Errorf("event %+v, want %s", last, tt.outcome)
				}
			})
		})
	}
}

// answerAndWait answers a challenge, for as long as the answers of fakes and the pauses
// between them take.
func (q *Queue) answerAndWait(ctx context.Context, c *queued) {
	q.answer(ctx, c)
	time.Sleep(time.Second)
	synctest.Wait()
}

// A good challenge does not wait for the declines of others: these are sent one at a
// time, in order, and end with the bot.
func TestQueue_AcceptsWhileDeclining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &fakeClient{slow: 2 * time.Second}
		q := newTestQueue(config.Games{Max: 4})
		q.cfg.Client = client
		for _, id := range []string{"a", "b", "c", "withdrawn", "d", "e"} {
			q.add("variant:standard by:" + id + " id:" + id)
			time.Sleep(time.Millisecond)
		}
		q.add("by:good id:good")
		ctx, stop := context.WithCancel(t.Context())
		began, ended := time.Now(), make(chan error)
		go func() { ended <- q.Run(ctx) }()
		if synctest.Wait(); !q.cfg.Games.HasBegun("good") {
			t.Error("the good one is not played at once")
		}
		q.Remove("withdrawn")
		time.Sleep(7 * time.Second)
		client.checkDeclined(t, "a", "b", "c")
		time.Sleep(4 * time.Second)
		q.add("variant:standard by:last id:last")
		if stop(); !errors.Is(<-ended, context.Canceled) || time.Since(began) > 12*time.Second {
			t.Errorf("ended after %s", time.Since(began))
		}
		client.checkDeclined(t, "a", "b", "c", "d", "e")
	})
}

// Lichess would have a challenge accepted whose challenger is gone.
func TestQueue_AcceptNoLongerThanItStands(t *testing.T) {
	for control, want := range map[string]time.Duration{lichess.ClockControl: 20 * time.Second,
		lichess.UnlimitedControl: time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			q, _ := answeringQueue(t, &fakeClient{unreachable: true})
			c, _ := q.next()
			c.TimeControl.Type = control
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			began := time.Now()
			if err := q.sendAccept(ctx, c); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != want {
				t.Errorf("%s: %v after %s, want %s", control, err, time.Since(began), want)
			}
		})
	}
}

// A game that the event stream has shown meanwhile is played, whatever the answer.
func TestQueue_AcceptedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, events := answeringQueue(t, &fakeClient{accepts: []error{&lichess.APIError{StatusCode: 404,
			Explained: true}}})
		c, _ := q.next()
		q.cfg.Games.Start(t.Context(), c.ID, game.Info{})
		q.answerAndWait(t.Context(), c)
		if last, _ := lastClosed(events); last.Outcome != event.Accepted || !q.cfg.Games.HasBegun(c.ID) {
			t.Errorf("played: %t; event %+v", q.cfg.Games.HasBegun(c.ID), last)
		}
	})
}

// A challenge whose accept was never sent is answered again while it stands.
func TestQueue_AcceptNotSent(t *testing.T) {
	for _, tt := range []struct {
		name, control string
		expired       bool
		again         bool
	}{
		{"with a clock", lichess.ClockControl, false, true},
		{"expired", lichess.ClockControl, true, false},
		{"without a clock", lichess.UnlimitedControl, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, events := answeringQueue(t, &fakeClient{accepts: []error{lichess.ErrNotSent}})
				c, _ := q.next()
				c.TimeControl.Type = tt.control
				if tt.expired {
					c.receivedAt = c.receivedAt.Add(-expiry)
				}
				q.answerAndWait(t.Context(), c)
				if again := len(q.waiting) == 1; again != tt.again || q.cfg.Games.Has(c.ID) {
					t.Errorf("answered again: %t; has a slot: %t", again, q.cfg.Games.Has(c.ID))
				}
				if last, closed := lastClosed(events); closed == tt.again || closed && last.Outcome != event.Gone {
					t.Errorf("event %+v", *events)
				}
			})
		})
	}
}

// An unclear decline is tried again, unless the challenge expires before.
func TestQueue_DeclineLater(t *testing.T) {
	unclear := &lichess.NetworkError{Err: errors.New("connection reset")}
	for _, tt := range []struct {
		name    string
		answer  error
		expired bool
		again   bool
	}{
		{"unclear", unclear, false, true},
		{"unclear, about to expire", unclear, true, false},
		{"refused", &lichess.APIError{StatusCode: 400, Explained: true}, false, false},
		{"gone", lichess.ErrNotFound, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, events := answeringQueue(t, &fakeClient{declines: []error{tt.answer}})
			c, _ := q.next()
			if tt.expired {
				c.receivedAt = c.receivedAt.Add(-expiry)
			}
			c.Decision = decline(lichess.DeclineLater, "a rule")
			q.answer(t.Context(), c)
			q.cfg.Games.Wait()
			if again := len(q.waiting) == 1; again != tt.again {
				t.Errorf("declined again: %t", again)
			}
			if _, closed := lastClosed(events); closed == tt.again {
				t.Errorf("event %+v", *events)
			}
		})
	}
}

func TestQueue_Remove(t *testing.T) {
	q, events := answeringQueue(t, new(fakeClient))
	id := q.waiting[0].ID
	if !q.HumanWaits() {
		t.Error("no human waits")
	}
	q.Remove("another")
	if q.Remove(id); q.HumanWaits() ||
		(*events)[len(*events)-1] != (event.ChallengeClosed{ID: id, Outcome: event.Gone, Rule: "withdrawn"}) {
		t.Errorf("event %+v", *events)
	}
}

package challenge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// playUntilDone plays a game until its context ends.
func playUntilDone(ctx context.Context, _ *game.Entry) error {
	<-ctx.Done()
	return nil
}

// newTestQueue returns a queue by the default settings, in which "runaway" aborts too many
// games, that does not run.
func newTestQueue(l config.Games) *Queue {
	games := game.NewRegistry(l)
	games.SetPlay(playUntilDone)
	games.Open()
	memory := opponent.NewMemory(record.InMemoryState(), zerolog.Nop())
	for range 3 {
		memory.Aborted("runaway", time.Now())
	}
	policy := &Policy{Challenges: config.Default().Challenges}
	return NewQueue(Config{
		Opponents: memory, Games: games, Policy: func() *Policy { return policy },
		IsListed: func(*lichess.Player) bool { return false }, Emit: func(event.Event) {}, Log: zerolog.Nop(),
	})
}

// add adds challenges, which come some time apart.
func (q *Queue) add(offers ...string) {
	for _, words := range offers {
		q.Add(&lichess.ChallengeCreated{Challenge: *newOffer(words).Challenge}, 2100)
	}
}

// ids returns the ids of the challenges that wait and are to be accepted, or not.
func (q *Queue) ids(accept bool) (ids []string) {
	for _, c := range q.waiting {
		if c.Accept == accept {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// closingQueue returns a queue for one game, and the challenges that it closes, by id.
func closingQueue() (q *Queue, closed map[string]event.ChallengeClosed) {
	q, closed = newTestQueue(config.Games{Max: 1}), map[string]event.ChallengeClosed{}
	q.cfg.Emit = func(e event.Event) {
		if e, ok := e.(event.ChallengeClosed); ok {
			closed[e.ID] = e
		}
	}
	return q, closed
}

// Who has aborted too many games may play later, and who may always play at once.
func TestQueue_Avoids(t *testing.T) {
	for allowed, reason := range map[string]lichess.DeclineReason{"nobody": lichess.DeclineLater, "runaway": ""} {
		q := newTestQueue(config.Games{Max: 1})
		q.cfg.Policy().Allow = []string{allowed}
		q.add("by:Runaway")
		if c, _ := q.next(); c == nil || c.Accept != (reason == "") || c.Reason != reason {
			t.Errorf("always allowed is %s: next is %+v", allowed, c)
		}
	}
}

func TestOrder(t *testing.T) {
	var all []*queued
	for i, words := range []string{
		"id:weak title:BOT rating:1500", "id:human rating:1400", "id:strong title:BOT rating:2500",
		"id:GM title:GM rating:2600",
		"id:no rating:2900", "id:second rating:1400", "id:nobody anonymous", "id:NM title:NM rating:1300",
	} {
		c := &queued{Challenge: newOffer(words).Challenge, receivedAt: time.Unix(int64(i), 0)}
		c.Accept = !strings.HasPrefix(c.ID, "no")
		all = append(all, c)
	}
	for order, want := range map[config.Order]string{
		config.BestFirst:   "[no nobody GM human second NM strong weak]",
		config.FirstCome:   "[no nobody weak human strong GM second NM]",
		config.TitledFirst: "[no nobody GM NM human second strong weak]",
	} {
		for range 2 {
			slices.Reverse(all)
			sorted := slices.SortedStableFunc(slices.Values(all), compareBy(order))
			var got []string
			for _, c := range sorted {
				got = append(got, c.ID)
			}
			if fmt.Sprint(got) != want {
				t.Errorf("%q: got %q, want %s", order, got, want)
			}
		}
	}
}

// A line that comes again while its challenge is taken from the queue does
// not queue it again.
func TestQueue_ReceivedTwiceIsAcceptedOnce(t *testing.T) {
	q := newTestQueue(config.Games{Max: 4})
	q.add("", "")
	if len(q.waiting) != 1 {
		t.Errorf("%d challenges wait", len(q.waiting))
	}
	if c, _ := q.next(); c == nil || !q.cfg.Games.Has(c.ID) {
		t.Fatal("the challenge is not taken")
	}
	if q.add(""); len(q.waiting) > 0 {
		t.Error("queued while it has its slot")
	}
}

// Lichess cancels a challenge without an event when its challenger sends another, but not
// a rematch, which is an offer in a game.
func TestQueue_Replaced(t *testing.T) {
	for words, want := range map[string]string{
		"by:DropFan": "[second]", "by:other": "[first second]", "rematch": "[first second]", "anonymous": "[first]",
	} {
		q, closed := closingQueue()
		q.add("id:first", "id:second "+words, "id:second "+words) // sent again after a reconnect
		if got := fmt.Sprint(q.ids(true)); got != want || (len(closed) == 1) != (want == "[second]") {
			t.Errorf("%s: %s wait, closed %+v", words, got, closed)
		}
	}
}

// A full queue takes only challenges of those who are always allowed.
func TestQueue_Full(t *testing.T) {
	q, closed := closingQueue()
	policy := q.cfg.Policy()
	policy.Allow, policy.Users = []string{"friend"}, record.Users{"guest": record.Allowed}
	for i := range maxQueued {
		q.add(fmt.Sprintf("id:%d by:%d", i, i), fmt.Sprintf("id:no%d by:no%d variant:atomic", i, i))
	}
	for i, words := range []string{
		"by:other title:GM rating:2600", "by:cheat variant:atomic", "by:friend bot", "by:guest",
	} {
		id := fmt.Sprint("new", i)
		if q.add("id:" + id + " " + words); q.holds(id) != (i >= 2) {
			t.Errorf("%s: queued %t", words, q.holds(id))
		}
	}
	if len(closed) > 0 {
		t.Errorf("closed %+v", closed)
	}
}

// A challenge that waits is forgotten when its game has begun without our answer:
// to decline it then would say the wrong thing, to accept it play the game twice.
func TestQueue_ForgetsWhatHasBegun(t *testing.T) {
	q, closed := closingQueue()
	q.cfg.Games.Resize(config.Games{Max: 4})
	q.add("id:a by:a", "id:b by:b")
	q.cfg.Games.Start(t.Context(), "a", game.Info{Opponent: "a", Clock: true})
	if c, _ := q.next(); c == nil || c.ID != "b" || len(q.waiting) != 0 {
		t.Errorf("next is %+v, and %d wait", c, len(q.waiting))
	}
	if want := (event.ChallengeClosed{ID: "a", Outcome: event.Accepted,
		Rule: "its game has started"}); closed["a"] != want {
		t.Errorf("event %+v, want %+v", closed["a"], want)
	}
}

// A challenge with a clock that was not answered in time is not accepted: the challenger may
// be gone, and Lichess would start the game.
func TestQueue_Expired(t *testing.T) {
	for words, accepted := range map[string]bool{"": false, "days:3": true} {
		q := newTestQueue(config.Games{Max: 4})
		q.cfg.Policy().Humans.Speeds = lichess.Speeds()
		q.add(words)
		q.waiting[0].receivedAt = time.Now().Add(-2 * time.Minute)
		if c, _ := q.next(); c == nil || c.Accept != accepted || q.cfg.Games.Has(c.ID) != accepted {
			t.Errorf("%s: next is %+v, want it accepted: %t", words, c, accepted)
		}
	}
}

// Somebody who may not have another game is not waited for with a slot that others can use.
func TestQueue_HumanWaits(t *testing.T) {
	q := newTestQueue(config.Games{Max: 2, MaxPerOpponent: 1})
	q.add("id:first")
	first, _ := q.next()
	q.add("id:second")
	if !q.HumanWaits() {
		t.Error("nobody waits for a decision")
	}
	if c, _ := q.next(); c != nil || q.HumanWaits() {
		t.Errorf("%v answered; or waits for a slot at the limit", c)
	}
	first.slot.Release()
	if c, _ := q.next(); c == nil {
		t.Error("not accepted below the limit")
	}
}

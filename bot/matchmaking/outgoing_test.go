package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const me = "ZhBot"

var blitz = lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}

// newTestConfig returns a configuration of a bot that is idle, with its slots open.
func newTestConfig(client *lichess.Client) Config {
	timing := LichessTiming()
	table := game.NewRegistry(game.Limits{Max: 4}, func() {})
	table.Open()
	file := record.InMemoryState()
	return Config{
		Client: client, Slots: table, Opponents: opponent.NewMemory(file, zerolog.Nop()), State: file,
		Settings: func() *Settings { s := simTerms(); return &s }, Blocks: func(*lichess.Player) bool { return false },
		HumanWaits: func() bool { return false }, Emit: func(event.Event) {}, Timing: &timing, Log: zerolog.Nop(),
	}
}

// fakeGames only notes which games are to be played.
type fakeGames struct {
	started chan string
	running sync.WaitGroup
}

func (g *fakeGames) Play(_ context.Context, id string) { g.started <- id }
func (g *fakeGames) Go(f func())                       { g.running.Go(f) }
func (g *fakeGames) wait()                             { g.running.Wait() }

func newTestOutgoing(client *lichess.Client) *Outgoing { return NewOutgoing(newTestConfig(client)) }

func newClient(t *testing.T, s *lichesstest.Server, secret string, change ...func(*lichess.Options)) *lichess.Client {
	t.Helper()
	token, err := lichess.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	o := lichess.Options{Token: token, URL: s.URL()}
	for _, f := range change {
		f(&o)
	}
	client, err := lichess.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !met(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// A challenge waits as long as its sender wants, and the sender gets one answer, whether
// it knew the id before the event stream or after.
func TestOutgoing_Follow(t *testing.T) {
	o := newTestOutgoing(nil)
	c := &lichess.Challenge{ID: "a", TimeControl: lichess.TimeControl{Type: lichess.ClockControl}}
	o.add(c)
	result := o.follow("a", "alice", 10*time.Minute)
	o.learn(c, 0) // as the server's list of challenges tells once more
	if id, wait := o.nextDue(time.Now()); id != "a" || wait <= 9*time.Minute || wait > 10*time.Minute {
		t.Errorf("%q is taken back after %s", id, wait)
	}
	o.postpone("a", time.Hour)
	o.postpone("unknown", time.Hour)
	if _, wait := o.nextDue(time.Now()); wait < 59*time.Minute {
		t.Errorf("put off to %s", wait)
	}
	o.resolve("a", answer{reason: "later"})
	o.resolve("a", answer{started: true}) // too late
	if a := <-result; a.reason != "later" || a.started {
		t.Errorf("the answer is %+v", a)
	}
	if id, _ := o.nextDue(time.Now()); id != "" {
		t.Errorf("%q is open although answered", id)
	}

	o.resolve("early", answer{reason: "tooslow"})
	if a := <-o.follow("early", "", time.Hour); a.reason != "tooslow" {
		t.Errorf("of an answer before the reply: %+v", a)
	}
	for i := range 3 * maxAnswered {
		o.resolve(fmt.Sprint(i), answer{started: true})
		o.resolve(fmt.Sprint(i), answer{started: true})
	}
	if n := len(o.answered); n != maxAnswered {
		t.Errorf("%d answers remembered", n)
	}
	open := o.follow("open", "", time.Hour)
	o.close()
	for _, result := range []<-chan answer{open, o.follow("late", "", time.Hour)} {
		if a := <-result; a.started || a.reason != opponent.NoAnswer {
			t.Errorf("after the end: %+v", a)
		}
	}
}

// Lichess cancels our challenge to a user without an event when we send another: the first
// has its answer at once, and gives back its slot.
func TestOutgoing_Replaced(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	o := newTestOutgoing(newClient(t, s, s.AddBot(me)))
	for _, name := range []string{"Alice", "bob"} {
		s.AddHuman(name, lichesstest.Idle())
		s.AnswerChallenges(name, func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} })
	}
	answers := make(chan answer, 3)
	for i, user := range []string{"Alice", "bob", "alice"} {
		slot, err := o.cfg.Slots.Reserve(game.Info{Clock: true})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, a, _ := o.send(t.Context(), newChallenge{
				user: user, game: game.Info{Opponent: user, Clock: true}, slot: slot, wait: time.Hour,
				request: lichess.ChallengeRequest{Clock: lichess.Clock{Initial: time.Minute}},
			})
			answers <- a
		}()
		eventually(t, "it is open", func() bool { return len(o.Open()) == min(i+1, 2) && o.cfg.Slots.Use().Games == min(i+1, 2) })
	}
	if a := <-answers; a.started || !a.isOurs() {
		t.Errorf("the first challenge: %+v", a)
	}
	o.close()
}

// What the server says of a challenge that cannot be taken back is its answer.
func TestOutgoing_Ask(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	token := s.AddBot(me)
	s.AddUser("alice", "")
	s.AddHuman("bob", lichesstest.Idle())
	s.AnswerChallenges("bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Decline: "tooFast"} })
	o := newTestOutgoing(newClient(t, s, token))
	canceled := s.Challenge(me, "alice", blitz)
	if err := o.cfg.Client.CancelChallenge(t.Context(), canceled); err != nil {
		t.Fatal(err)
	}
	declined := s.Challenge(me, "bob", blitz)
	eventually(t, "bob has declined", func() bool { return s.Challenges("bob")[0].Status == "declined" })
	s.AddHuman("carol", lichesstest.Idle())
	accepted := s.Challenge(me, "carol", blitz)
	eventually(t, "carol has accepted", func() bool { return s.Challenges("carol")[0].Status == "accepted" })
	// Without the scope challenge:read only the games in play tell.
	blind := newTestOutgoing(newClient(t, s, s.AddToken(me, "bot:play")))
	for _, tt := range []struct {
		outgoing *Outgoing
		id       string
		want     answer
	}{
		{o, canceled, answer{reason: opponent.NoAnswer}},
		{o, declined, answer{reason: "toofast"}},
		{o, accepted, answer{started: true, reason: opponent.NoAnswer}},
		{o, "nonesuch", answer{reason: opponent.NoAnswer}},
		{blind, declined, answer{reason: opponent.NoAnswer}},
		{blind, accepted, answer{started: true, reason: opponent.NoAnswer}},
	} {
		if a := tt.outgoing.queryOutcome(t.Context(), tt.id); a != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.id, a, tt.want)
		}
	}
}

// A token that may not list challenges is asked for them once.
func TestOutgoing_WithoutScope(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	token := s.AddBot(me)
	o := newTestOutgoing(newClient(t, s, s.AddUser("other", "BOT", "bot:play")))
	if o.loadOpen(t.Context()) {
		t.Error("the list is asked for again")
	}
	o = newTestOutgoing(newClient(t, s, token))
	if !o.loadOpen(t.Context()) {
		t.Error("the list is not asked for again")
	}
}

// The list of challenges is read again while that fails, and no cancel waits for it.
func TestOutgoing_ListFails(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	var listings atomic.Int32
	o := newTestOutgoing(newClient(t, s, s.AddBot(me), func(o *lichess.Options) {
		o.RetryFor = -1
		o.Observe = func(o lichess.Observation) {
			if o.Endpoint == "GET /api/challenge" {
				listings.Add(1)
			}
		}
	}))
	o.cfg.Timing.AnswerTimeout = 0
	o.cfg.Timing.Cancel = event.Backoff{Initial: time.Millisecond, Max: 10 * time.Millisecond}
	s.AddUser("alice", "")
	s.AddUser("bob", "")
	s.Challenge(me, "alice", blitz) // by an earlier run
	s.Faults.Inject("fail", lichesstest.When{Class: "challenges", Next: 1 << 30, Status: 503})
	o.RequestLookup()
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); <-ended }()
	go func() { defer close(ended); _ = o.Run(ctx) }()

	eventually(t, "the list is asked for again", func() bool { return listings.Load() > 1 })
	o.Created(&lichess.Challenge{ID: s.Challenge(me, "bob", blitz), TimeControl: lichess.TimeControl{Type: lichess.ClockControl}})
	eventually(t, "the new challenge is cancelled", func() bool { return s.Challenges("bob")[0].Status == "canceled" })
	s.Faults.Clear()
	eventually(t, "the old challenge is cancelled", func() bool { return s.Challenges("alice")[0].Status == "canceled" })
}

// A challenge of an earlier run is cancelled at once, since nobody has a slot for its game;
// one that is being sent waits for its sender, who learns its id.
func TestOutgoing_OfAnEarlierRun(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	o := newTestOutgoing(newClient(t, s, s.AddBot(me)))
	s.AddUser("alice", "")
	s.AddUser("bob", "")
	s.Challenge(me, "alice", blitz)
	learned, forget := o.expect("bob")
	defer forget()
	want := s.Challenge(me, "bob", blitz)
	for range 2 {
		if !o.loadOpen(t.Context()) {
			t.Fatal("the list is not read")
		}
	}
	if len(learned) != 1 || <-learned != want {
		t.Errorf("the sender does not learn that its challenge is %s", want)
	}
	next, forgetNext := o.expect("bob")
	defer forgetNext()
	if !o.loadOpen(t.Context()) || len(next) != 0 {
		t.Error("the next sender learns of a challenge that is not its own")
	}
	open := o.Open()
	if len(open) != 2 || open[0].Opponent != "alice" || time.Until(open[0].CancelAt) > 0 || time.Until(open[1].CancelAt) < time.Second {
		t.Errorf("open: %+v", open)
	}
}

// A challenge whose reply was lost is found although the list of challenges lacks it, or
// fails.
func TestOutgoing_FindSentLate(t *testing.T) {
	for name, set := range map[string]func(*lichesstest.Faults){
		"not listed": func(*lichesstest.Faults) {}, "list failed": func(f *lichesstest.Faults) {
			f.Inject("fail", lichesstest.When{Class: "challenges", Next: 1, Status: 503})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := lichesstest.NewServer(t, lichesstest.Options{})
			set(s.Faults)
			var o *Outgoing
			o = newTestOutgoing(newClient(t, s, s.AddBot(me), func(c *lichess.Options) {
				c.RetryFor = -1
				c.Observe = func(lichess.Observation) { // the list has been requested
					o.Created(&lichess.Challenge{ID: "late", DestUser: &lichess.Player{ID: "rival"}})
				}
			}))
			o.cfg.Timing.IDTimeout, o.cfg.Timing.LateIDTimeout = 0, time.Minute
			learned, forget := o.expect("rival")
			defer forget()
			if id := o.findSent(t.Context(), "rival", learned); id != "late" {
				t.Errorf("the id is %q", id)
			}
		})
	}
}

// A listed challenge that a sender follows is not that of another sender.
func TestOutgoing_FindSentFollowed(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	o := newTestOutgoing(newClient(t, s, s.AddBot(me)))
	o.cfg.Timing.IDTimeout, o.cfg.Timing.LateIDTimeout = 0, 0
	s.AddUser("rival", "")
	first := s.Challenge(me, "rival", blitz)
	if id := o.findSent(t.Context(), "rival", nil); id != first {
		t.Errorf("the first sender finds %q, want %q", id, first)
	}
	o.follow(first, "rival", time.Hour)
	if id := o.findSent(t.Context(), "rival", nil); id != "" {
		t.Errorf("the second sender finds %q, the challenge of the first", id)
	}
	second := s.Challenge(me, "rival", blitz)
	if id := o.findSent(t.Context(), "rival", nil); id != second {
		t.Errorf("the second sender finds %q, want %q", id, second)
	}
}

// A challenge that was never sent is not looked for.
func TestOutgoing_NotSent(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	var requests []string
	o := newTestOutgoing(newClient(t, s, s.AddBot(me), func(c *lichess.Options) {
		c.URL, c.RetryFor = "http://127.0.0.1:1", -1
		c.Observe = func(o lichess.Observation) { requests = append(requests, o.Endpoint) }
	}))
	o.cfg.Timing.IDTimeout, o.cfg.Timing.LateIDTimeout = 0, 0
	_, err := o.post(t.Context(), &newChallenge{user: "rival", request: lichess.ChallengeRequest{Clock: lichess.Clock{Initial: time.Minute}, Opponent: lichess.Bot}})
	if !errors.Is(err, lichess.ErrNotSent) || len(requests) != 1 {
		t.Errorf("error %v after %q", err, requests)
	}
}

// The event stream has the id of the challenge that is being sent.
func TestOutgoing_Expect(t *testing.T) {
	o := newTestOutgoing(nil)
	to := func(id, user string) *lichess.Challenge {
		return &lichess.Challenge{ID: id, DestUser: &lichess.Player{ID: user}, TimeControl: lichess.TimeControl{Type: lichess.ClockControl}}
	}
	o.Created(to("before", "rival"))
	id, _ := o.expect("rival")
	for _, c := range []*lichess.Challenge{to("other", "somebody"), to("wanted", "Rival"), to("next", "rival")} {
		o.Created(c)
	}
	if got := <-id; got != "wanted" {
		t.Errorf("the id is %q", got)
	}
	_, forget := o.expect("rival")
	forget()
	o.Created(to("late", "rival"))
	if n := len(o.open); n != 5 {
		t.Errorf("%d challenges are followed, want all 5", n)
	}
}

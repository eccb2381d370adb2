package matchmaking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const me = "ZhBot"

var blitz = lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}

// newTestConfig returns a configuration of a bot that is idle, with its slots open.
func newTestConfig(client *lichess.Client) Config {
	timing := LichessTiming()
	games := game.NewRegistry(config.Games{Max: 4}, playUntilDone, func() {})
	games.Open()
	file := record.InMemoryState()
	return Config{
		Client: client, Games: games, Opponents: opponent.NewMemory(file, zerolog.Nop()), State: file,
		Settings: func() *config.Matchmaking { s := simTerms(); return &s }, Blocks: func(*lichess.Player) bool { return false },
		HumanWaits: func() bool { return false }, Account: func() *lichess.Account { return &lichess.Account{ID: "zhbot"} }, Emit: func(event.Event) {}, Timing: &timing, Log: zerolog.Nop(),
	}
}

// playUntilDone plays a game until its context ends.
func playUntilDone(ctx context.Context, _ *game.Entry) error {
	<-ctx.Done()
	return nil
}

func newTestChallenger(client *lichess.Client) *Challenger {
	return NewChallenger(newTestConfig(client))
}

// to returns a challenge with a clock to a user.
func to(id, user string) *lichess.Challenge {
	return &lichess.Challenge{
		ID: id, DestUser: &lichess.Player{ID: strings.ToLower(user), Name: user},
		TimeControl: lichess.TimeControl{Type: lichess.ClockControl},
	}
}

// A challenge waits as long as its sender wants, and the sender gets one answer, whether
// it knew the id before the event stream or after.
func TestChallenger_Follow(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestChallenger(s.Client(t, s.AddBot(me)))
	ctx, end := context.WithCancel(t.Context())
	follow := func(id, user string, wait time.Duration) *outgoing {
		return c.follow(ctx, id, &outgoingRequest{user: user, wait: wait})
	}
	answer := func(o *outgoing) outcome { <-o.done; return o.outcome }
	c.Created(ctx, to("a", "alice"))
	a := follow("a", "alice", 10*time.Minute)
	c.handleShown(ctx, to("a", "alice"), 0) // as the server's list of challenges tells once more
	if wait := c.untilDue(a); wait <= 9*time.Minute || wait > 10*time.Minute {
		t.Errorf("cancelled after %s", wait)
	}
	c.Declined(&lichess.Challenge{ID: "a", DeclineReasonKey: "later"})
	c.Started("a") // too late
	if a := answer(a); a.reason != "later" || a.started {
		t.Errorf("the answer is %+v", a)
	}
	c.handleShown(ctx, to("a", "alice"), 0) // an old list
	if open := c.Open(); len(open) != 0 {
		t.Errorf("%+v open although answered", open)
	}

	c.Declined(&lichess.Challenge{ID: "early", DeclineReasonKey: "tooslow"})
	if a := answer(follow("early", "bob", time.Hour)); a.reason != "tooslow" {
		t.Errorf("of an answer before the reply: %+v", a)
	}
	c.Created(ctx, to("taken", "Erin"))
	c.Canceled("taken")
	if o := follow("taken", "erin", time.Hour); o.User != "Erin" {
		t.Errorf("a closed challenge is changed: to %s", o.User)
	}
	for i := range 3 * maxKnown {
		c.Started(fmt.Sprint(i))
		c.Started(fmt.Sprint(i))
	}
	if n := len(c.known); n != maxKnown {
		t.Errorf("%d answers remembered", n)
	}
	open := follow("open", "carol", time.Hour)
	end()
	for _, o := range []*outgoing{open, follow("late", "dave", time.Hour)} {
		if a := answer(o); a.started || a.reason != opponent.NoAnswer {
			t.Errorf("after the end: %+v", a)
		}
	}
	c.cfg.Games.Wait()
}

// The operator's challenge is sent while the cancel of another one hangs.
func TestChallenger_ChallengeWhileCancelHangs(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	target, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	canceling, released, proxy := make(chan struct{}, 9), make(chan struct{}), httputil.NewSingleHostReverseProxy(target)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/cancel") {
			canceling <- struct{}{}
			<-released
		}
		proxy.ServeHTTP(w, r)
	}))
	defer slow.Close()
	c := newTestChallenger(s.Client(t, s.AddBot(me), func(o *lichess.Options) { o.URL, o.CallTimeout = slow.URL, time.Second }))
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	defer func() { close(released); end(); <-ended; c.cfg.Games.Wait(); slow.CloseClientConnections() }()
	go func() { defer close(ended); _ = c.Run(ctx) }()
	s.AddUser("alice", "")
	s.AddUser("bob", "")
	c.handleShown(ctx, to(s.Challenge(me, "alice", blitz), "alice"), 0)
	<-canceling
	c.cfg.Games.Go(func() {
		_, _ = c.Challenge(ctx, "bob", lichess.ChallengeRequest{Clock: lichess.Clock{Initial: 3 * time.Minute}})
	})
	waittest.Until(t, "bob is challenged", func() bool { return len(s.Challenges("bob")) == 1 })
	if n := len(s.Challenges("alice")); n != 1 {
		t.Errorf("the cancel has ended: alice has %d challenges", n)
	}
}

// Lichess cancels our challenge to a user without an event when we send another: the first
// has its answer at once, and gives back its slot.
func TestChallenger_Replaced(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestChallenger(s.Client(t, s.AddBot(me)))
	for _, name := range []string{"Alice", "bob"} {
		s.AddHuman(name, lichesstest.Idle())
		s.AnswerChallenges(name, func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} })
	}
	ctx, end := context.WithCancel(t.Context())
	answers := make(chan outcome, 3)
	for i, user := range []string{"Alice", "bob", "alice"} {
		go func() {
			_, a, _ := c.send(ctx, outgoingRequest{
				user: user, wait: time.Hour,
				request: lichess.ChallengeRequest{Clock: lichess.Clock{Initial: time.Minute}},
			})
			answers <- a
		}()
		waittest.Until(t, "it is open", func() bool { return len(c.Open()) == min(i+1, 2) && c.cfg.Games.Use().Games == min(i+1, 2) })
	}
	if a := <-answers; a.started || !a.isOurs() {
		t.Errorf("the first challenge: %+v", a)
	}
	end()
	for range 2 {
		<-answers
	}
	c.cfg.Games.Wait()
}

// What the server says of a challenge that cannot be taken back is its answer.
func TestChallenger_Ask(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	token := s.AddBot(me)
	s.AddUser("alice", "")
	s.AddHuman("bob", lichesstest.Idle())
	s.AnswerChallenges("bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Decline: "tooFast"} })
	o := newTestChallenger(s.Client(t, token))
	canceled := s.Challenge(me, "alice", blitz)
	if err := o.cfg.Client.CancelChallenge(t.Context(), canceled); err != nil {
		t.Fatal(err)
	}
	declined := s.Challenge(me, "bob", blitz)
	waittest.Until(t, "bob has declined", func() bool { return s.Challenges("bob")[0].Status == "declined" })
	s.AddHuman("carol", lichesstest.Idle())
	accepted := s.Challenge(me, "carol", blitz)
	waittest.Until(t, "carol has accepted", func() bool { return s.Challenges("carol")[0].Status == "accepted" })
	// Without the scope challenge:read only the games in play tell.
	blind := newTestChallenger(s.Client(t, s.AddToken(me, "bot:play")))
	for _, tt := range []struct {
		challenger *Challenger
		id         string
		want       outcome
	}{
		{o, canceled, outcome{reason: opponent.NoAnswer}},
		{o, declined, outcome{reason: "toofast"}},
		{o, accepted, outcome{started: true, reason: opponent.NoAnswer}},
		{o, "nonesuch", outcome{reason: opponent.NoAnswer}},
		{blind, declined, outcome{reason: opponent.NoAnswer}},
		{blind, accepted, outcome{started: true, reason: opponent.NoAnswer}},
	} {
		if a := tt.challenger.queryOutcome(t.Context(), tt.id); a != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.id, a, tt.want)
		}
	}
}

// A token that may not list challenges is asked for them once.
func TestChallenger_WithoutScope(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestChallenger(s.Client(t, s.AddUser("other", "BOT", "bot:play")))
	c.RequestLookup()
	c.followLookups(t.Context()) // it ends
}

// The list of challenges is read again while that fails, and no cancel waits for it.
func TestChallenger_ListFails(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	var listings atomic.Int32
	o := newTestChallenger(s.Client(t, s.AddBot(me), func(o *lichess.Options) {
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

	waittest.Until(t, "the list is asked for again", func() bool { return listings.Load() > 1 })
	o.Created(t.Context(), &lichess.Challenge{ID: s.Challenge(me, "bob", blitz), TimeControl: lichess.TimeControl{Type: lichess.ClockControl}})
	waittest.Until(t, "the new challenge is cancelled", func() bool { return s.Challenges("bob")[0].Status == "canceled" })
	s.Faults.Clear()
	waittest.Until(t, "the old challenge is cancelled", func() bool { return s.Challenges("alice")[0].Status == "canceled" })
}

// A challenge of an earlier run is cancelled at once, since nobody has a slot for its game;
// one that is being sent waits for its sender, who learns its id.
func TestChallenger_OfAnEarlierRun(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestChallenger(s.Client(t, s.AddBot(me)))
	s.AddUser("alice", "")
	s.AddUser("bob", "")
	s.Challenge(me, "alice", blitz)
	shown, forget := c.expect("bob")
	defer forget()
	want := s.Challenge(me, "bob", blitz)
	for range 2 {
		if err := c.readOpen(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(shown) != 1 || <-shown != want {
		t.Errorf("the sender does not learn that its challenge is %s", want)
	}
	next, forgetNext := c.expect("bob")
	defer forgetNext()
	if err := c.readOpen(t.Context()); err != nil || len(next) != 0 {
		t.Errorf("the next sender learns of a challenge that is not its own; error %v", err)
	}
	waittest.Until(t, "the old challenge is cancelled", func() bool { return s.Challenges("alice")[0].Status == "canceled" && len(c.Open()) == 1 })
	if open := c.Open(); open[0].User != "bob" || time.Until(open[0].CancelAt) < time.Second {
		t.Errorf("open: %+v", open)
	}
}

// A challenge whose reply was lost is found on the list of challenges, or, although that
// lacks it or fails, on the event stream.
func TestChallenger_AwaitID(t *testing.T) {
	for name, set := range map[string]func(*lichesstest.Faults){
		"not listed": func(*lichesstest.Faults) {}, "list failed": func(f *lichesstest.Faults) {
			f.Inject("fail", lichesstest.When{Class: "challenges", Next: 1, Status: 503})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := lichesstest.NewServer(t, lichesstest.Options{})
			set(s.Faults)
			var c *Challenger
			c = newTestChallenger(s.Client(t, s.AddBot(me), func(o *lichess.Options) {
				o.RetryFor = -1
				o.Observe = func(lichess.Observation) { // the list has been requested
					c.Created(t.Context(), to("late", "rival"))
				}
			}))
			c.cfg.Timing.IDTimeout, c.cfg.Timing.LateIDTimeout = 0, time.Minute
			shown, forget := c.expect("rival")
			defer forget()
			if id := c.awaitID(t.Context(), shown); id != "late" {
				t.Errorf("the id is %q", id)
			}
		})
	}
}

// A listed challenge that a sender follows is not that of another sender.
func TestChallenger_AwaitIDFollowed(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	c := newTestChallenger(s.Client(t, s.AddBot(me)))
	s.AddUser("rival", "")
	for sender := range 2 {
		c.cfg.Timing.IDTimeout, c.cfg.Timing.LateIDTimeout = 0, 0
		shown, forget := c.expect("rival")
		if id := c.awaitID(t.Context(), shown); id != "" {
			t.Errorf("sender %d finds %q, which is not its own", sender, id)
		}
		c.cfg.Timing.LateIDTimeout = time.Minute
		want := s.Challenge(me, "rival", blitz)
		if id := c.awaitID(t.Context(), shown); id != want {
			t.Errorf("sender %d finds %q, want %q", sender, id, want)
		}
		forget()
		c.follow(t.Context(), want, &outgoingRequest{user: "rival", wait: time.Hour})
	}
}

// A challenge that was never sent is not looked for.
func TestChallenger_NotSent(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	var requests []string
	o := newTestChallenger(s.Client(t, s.AddBot(me), func(c *lichess.Options) {
		c.URL, c.RetryFor = "http://127.0.0.1:1", -1
		c.Observe = func(o lichess.Observation) { requests = append(requests, o.Endpoint) }
	}))
	o.cfg.Timing.IDTimeout, o.cfg.Timing.LateIDTimeout = 0, 0
	_, err := o.post(t.Context(), &outgoingRequest{user: "rival", request: lichess.ChallengeRequest{Clock: lichess.Clock{Initial: time.Minute}, Opponent: lichess.Bot}})
	if !errors.Is(err, lichess.ErrNotSent) || len(requests) != 1 {
		t.Errorf("error %v after %q", err, requests)
	}
}

// The event stream has the id of the challenge that is being sent.
func TestChallenger_Expect(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	c := newTestChallenger(s.Client(t, s.AddBot(me)))
	c.Created(t.Context(), to("before", "rival"))
	id, _ := c.expect("rival")
	for _, shown := range []*lichess.Challenge{to("other", "somebody"), to("wanted", "Rival"), to("next", "rival")} {
		c.Created(t.Context(), shown)
	}
	if got := <-id; got != "wanted" {
		t.Errorf("the id is %q", got)
	}
	_, forget := c.expect("rival")
	forget()
	c.Created(t.Context(), to("late", "rival"))
	if n := len(c.Open()); n != 5 {
		t.Errorf("%d challenges are followed, want all 5", n)
	}
}

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
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const me = "ZhBot"

var blitz = lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}

// newTestConfig returns a configuration of a bot that is idle, with its slots open.
func newTestConfig(client *lichess.Client) Config {
	timing := LichessTiming()
	games := game.NewRegistry(config.Games{Max: 4})
	games.SetPlay(playUntilDone)
	games.Open()
	file := record.InMemoryState()
	return Config{
		Client: client, Games: games, Opponents: opponent.NewMemory(file, zerolog.Nop()), State: file, Timing: &timing,
		Settings: func() *config.Matchmaking { return new(config.Default().Matchmaking) },
		Blocks:   func(*lichess.Player) bool { return false }, HumanWaits: func() bool { return false },
		Account: func() *lichess.Account { return &lichess.Account{ID: "zhbot"} },
		Emit:    func(event.Event) {}, Log: zerolog.Nop(),
	}
}

// playUntilDone plays a game until its context ends.
func playUntilDone(ctx context.Context, _ *game.Entry) error {
	<-ctx.Done()
	return nil
}

// newTestServer returns a server, and the configuration of a bot on it.
func newTestServer(t *testing.T, change ...func(*lichess.Options)) (*lichesstest.Server, Config) {
	t.Helper()
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	return s, newTestConfig(s.Client(t, s.AddBot(me), change...))
}

// newTestChallenger returns a server, and a challenger that does not run.
func newTestChallenger(t *testing.T, change ...func(*lichess.Options)) (*lichesstest.Server, *Challenger) {
	t.Helper()
	s, c := newTestServer(t, change...)
	return s, NewChallenger(c)
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
	_, c := newTestChallenger(t)
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
	t.Parallel()
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true})
	target, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	canceling, released, proxy := make(chan struct{}, 9), make(chan struct{}),
		httputil.NewSingleHostReverseProxy(target)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/cancel") {
			canceling <- struct{}{}
			<-released
		}
		proxy.ServeHTTP(w, r)
	}))
	defer slow.Close()
	c := NewChallenger(newTestConfig(s.Client(
		t, s.AddBot(me), func(o *lichess.Options) { o.URL, o.CallTimeout = slow.URL, time.Second },
	)))
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
	fixture.Until(t, "bob is challenged", func() bool { return len(s.Challenges("bob")) == 1 })
	if n := len(s.Challenges("alice")); n != 1 {
		t.Errorf("the cancel has ended: alice has %d challenges", n)
	}
}

// Lichess cancels our challenge to a user without an event when we send another: the first
// has its answer at once, and gives back its slot.
func TestChallenger_Replaced(t *testing.T) {
	s, c := newTestChallenger(t)
	for _, name := range []string{"Alice", "bob"} {
		s.AddHuman(name, lichesstest.Idle())
		s.AnswerChallenges(
			name, func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} },
		)
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
		fixture.Until(
			t, "it is open",
			func() bool { return len(c.Open()) == min(i+1, 2) && c.cfg.Games.Use().Games == min(i+1, 2) },
		)
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
	s, o := newTestChallenger(t)
	s.AddUser("alice", "")
	s.AddHuman("bob", lichesstest.Idle())
	s.AnswerChallenges(
		"bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Decline: "tooFast"} },
	)
	canceled := s.Challenge(me, "alice", blitz)
	if err := o.cfg.Client.CancelChallenge(t.Context(), canceled); err != nil {
		t.Fatal(err)
	}
	declined := s.Challenge(me, "bob", blitz)
	fixture.Until(t, "bob has declined", func() bool { return s.Challenges("bob")[0].Status == "declined" })
	s.AddHuman("carol", lichesstest.Idle())
	accepted := s.Challenge(me, "carol", blitz)
	fixture.Until(t, "carol has accepted", func() bool { return s.Challenges("carol")[0].Status == "accepted" })
	// Without the scope challenge:read only the games in play tell.
	blind := NewChallenger(newTestConfig(s.Client(t, s.AddToken(me, "bot:play"))))
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
	c := NewChallenger(newTestConfig(s.Client(t, s.AddUser("other", "BOT", "bot:play"))))
	c.RequestLookup()
	c.followLookups(t.Context()) // it ends
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
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
			var c *Challenger
			var s *lichesstest.Server
			s, c = newTestChallenger(t, func(o *lichess.Options) {
				o.RetryFor = -1
				o.Observe = func(lichess.Observation) { // the list has been requested
					c.Created(t.Context(), to("late", "rival"))
				}
			})
			set(s.Faults)
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
	s, c := newTestChallenger(t)
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
	var requests []string
	_, o := newTestChallenger(t, func(c *lichess.Options) {
		c.URL, c.RetryFor = "http://127.0.0.1:1", -1
		c.Observe = func(o lichess.Observation) { requests = append(requests, o.Endpoint) }
	})
	o.cfg.Timing.IDTimeout, o.cfg.Timing.LateIDTimeout = 0, 0
	_, err := o.post(
		t.Context(),
		&outgoingRequest{
			user:    "rival",
			request: lichess.ChallengeRequest{Clock: lichess.Clock{Initial: time.Minute}, Opponent: lichess.Bot},
		},
	)
	if !errors.Is(err, lichess.ErrNotSent) || len(requests) != 1 {
		t.Errorf("error %v after %q", err, requests)
	}
}

// The event stream has the id of the challenge that is being sent.
func TestChallenger_Expect(t *testing.T) {
	_, c := newTestChallenger(t)
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

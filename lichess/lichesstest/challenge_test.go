package lichesstest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
)

// age makes all challenges older.
func age(s *Server, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.challenges {
		c.seen = c.seen.Add(-d)
	}
}

// A second challenge to the same player takes the place of the first, without a word.
func TestChallenge_TakesThePlaceOfTheLast(t *testing.T) {
	s := NewServer(t, Options{})
	a, b := bot(t, s, "zhbot"), bot(t, s, "rival")
	events := b.open("/api/stream/event")
	challenge := func() string {
		got := a.post("/api/challenge/rival", "variant", "crazyhouse", "clock.limit", "180", "clock.increment", "2")
		return parse(t, got.body)["id"].(string)
	}
	first, second := challenge(), challenge()
	for _, id := range []string{first, second} {
		if o := events.next(); o["type"] != "challenge" || o.at("challenge", "id") != id {
			t.Errorf("event %v, want challenge %s", o, id)
		}
	}
	b.post("/api/challenge/"+first+"/accept").want(t, 400, "The challenge has been canceled.")
	if list := parse(t, b.get("/api/challenge").body)["in"].([]any); len(list) != 1 {
		t.Errorf("%d challenges are listed", len(list))
	}
	b.must("/api/challenge/" + second + "/decline")
	b.post("/api/challenge/"+second+"/accept").want(t, 400, "The challenge has been declined.")
}

// A program's challenge that nobody keeps alive is shown as offline after a while and
// is in no list then; a person keeps it alive by the open page.
func TestChallenge_GoesOffline(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	bot(t, s, "rival")
	s.AddHuman("alice", Idle())
	program, person := s.Challenge("rival", "zhbot", blitz), s.Challenge("alice", "zhbot", blitz)
	age(s, expiry+time.Second)
	a.get("/api/challenge/"+program+"/show").want(t, 200, `"status":"offline"`)
	if o := a.open("/api/stream/event").next(); o.at("challenge", "id") != person || o.at("challenge", "status") != "created" {
		t.Errorf("pending: %v", o)
	}
	age(s, retention-2*time.Second)
	a.must("/api/challenge/" + program + "/accept") // all the same
	second := s.Challenge("rival", "zhbot", blitz)
	age(s, expiry+retention)
	a.post("/api/challenge/"+second+"/accept").want(t, 404, "Not found")
	a.post("/api/challenge/"+second+"/decline").want(t, 404, "Not found")
	a.must("/api/challenge/" + person + "/accept")
}

// A stream keeps a challenge from going offline while it is open.
func TestChallenge_KeptAlive(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	bot(t, s, "rival")
	ctx, cancel := context.WithCancel(t.Context())
	form := url.Values{"variant": {"crazyhouse"}, "clock.limit": {"180"}, "clock.increment": {"2"}, "keepAliveStream": {"true"}}
	r, err := a.request(ctx, "POST", "/api/challenge/rival", form)
	if err != nil {
		t.Fatal(err)
	}
	st := read(t, r, cancel)
	show := "/api/challenge/" + st.next()["id"].(string) + "/show"
	age(s, time.Hour)
	a.get(show).want(t, 200, `"status":"created"`)
	cancel()
	waittest.Until(t, "the stream ends", func() bool {
		age(s, expiry+time.Second)
		return strings.Contains(a.get(show).body, `"status":"offline"`)
	})
}

// A scripted user's second challenge cancels the first as well, and of more than a hundred
// the oldest is deleted.
func TestChallenge_Pending(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddHuman("alice", Idle())
	events := a.open("/api/stream/event")
	first, second := s.Challenge("alice", "zhbot", blitz), s.Challenge("alice", "zhbot", blitz)
	for _, id := range []string{first, second} {
		if o := events.next(); o["type"] != "challenge" || o.at("challenge", "id") != id {
			t.Errorf("event %v", o)
		}
	}
	a.post("/api/challenge/"+first+"/accept").want(t, 400, "The challenge has been canceled.")
	for i := range maxPending {
		a.get("/api/challenge/"+second+"/show").want(t, 200, `"status":"created"`)
		name := fmt.Sprint("bot", i)
		s.AddBot(name)
		s.Challenge("alice", name, blitz)
	}
	a.post("/api/challenge/"+second+"/accept").want(t, 404, "Not found")
}

// Either player's games with a clock can be too many for another.
func TestChallenge_TooManyGames(t *testing.T) {
	s := NewServer(t, Options{})
	a, b := bot(t, s, "zhbot"), bot(t, s, "rival")
	s.AddHuman("alice", Idle())
	start := func(spec ChallengeSpec) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.accept(s.challenge(s.mustUser("alice"), s.mustUser("rival"), spec))
	}
	for range maxGames {
		start(ChallengeSpec{Days: 1})
	}
	form := []string{"variant", "crazyhouse", "clock.limit", "180", "clock.increment", "2"}
	a.post("/api/challenge/rival", form...).want(t, 200, "created")
	for range maxGames {
		start(blitz)
	}
	a.post("/api/challenge/rival", form...).want(t, 400, `{"error":"Challenge not created"}`)
	b.post("/api/challenge/zhbot", form...).want(t, 400, `{"error":"Challenge not created"}`)
	a.post("/api/challenge/alice", form...).want(t, 400, `{"error":"Challenge not created"}`)
}

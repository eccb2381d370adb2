package lichesstest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
)

// age makes all challenges older.
func age(s *Server, d time.Duration) {
	s.do(func() {
		for _, c := range s.challenges {
			c.seen = c.seen.Add(-d)
		}
	})
}

// checkChallenges checks the next events: challenges with these ids.
func checkChallenges(t *testing.T, events *stream, ids ...string) {
	t.Helper()
	for _, id := range ids {
		events.next().check(t, "event", "type=challenge challenge.status=created challenge.id="+id)
	}
}

// A second challenge to the same player, of a program or of a scripted user, takes the place
// of the first, without a word. Of more than a hundred to others, the oldest is deleted.
func TestChallenge_TakesThePlaceOfTheLast(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	w.AddHuman("alice", Idle())
	for _, challenge := range []func() string{
		func() string {
			return parse(t, w.say("zhbot POST /api/challenge/rival {blitz} -> 200").body)["id"].(string)
		},
		func() string { return w.Challenge("alice", "rival", blitz) },
	} {
		events := w.events("rival")
		first, second := challenge(), challenge()
		checkChallenges(t, events, first, second)
		w.say("rival POST /api/challenge/" + first + "/accept -> 400 The challenge has been canceled.")
		if list := w.get("rival", "/api/challenge")["in"].([]any); len(list) != 1 {
			t.Errorf("%d challenges are listed", len(list))
		}
		w.say("rival POST /api/challenge/" + second + "/decline")
		w.say("rival POST /api/challenge/" + second + "/accept -> 400 The challenge has been declined.")
	}
	w.offer("alice", "zhbot", blitz)
	for i := range maxPending {
		w.say(`zhbot GET /api/challenge/{id}/show -> 200 "status":"created"`)
		name := fmt.Sprint("bot", i)
		w.AddBot(name)
		w.Challenge("alice", name, blitz)
	}
	w.say("zhbot POST /api/challenge/{id}/accept -> 404 Not found")
}

// A program's challenge that nobody keeps alive is shown as offline after a while and
// is in no list then; a person keeps it alive by the open page.
func TestChallenge_GoesOffline(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	w.AddHuman("alice", Idle())
	person := w.Challenge("alice", "zhbot", blitz)
	w.offer("rival", "zhbot", blitz)
	age(w.Server, expiry+time.Second)
	w.say(`zhbot GET /api/challenge/{id}/show -> 200 "status":"offline"`)
	checkChallenges(t, w.events("zhbot"), person)
	age(w.Server, retention-2*time.Second)
	w.say("zhbot POST /api/challenge/{id}/accept") // all the same
	replaced := w.offer("rival", "zhbot", blitz)
	age(w.Server, expiry+time.Second)
	w.offer("rival", "zhbot", blitz)
	w.say("zhbot POST /api/challenge/" + replaced + "/accept -> 400 The challenge has been canceled.")
	age(w.Server, expiry+retention)
	w.say(`
		zhbot POST /api/challenge/{id}/accept -> 404 Not found
		zhbot POST /api/challenge/{id}/decline -> 404 Not found
		zhbot POST /api/challenge/` + person + "/accept")
}

// A stream keeps a challenge from going offline while it is open.
func TestChallenge_KeptAlive(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	ctx, cancel := context.WithCancel(t.Context())
	form, err := url.ParseQuery(w.fill("{blitz}&keepAliveStream=true"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.programs["zhbot"].request(ctx, "POST", "/api/challenge/rival", form)
	if err != nil {
		t.Fatal(err)
	}
	show := "zhbot GET /api/challenge/" + read(t, r, cancel).next()["id"].(string) + "/show -> 200"
	age(w.Server, time.Hour)
	w.say(show + ` "status":"created"`)
	cancel()
	fixture.Until(t, "the stream ends", func() bool {
		age(w.Server, expiry+time.Second)
		return strings.Contains(w.say(show).body, `"status":"offline"`)
	})
}

// Either player's games with a clock can be too many for another.
func TestChallenge_TooManyGames(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	w.AddHuman("alice", Idle())
	fill := func(spec ChallengeSpec) {
		w.do(func() {
			for range maxGames {
				w.accept(w.challenge(w.mustUser("alice"), w.mustUser("rival"), spec))
			}
		})
	}
	fill(ChallengeSpec{Days: 1})
	w.say("zhbot POST /api/challenge/rival {blitz} -> 200 created")
	fill(blitz)
	w.say(`
		zhbot POST /api/challenge/rival {blitz} -> 400 {"error":"Challenge not created"}
		rival POST /api/challenge/zhbot {blitz} -> 400 {"error":"Challenge not created"}
		zhbot POST /api/challenge/alice {blitz} -> 400 {"error":"Challenge not created"}
	`)
}

func TestChallenge_FormIsChecked(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	w.login("alice", w.AddUser("alice", "", "challenge:write"))
	w.say(`
		zhbot POST /api/challenge/rival {blitz} -> 200 "speed":"blitz"
		zhbot POST /api/challenge/rival variant=crazyhouse&clock.limit=181&clock.increment=2 -> 400 "clock.limit"
		zhbot POST /api/challenge/rival variant=crazyhouse&clock.limit=180&clock.increment=61 -> 400 "clock.increment"
		zhbot POST /api/challenge/rival variant=crazyhouse&clock.limit=15&clock.increment=0 -> 400 error
		zhbot POST /api/challenge/rival variant=crazyhouse&clock.limit=0&clock.increment=0 -> 400 error
		zhbot POST /api/challenge/rival variant=crazyhouse&days=4 -> 400 "days"
		zhbot POST /api/challenge/rival variant=crazyhouse&clock.limit=180 -> 400 "clock.increment":["This field is
		zhbot POST /api/challenge/rival variant=crazyhouse&clock.increment=2 -> 400 "clock.limit":["This field
		zhbot POST /api/challenge/rival variant=crazyhouse&days=3&rated=true -> 400 "global":["can't be rated"]
		zhbot POST /api/challenge/rival variant=crazyhouse&days=3 -> 200 "daysPerTurn":3
		zhbot POST /api/challenge/rival {blitz}&rules=noAbort -> 400 Rules not applicable for bots
		zhbot POST /api/challenge/nobody {blitz} -> 400 No such user
		zhbot POST /api/challenge/ZHBOT {blitz} -> 400 You cannot challenge yourself
		zhbot POST /api/challenge/ai {blitz} -> 404 Not found
		zhbot POST /api/challenge/open {blitz} -> 404 Not found
		alice POST /api/challenge/zhbot variant=crazyhouse&clock.limit=15&clock.increment=0 -> 200 "speed":"ultraBullet"
	`)
	w.CloseAccount("rival")
	w.say("zhbot POST /api/challenge/rival {blitz} -> 400 No such user")
}

// What a challenge became decides what an attempt to take it back says.
func TestChallenge_CancelAfterAnswer(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	w.offer("zhbot", "rival", blitz)
	w.say(`
		rival POST /api/challenge/{id}/decline reason=later
		zhbot POST /api/challenge/{id}/cancel -> 404 Not found
	`)
	w.begin("zhbot", "rival", withWhite(blitz))
	w.say(`
		zhbot POST move/e2e4
		rival POST move/e7e5
		zhbot POST /api/challenge/{id}/cancel -> 400 Missing opponentToken
		rival POST resign
		zhbot POST /api/challenge/{id}/cancel -> 404 Not found
	`)
	w.begin("zhbot", "rival", blitz)
	w.say("zhbot POST /api/challenge/{id}/cancel")
	w.checkResult("aborted", "")
}

// The offer of a rematch is shown to the opponent as a challenge, but is in no list;
// of one that is withdrawn nothing is left, and nobody hears that one is declined. Once it is
// accepted, the game before names it.
func TestRematch_IsNoChallenge(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.AddHuman("alice", Idle())
	events := w.events("zhbot")
	again := func() string {
		rematch := blitz
		rematch.RematchOf = w.begin("alice", "zhbot", blitz)
		w.values["before"] = rematch.RematchOf
		w.say("zhbot POST abort")
		w.offer("alice", "zhbot", rematch)
		events.until("challenge", func(o object) bool { return o.at("challenge.rematchOf") == rematch.RematchOf })
		return w.values["id"]
	}
	first := again()
	if got := w.say("zhbot GET /api/challenge -> 200"); strings.Contains(got.body, first) {
		t.Errorf("listed: %s", got.body)
	}
	w.say(`
		zhbot GET /api/challenge/{id}/show -> 404 Not found
		zhbot POST /api/challenge/{id}/cancel -> 404 Not found
	`)
	w.Cancel(first)
	events.until("challengeCanceled", nil).check(t, "withdrawn",
		"challenge.status=created compat.bot=true challenge.id="+first)
	w.say("zhbot POST /api/challenge/{id}/accept -> 404 Not found")
	again()
	w.say("zhbot POST /api/challenge/{id}/decline")
	checkChallenges(t, events, w.offer("alice", "zhbot", blitz))
	next := again()
	w.say("zhbot POST /api/challenge/{id}/accept")
	before := w.programs["zhbot"].open(w.fill("/api/bot/game/stream/{before}"))
	before.next().check(t, "the game before", "state.rematch="+next)
}

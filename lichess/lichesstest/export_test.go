package lichesstest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

var summer = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

const shortMate = "e2e4 f7f6 d2d4 g7g5 d1h5"

// pastGames adds n games of zhbot, a minute after each other: it has White in every
// second one, and plays Bob in every third.
func pastGames(s *Server, n int) {
	for i := range n {
		opponent := []string{"Alice", "Bob", "Alice"}[i%3]
		g := PastGame{
			ID: fmt.Sprintf("past%04d", i), White: "zhbot", Black: opponent, Created: summer.Add(time.Duration(i) * time.Minute),
			Spec: ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: i%2 == 0}, Moves: shortMate,
			Clocks: []time.Duration{180 * time.Second, 180 * time.Second, 178250 * time.Millisecond, 179 * time.Second, 177 * time.Second},
		}
		if i%2 == 1 {
			g.White, g.Black = g.Black, g.White
		}
		s.AddGame(g)
	}
}

func exportServer(t *testing.T, n int) (s *Server, own *account) {
	t.Helper()
	s = NewServer(t, Options{InMemory: true})
	own = bot(t, s, "zhbot")
	s.AddUser("Alice", "")
	s.AddUser("Bob", "BOT")
	pastGames(s, n)
	return s, own
}

// getAs makes a request that accepts a content type.
func (a *account) getAs(accept, path string) answer {
	a.t.Helper()
	a.accept = accept
	defer func() { a.accept = "" }()
	return a.get(path)
}

const lineType = "application/x-ndjson"

// exportedIDs returns the ids of the games of an answer, the last two digits of each.
func exportedIDs(t *testing.T, got answer) string {
	t.Helper()
	var list []string
	for line := range strings.Lines(got.body) {
		id, _ := parse(t, line)["id"].(string)
		list = append(list, id[len(id)-1:])
	}
	return strings.Join(list, "")
}

func TestExport_Parameters(t *testing.T) {
	s, own := exportServer(t, 6)
	s.AddGame(PastGame{ID: "standar6", White: "zhbot", Black: "Bob", Created: summer.Add(6 * time.Minute), Spec: ChallengeSpec{Limit: time.Minute, Variant: "standard"}, Moves: "e2e4"})
	live := s.Challenge("Alice", "zhbot", blitz)
	own.must("/api/challenge/" + live + "/accept")
	ms := func(minutes int) int64 { return summer.Add(time.Duration(minutes) * time.Minute).UnixMilli() }
	for query, want := range map[string]string{
		"":              "6543210",
		"sort=dateAsc":  "0123456",
		"sort=nonsense": "6543210",
		fmt.Sprintf("since=%d&sort=dateAsc", ms(3)):               "3456",
		fmt.Sprintf("since=%d&until=%d", ms(1), ms(3)):            "321",
		fmt.Sprintf("until=%d", ms(-1)):                           "",
		"since=yesterday":                                         "6543210",
		"perfType=crazyhouse":                                     "543210",
		"perfType=crazyhouse,bullet":                              "6543210",
		"perfType=blitz":                                          "",
		"ongoing=true":                                            live[7:] + "6543210",
		"ongoing=true&perfType=crazyhouse":                        "543210", // the search index has no game in progress
		fmt.Sprintf("ongoing=true&until=%d", ms(6)):               "6543210",
		fmt.Sprintf("since=%d&ongoing=true&sort=dateAsc", ms(60)): live[7:],
	} {
		got := own.getAs(lineType, "/api/games/user/ZHBOT?"+query)
		if ids := exportedIDs(t, got); got.status != http.StatusOK || ids != want {
			t.Errorf("%q: %d, games %s; want %s", query, got.status, ids, want)
		}
	}
	own.get("/api/games/user/nobody").want(t, 404, `{"error":"Not found"}`)
	s.CloseAccount("Bob")
	own.get("/api/games/user/bob").want(t, 404, "Not found")
}

func TestExport_Shape(t *testing.T) {
	s, own := exportServer(t, 0)
	s.AddGame(PastGame{
		ID: "past0000", White: "zhbot", Black: "Alice", Created: summer, Moves: shortMate, RatingDiff: [2]int{3, -4},
		Spec:   ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true},
		Clocks: []time.Duration{180 * time.Second, 180 * time.Second, 178250 * time.Millisecond, 179 * time.Second, 177 * time.Second},
	})
	got := own.getAs("application/json", "/game/export/past0000White?evals=false")
	if kind := got.header.Get("Content-Type"); got.status != 200 || kind != "application/json" {
		t.Fatalf("status %d, %s", got.status, kind)
	}
	want := `{"clock":{"increment":2,"initial":180,"totalTime":260},"clocks":[18000,18000,17825,17900,17700],"createdAt":1782907200000,` +
		`"id":"past0000","lastMoveAt":1782907205000,"moves":"e4 f6 d4 g5 Qh5#","perf":"crazyhouse",` +
		`"players":{"black":{"provisional":true,"rating":1500,"ratingDiff":-4,"user":{"id":"alice","name":"Alice"}},` +
		`"white":{"provisional":true,"rating":2000,"ratingDiff":3,"user":{"id":"zhbot","name":"zhbot","title":"BOT"}}},` +
		`"rated":true,"source":"friend","speed":"blitz","status":"mate","variant":"crazyhouse","winner":"white"}`
	if diff := cmp.Diff(want, strings.TrimSpace(got.body)); diff != "" {
		t.Errorf("game (-want +got):\n%s", diff)
	}
	if game := parse(t, own.getAs(lineType, "/api/games/user/zhbot").body); game["moves"] == nil || game["clocks"] != nil {
		t.Errorf("game %v", game)
	}
	for _, path := range []string{"/api/games/user/zhbot?clocks=true", "/game/export/past0000"} {
		text := own.get(path)
		g, err := pgn.NewReader(strings.NewReader(text.body)).Next()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if g.Tag("Variant") != "Crazyhouse" || g.Tag("WhiteRatingDiff") != "+3" || g.Tag("Termination") != "Normal" || g.Result != rules.WhiteWins ||
			len(g.Moves) != 5 || g.Moves[2].Clock != 178*time.Second || text.header.Get("Content-Type") != "application/x-chess-pgn" {
			t.Errorf("%s: %s", path, text.body)
		}
	}
	if unknown := own.get("/game/export/nonesuch"); unknown.status != 404 || unknown.body != "" {
		t.Errorf("unknown game: %d %q", unknown.status, unknown.body)
	}
}

// The last moves of a game in progress are not exported.
func TestExport_Ongoing(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	anyone := login(t, s, "")
	moves := func() string {
		text, _ := parse(t, anyone.getAs(lineType, "/game/export/"+id).body)["moves"].(string)
		return text
	}
	both(white, black, id, "e2e4 e7e5 g1f3 b8c6")
	if got := moves(); got != "e4 e5 Nf3 Nc6" {
		t.Errorf("after 4 moves: %s", got)
	}
	both(white, black, id, "f1c4 f8c5 c2c3 g8f6 d2d3 d7d6")
	if got := moves(); got != "e4 e5 Nf3 Nc6 Bc4 Bc5 c3" {
		t.Errorf("after 10 moves: %s", got)
	}
	anyone.get("/game/export/"+id).want(t, 200, `[Termination "Unterminated"]`)
	white.must("/api/bot/game/" + id + "/resign")
	final := parse(t, anyone.getAs(lineType, "/game/export/"+id).body)
	if clocks, _ := final["clocks"].([]any); final["status"] != "resign" || len(clocks) != 10 || final["moves"] != "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6" {
		t.Errorf("final %v", final)
	}
}

// Games come at a rate that depends on who asks.
func TestExport_Rate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, own := exportServer(t, 20)
		for name, tt := range map[string]struct {
			who  *account
			rate float64
		}{
			"own":       {own, 60},
			"token":     {bot(t, s, "other"), 30},
			"anonymous": {login(t, s, ""), 25},
		} {
			start := time.Now()
			got := tt.who.getAs(lineType, fmt.Sprintf("/api/games/user/zhbot?until=%d", summer.AddDate(1, 0, 0).UnixMilli())) // the bubble's clock is behind
			least := time.Duration((20 - 0.1*tt.rate) / tt.rate * float64(time.Second))
			if took := time.Since(start); took < least || strings.Count(got.body, "\n") != 20 {
				t.Errorf("%s: %d games in %s, want at least %s", name, strings.Count(got.body, "\n"), took, least)
			}
		}
		login(t, s, "lip_none").get("/api/games/user/zhbot").want(t, 401, "No such token")
	})
}

// One export at a time from an address, two of a user's own games.
func TestExport_OneAtATime(t *testing.T) {
	s, own := exportServer(t, 1)
	anyone := login(t, s, "")
	const path = "/api/games/user/zhbot"
	var running []*stream
	for _, a := range []*account{anyone, own, own} {
		s.Faults.Inject("stall", When{Next: 1})
		export := a.open(path)
		export.line() // it is counted, and silent now
		running = append(running, export)
	}
	for _, a := range []*account{anyone, own, bot(t, s, "other")} {
		a.get(path).want(t, 429, "Please only run 1 request(s) at a time")
	}
	for _, s := range running {
		s.cancel()
	}
	waittest.Until(t, "the exports are no longer counted", func() bool {
		return own.get(path+"").status == 200 && anyone.get(path+"").status == 200
	})
}

// An export can be cut in a game, and limited.
func TestExport_Faults(t *testing.T) {
	s, own := exportServer(t, 3)
	s.Faults.Inject("cut", When{Next: 1})
	if got, err := own.try("GET", "/api/games/user/zhbot", nil); err == nil {
		t.Errorf("got %q", got.body)
	}
	s.Faults.Inject("limit", When{Class: "export", For: time.Hour, Style: LimitPlain})
	own.get("/api/games/user/zhbot").want(t, 429, tooManyRequests)
	own.get("/game/export/past0000").want(t, 429, tooManyRequests)
	s.Faults.Clear()
	if got := own.getAs(lineType, "/api/games/user/zhbot"); strings.Count(got.body, "\n") != 3 {
		t.Errorf("got %q", got.body)
	}
}

func TestUser(t *testing.T) {
	s, own := exportServer(t, 2)
	anyone := login(t, s, "")
	for _, a := range []*account{own, anyone} {
		got := parse(t, a.get("/api/user/ALICE").body)
		if got["username"] != "Alice" || got.at("count", "all") != 1.0 || got.at("perfs", "crazyhouse", "games") != 1.0 {
			t.Errorf("user %v", got)
		}
	}
	anyone.get("/api/user/nobody").want(t, 404, "Not found")
	s.CloseAccount("Bob")
	anyone.get("/api/user/bob").want(t, 200, `"disabled":true`)
}

package lichesstest

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
)

func TestChallenge_FormIsChecked(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	bot(t, s, "rival")
	for _, tt := range []struct {
		form   []string
		status int
		part   string
	}{
		{[]string{"variant", "crazyhouse", "clock.limit", "180", "clock.increment", "2"}, 200, `"speed":"blitz"`},
		{[]string{"variant", "crazyhouse", "clock.limit", "181", "clock.increment", "2"}, 400, `"clock.limit"`},
		{[]string{"variant", "crazyhouse", "clock.limit", "180", "clock.increment", "61"}, 400, `"clock.increment"`},
		{[]string{"variant", "crazyhouse", "clock.limit", "15", "clock.increment", "0"}, 400, "error"},
		{[]string{"variant", "crazyhouse", "clock.limit", "0", "clock.increment", "0"}, 400, "error"},
		{[]string{"variant", "crazyhouse", "days", "4"}, 400, `"days"`},
		{[]string{"variant", "crazyhouse", "clock.limit", "180"}, 400, `"clock.increment":["This field is required"]`},
		{[]string{"variant", "crazyhouse", "clock.increment", "2"}, 400, `"clock.limit":["This field is required"]`},
		{[]string{"variant", "crazyhouse", "days", "3", "rated", "true"}, 400, `"global":["can't be rated"]`},
		{[]string{"variant", "crazyhouse", "days", "3"}, 200, `"daysPerTurn":3`},
		{[]string{"variant", "crazyhouse", "rules", "noAbort", "clock.limit", "180", "clock.increment", "2"}, 400, "Rules not applicable for bots"},
	} {
		a.post("/api/challenge/rival", tt.form...).want(t, tt.status, tt.part)
	}
	a.post("/api/challenge/nobody", "variant", "crazyhouse", "clock.limit", "180", "clock.increment", "2").want(t, 400, "No such user")
	s.CloseAccount("rival")
	a.post("/api/challenge/rival", "variant", "crazyhouse", "clock.limit", "180", "clock.increment", "2").want(t, 400, "No such user")
	human := login(t, s, s.AddUser("alice", "", "challenge:write"))
	human.post("/api/challenge/zhbot", "variant", "crazyhouse", "clock.limit", "15", "clock.increment", "0").want(t, 200, `"speed":"ultraBullet"`)
}

func TestEvents_ReplayOnConnect(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddHuman("alice", Idle())
	id := s.Challenge("alice", "zhbot", blitz)
	first := a.open("/api/stream/event")
	if c := first.until("challenge", nil); c.at("challenge", "id") != id || c.at("challenge", "challenger", "id") != "alice" {
		t.Errorf("challenge %v", c)
	}
	a.must("/api/challenge/" + id + "/accept")
	if g := first.until("gameStart", nil); g.at("game", "gameId") != id {
		t.Errorf("start %v", g)
	}
	second := a.open("/api/stream/event") // ends the first
	if g := second.until("gameStart", nil); g.at("game", "gameId") != id || g.at("game", "status", "name") != "started" {
		t.Errorf("replayed %v", g)
	}
	first.end()
	a.post("/api/challenge/"+id+"/accept").want(t, 404, "Not found")
}

// What a challenge became decides what an attempt to take it back says.
func TestChallenge_CancelAfterAnswer(t *testing.T) {
	s := NewServer(t, Options{})
	a, b := bot(t, s, "zhbot"), bot(t, s, "rival")
	cancel := func(id string) answer { return a.post("/api/challenge/" + id + "/cancel") }
	declined := s.Challenge("zhbot", "rival", blitz)
	b.must("/api/challenge/"+declined+"/decline", "reason", "later")
	cancel(declined).want(t, 404, "Not found")
	played := s.Challenge("zhbot", "rival", withWhite(blitz))
	b.must("/api/challenge/" + played + "/accept")
	a.must("/api/bot/game/" + played + "/move/e2e4")
	b.must("/api/bot/game/" + played + "/move/e7e5")
	cancel(played).want(t, 400, "Missing opponentToken")
	b.must("/api/bot/game/" + played + "/resign")
	cancel(played).want(t, 404, "Not found")
	fresh := s.Challenge("zhbot", "rival", blitz)
	b.must("/api/challenge/" + fresh + "/accept")
	cancel(fresh).want(t, 200, "true")
	if result, _ := s.Game(fresh); result.Status != "aborted" {
		t.Errorf("the game is %s", result.Status)
	}
}

// The list of statuses needs names.
func TestUsers_StatusOfNobody(t *testing.T) {
	s := NewServer(t, Options{})
	bot(t, s, "zhbot").get("/api/users/status").want(t, 400, "No user ids provided")
}

func withWhite(spec ChallengeSpec) ChallengeSpec {
	spec.Color = "white"
	return spec
}

func TestEvents_OpeningsAreLimited(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	for range 30 {
		a.open("/api/stream/event").cancel()
	}
	a.get("/api/stream/event").want(t, 429, "Please don't poll this endpoint")
}

func TestStreams_KeepAlive(t *testing.T) {
	s := NewServer(t, Options{KeepAlive: time.Millisecond})
	st := bot(t, s, "zhbot").open("/api/stream/event")
	for range 3 {
		if line, open := st.line(); line != "" || !open {
			t.Fatalf("line %q, open %v", line, open)
		}
	}
}

// A whole game by hand, to the drop mate of the contract's sample.
func TestGame_ToDropMate(t *testing.T) {
	s, white, black, id := match(t, Options{}, ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true})
	st := white.open("/api/bot/game/stream/" + id)
	full := st.until("gameFull", nil)
	if full["initialFen"] != "startpos" || full.at("clock", "initial") != 180000.0 || full.at("state", "moves") != "" {
		t.Errorf("first line %v", full)
	}
	both(white, black, id, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 b1c3 c5f8 c4f7 e8f7 f3g5 f7g8")
	castled := st.until("gameState", func(o object) bool { return strings.Count(o["moves"].(string), " ") == 6 })
	if !strings.HasSuffix(castled["moves"].(string), "e1h1") {
		t.Errorf("castling is written %v", castled["moves"])
	}
	white.play(id, "P@f7")
	lines := st.end()
	last := lines[len(lines)-1]
	if last["status"] != "mate" || last["winner"] != "white" {
		t.Errorf("last line %v", last)
	}
	again := black.open("/api/bot/game/stream/" + id)
	if over := again.end(); len(over) != 1 || over[0].at("state", "status") != "mate" {
		t.Errorf("a finished game streams %v", over)
	}
	if r, known := s.Game(id); !known || r.Winner != "white" || r.Plies != 15 {
		t.Errorf("result %+v", r)
	}
	if a, b := s.Audit("White"), s.Audit("Black"); a.Moves != 8 || a.Illegal+b.Illegal > 0 {
		t.Errorf("audits %+v, %+v", a, b)
	}
	white.get("/api/account").want(t, 200, `"rating":2234`)
}

func TestMoves_Refused(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	move := func(a *account, uci string) answer { return a.post("/api/bot/game/" + id + "/move/" + uci) }
	move(black, "e7e5").want(t, 400, "Not your turn, or game already over")
	move(white, "e2e5").want(t, 400, "Piece on e2 cannot move to e5")
	move(white, "p@e4").want(t, 400, "Invalid UCI: p@e4")
	white.play(id, "e2e4")
	move(white, "e2e4").want(t, 400, "Not your turn")
	bot(t, s, "stranger").post("/api/bot/game/"+id+"/move/e7e5").want(t, 404, "Not your game")
	white.post("/api/bot/game/nosuch12/move/e7e5").want(t, 404, "No such game")
	black.play(id, "e7e5")
	if a, b := s.Audit("White"), s.Audit("Black"); b.OutOfTurn != 1 || a.Illegal != 2 || a.Duplicates != 1 {
		t.Errorf("audits %+v, %+v", a, b)
	}
	white.post("/api/bot/game/"+id+"/abort").want(t, 400, "can no longer be aborted")
	white.post("/api/bot/game/"+id+"/berserk").want(t, 400, "Cannot berserk")
	white.must("/api/bot/game/" + id + "/resign")
	white.post("/api/bot/game/"+id+"/resign").want(t, 400, "cannot be resigned")
}

// The third occurrence ends a bot's game, in two lines with equal moves.
func TestGame_ThreefoldIsClaimed(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	st := white.open("/api/bot/game/stream/" + id)
	const shuffle = "g1f3 g8f6 f3g1 f6g8 "
	both(white, black, id, shuffle+shuffle)
	lines := st.end()
	before, last := lines[len(lines)-2], lines[len(lines)-1]
	if before["moves"] != last["moves"] || before["status"] != "started" || last["status"] != "draw" {
		t.Errorf("last lines %v, %v", before, last)
	}
	if r, _ := s.Game(id); r.Status != "draw" || r.Winner != "" {
		t.Errorf("result %+v", r)
	}
}

func TestGame_FlagsByTimer(t *testing.T) {
	s, white, black, id := match(t, Options{AnyClock: true}, ChallengeSpec{Limit: 30 * time.Millisecond})
	both(white, black, id, "e2e4 e7e5")
	waittest.Until(t, "White is out of time", func() bool {
		r, _ := s.Game(id)
		return r.Status == "outoftime" && r.Winner == "black" && r.WhiteLeft == 0
	})
	if a, b := s.Audit("White"), s.Audit("Black"); a.LostOnTime != 1 || b.LostOnTime != 0 {
		t.Errorf("audits %+v, %+v", a, b)
	}
}

func TestGame_DrawByAgreement(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	both(white, black, id, "e2e4 e7e5")
	white.must("/api/bot/game/" + id + "/draw/yes")
	black.must("/api/bot/game/" + id + "/draw/yes")
	if r, _ := s.Game(id); r.Status != "draw" {
		t.Errorf("result %+v", r)
	}
}

func TestFaults_Requests(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	s.Faults.Inject("fail", When{Class: "move", Next: 1, Status: 503})
	white.post("/api/bot/game/"+id+"/move/e2e4").want(t, 503, "<html>")
	s.Faults.Inject("lose", When{Class: "move", Next: 1})
	if got, err := white.try("POST", "/api/bot/game/"+id+"/move/e2e4", nil); err == nil {
		t.Errorf("a lost reply came: %v", got)
	}
	black.play(id, "e7e5") // the lost reply's move was played
	for style, want := range map[LimitStyle]string{
		LimitPlain: "Too many requests", LimitSeconds: `"seconds":`, LimitRetryAfter: "Too many", LimitHTML: "<html>",
	} {
		s.Faults.Inject("limit", When{Class: "move", For: time.Minute, Style: style})
		got := white.post("/api/bot/game/" + id + "/move/g1f3")
		got.want(t, http.StatusTooManyRequests, want)
		if (got.header.Get("Retry-After") != "") != (style == LimitRetryAfter) {
			t.Errorf("style %d: Retry-After %q", style, got.header.Get("Retry-After"))
		}
	}
	white.get("/api/account").want(t, 200, "White") // another class
	s.Faults.Clear()
	white.play(id, "g1f3")
	s.Restart(time.Minute)
	white.get("/api/account").want(t, 502, "")
	s.Faults.Clear()
	white.get("/api/account").want(t, 200, "White")
}

func TestFaults_Streams(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	st := white.open("/api/bot/game/stream/" + id)
	st.until("gameFull", nil)
	s.Faults.Inject("duplicate", When{Chance: 1})
	s.Faults.Inject("chunk", When{Chance: 1})
	white.play(id, "e2e4")
	for range 2 {
		if o := st.next(); o["moves"] != "e2e4" {
			t.Errorf("line %v", o)
		}
	}
	s.Faults.Inject("odd", When{Chance: 1})
	black.play(id, "e7e5")
	kinds := ""
	for !strings.HasSuffix(kinds, `{"type":|`) { // the malformed line
		line, open := st.line()
		if !open {
			t.Fatal("the stream ended")
		}
		kinds += line + "|"
	}
	if !strings.Contains(kinds, "e2e4 e7e5") || !strings.Contains(kinds, "weather") {
		t.Errorf("lines %s", kinds)
	}
	s.Faults.Clear()
	s.Faults.Inject("cut", When{Next: 1})
	white.play(id, "g1f3")
	for open := true; open; _, open = st.line() {
	}
	if st.err == nil {
		t.Error("a cut stream ended cleanly")
	}
	st = white.open("/api/bot/game/stream/" + id)
	st.until("gameFull", nil)
	s.Faults.Inject("stall", When{Next: 1})
	black.play(id, "b8c6")
	st.until("gameState", nil) // the last line
	white.play(id, "f1c4")
	other := black.open("/api/bot/game/stream/" + id)
	if o := other.until("gameFull", nil); o.at("state", "moves") != "e2e4 e7e5 g1f3 b8c6 f1c4" {
		t.Errorf("after the stall %v", o)
	}
	if !st.empty() {
		t.Error("a stalled stream goes on")
	}
}

func TestFaults_BlackHole(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.Faults.Inject("hole", When{Next: 1})
	a.http.Timeout = 50 * time.Millisecond
	if got, err := a.try("GET", "/api/account", nil); err == nil {
		t.Errorf("answered %v", got)
	}
	a.http.Timeout = patience
	a.get("/api/account").want(t, 200, "zhbot")
}

func TestTLS(t *testing.T) {
	known := httptest.NewTLSServer(nil)
	t.Cleanup(known.Close)
	s := NewServer(t, Options{TLS: known.TLS})
	a := bot(t, s, "zhbot")
	if _, err := a.try("GET", "/api/account", nil); err == nil {
		t.Error("an unknown authority is trusted")
	}
	transport := a.http.Transport.(*http.Transport)
	transport.TLSClientConfig = transport.TLSClientConfig.Clone()
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(known.Certificate())
	a.get("/api/account").want(t, 200, "zhbot")
}

func TestRunGames_PlaysTheSeries(t *testing.T) {
	s := NewServer(t, Options{})
	s.AddBotPlayer("zhbot", Greedy(1))
	s.AddHuman("a", Random(2))
	s.AddHuman("b", Random(3))
	seen := 0
	err := s.RunGames(t.Context(), Schedule{
		Bot: "zhbot", Opponents: []string{"a", "b"}, Games: 6, Concurrency: 3,
		Spec: func(int) ChallengeSpec { return blitz },
	}, func(r Result) {
		seen++
		if r.Status == "" || r.Plies == 0 || r.Status == "started" {
			t.Errorf("result %+v", r)
		}
	})
	if a := s.Audit("zhbot"); err != nil || seen != 6 || a.MaxConcurrent > 3 {
		t.Errorf("%d games, %v, audit %+v", seen, err, a)
	}
}

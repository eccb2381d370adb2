package lichesstest

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEvents_ReplayOnConnect(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.AddHuman("alice", Idle())
	id := w.offer("alice", "zhbot", blitz)
	w.login("another token", w.AddToken("zhbot", "bot:play"))
	first, other := w.events("zhbot"), w.events("another token")
	first.until("challenge", nil).check(t, "challenge", "challenge.challenger.id=alice challenge.id="+id)
	w.say("zhbot POST /api/challenge/{id}/accept")
	first.until("gameStart", nil).check(t, "start", "game.gameId="+id)
	w.events("zhbot").until("gameStart", nil).check(t, "replayed", "game.status.name=started game.gameId="+id)
	first.end() // by the second stream of its token
	w.Perform(id, "alice", Action{Abort: true})
	for _, event := range []string{"challenge", "gameStart", "gameFinish"} {
		other.until(event, nil)
	}
	w.say(`
		zhbot POST /api/challenge/{id}/accept -> 404 Not found
		zhbot GET /api/users/status -> 400 No user ids provided
	`)
}

func TestEvents_OpeningsAreLimited(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	for range 30 {
		w.events("zhbot").cancel()
	}
	w.say(`zhbot GET /api/stream/event -> 429 operation/apiStreamEvent."}`)
}

func TestStreams_KeepAlive(t *testing.T) {
	st := start(t, Options{KeepAlive: time.Millisecond}, "zhbot").events("zhbot")
	for range 3 {
		if line, open := st.line(); line != "" || !open {
			t.Fatalf("line %q, open %v", line, open)
		}
	}
}

// A whole game by hand, to the drop mate of the contract's sample.
func TestGame_ToDropMate(t *testing.T) {
	w := match(t, Options{}, ratedBlitz)
	st := w.watch("White")
	st.until("gameFull", nil).check(t, "first line", "initialFen=startpos clock.initial=180000 state.moves=")
	w.play("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 b1c3 c5f8 c4f7 e8f7 f3g5 f7g8")
	castled := st.until("gameState", func(o object) bool { return strings.Count(o["moves"].(string), " ") == 6 })
	if !strings.HasSuffix(castled["moves"].(string), "e1h1") {
		t.Errorf("castling is written %v", castled["moves"])
	}
	w.play("P@f7")
	lines := st.end()
	lines[len(lines)-1].check(t, "last line", "status=mate winner=white")
	over := w.watch("Black").end()
	if over[0].check(t, "a finished game", "state.status=mate"); len(over) != 1 {
		t.Errorf("a finished game streams %v", over)
	}
	if r := w.result(); r.Winner != "white" || r.Plies != 15 {
		t.Errorf("result %+v", r)
	}
	if a, b := w.Audit("White"), w.Audit("Black"); a.Moves != 8 || a.Illegal+b.Illegal > 0 {
		t.Errorf("audits %+v, %+v", a, b)
	}
	w.say(`White GET /api/account -> 200 "rating":2117`)
}

func TestMoves_Refused(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.login("stranger", w.AddBot("stranger"))
	w.say(`
		Black POST move/e7e5 -> 400 Not your turn, or game already over
		White POST move/e2e5 -> 400 Piece on e2 cannot move to e5
		White POST move/p@e4 -> 400 Invalid UCI: p@e4
		White POST move/e2e4
		White POST move/e2e4 -> 400 Not your turn
		stranger POST move/e7e5 -> 404 Not your game
		White POST /api/bot/game/nosuch12/move/e7e5 -> 404 No such game
		Black POST move/e7e5
		White POST abort -> 400 can no longer be aborted
		White POST berserk -> 400 Cannot berserk
		White POST resign
		White POST resign -> 400 cannot be resigned
	`)
	if a, b := w.Audit("White"), w.Audit("Black"); b.OutOfTurn != 1 || a.Illegal != 2 || a.Duplicates != 1 {
		t.Errorf("audits %+v, %+v", a, b)
	}
}

// The third occurrence ends a bot's game, in two lines with equal moves.
func TestGame_ThreefoldIsClaimed(t *testing.T) {
	w := match(t, Options{}, blitz)
	st := w.watch("White")
	w.play(strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", 2))
	lines := st.end()
	before, last := lines[len(lines)-2], lines[len(lines)-1]
	if before["moves"] != last["moves"] || before["status"] != "started" || last["status"] != "draw" {
		t.Errorf("last lines %v, %v", before, last)
	}
	w.checkResult("draw", "")
}

// A flag that has fallen is seen at the next move, or after up to 7 s.
func TestGame_FlagsByTimer(t *testing.T) {
	for after, see := range map[time.Duration]func(*world){
		7*time.Second - 1: func(*world) {
			time.Sleep(time.Nanosecond)
			synctest.Wait()
		},
		time.Second: func(w *world) { w.say("White POST move/g1f3 -> 400 Not your turn, or game already over") },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := match(t, Options{AnyClock: true, InMemory: true}, ChallengeSpec{Limit: 30 * time.Millisecond})
			w.play("e2e4 e7e5")
			time.Sleep(after)
			w.checkResult(statusStarted, "")
			see(w)
			w.checkResult("outoftime", "black")
			if left := w.result().WhiteLeft; left != 0 {
				t.Errorf("%s left", left)
			}
			if a, b := w.Audit("White"), w.Audit("Black"); a.LostOnTime != 1 || b.LostOnTime != 0 {
				t.Errorf("audits %+v, %+v", a, b)
			}
		})
	}
}

func TestFaults_Requests(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.Faults.Inject("fail", When{Class: "move", Next: 1, Status: 503})
	w.say("White POST move/e2e4 -> 503 <html>")
	w.Faults.Inject("lose", When{Class: "move", Next: 1})
	if got, err := w.programs["White"].try("POST", w.fill("/api/bot/game/{id}/move/e2e4"), nil); err == nil {
		t.Errorf("a lost reply came: %v", got)
	}
	w.say("Black POST move/e7e5") // the lost reply's move was played
	for form, want := range map[string]string{
		"": "Too many requests", "seconds": `"seconds":`, "header": "Too many", "page": "<html>",
	} {
		w.Faults.Inject("limit", When{Class: "move", For: time.Minute, Text: form})
		wait := w.say("White POST move/g1f3 -> 429 " + want).header.Get("Retry-After")
		if (wait != "") != (form == "header") {
			t.Errorf("%q: Retry-After %q", form, wait)
		}
	}
	w.say("White GET /api/account -> 200 White") // another class
	w.Faults.Clear()
	w.say("White POST move/g1f3")
	w.Restart(time.Minute)
	w.say("White GET /api/account -> 502")
	w.Faults.Clear()
	w.say("White GET /api/account -> 200 White")
}

func TestFaults_Streams(t *testing.T) {
	w := match(t, Options{}, blitz)
	st := w.watch("White")
	st.until("gameFull", nil)
	w.Faults.Inject("duplicate", When{Chance: 1})
	w.Faults.Inject("chunk", When{Chance: 1})
	w.say("White POST move/e2e4")
	for range 2 {
		st.next().check(t, "line", "moves=e2e4")
	}
	w.Faults.Inject("odd", When{Chance: 1})
	w.say("Black POST move/e7e5")
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
	w.Faults.Clear()
	w.Faults.Inject("cut", When{Next: 1})
	w.say("White POST move/g1f3")
	for open := true; open; _, open = st.line() {
	}
	if st.err == nil {
		t.Error("a cut stream ended cleanly")
	}
	st = w.watch("White")
	st.until("gameFull", nil)
	w.Faults.Inject("stall", When{Next: 1})
	w.say("Black POST move/b8c6")
	st.until("gameState", nil) // the last line
	w.say("White POST move/f1c4")
	if o := w.watch("Black").until("gameFull", nil); o.at("state.moves") != "e2e4 e7e5 g1f3 b8c6 f1c4" {
		t.Errorf("after the stall %v", o)
	}
	if !st.empty() {
		t.Error("a stalled stream goes on")
	}
}

func TestTLS(t *testing.T) {
	known := httptest.NewTLSServer(nil)
	t.Cleanup(known.Close)
	w := start(t, Options{TLS: known.TLS}, "zhbot")
	a := w.programs["zhbot"]
	if _, err := a.try("GET", "/api/account", nil); err == nil {
		t.Error("an unknown authority is trusted")
	}
	transport := a.http.Transport.(*http.Transport)
	transport.TLSClientConfig = transport.TLSClientConfig.Clone()
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(known.Certificate())
	w.say("zhbot GET /api/account -> 200 zhbot")
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

// A bot that refuses is asked again after pauses that double up to a minute, or not at all.
func TestRunGames_Refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(t, Options{InMemory: true})
		s.AddBotPlayer("zhbot", Idle())
		s.AddHuman("alice", Idle())
		s.AnswerChallenges("zhbot", func(ChallengeSpec) Answer { return Answer{Decline: "casual"} })
		plan := Schedule{
			Bot: "zhbot", Opponents: []string{"alice"}, Spec: func(int) ChallengeSpec { return blitz },
		}
		if err := s.RunGames(t.Context(), plan, nil); err == nil || !strings.HasSuffix(err.Error(), "declined casual") {
			t.Errorf("refused: %v", err)
		}
		refused, asked := 0, 0 // the last time when the context ends
		plan.OnRefused = func(error) { refused++ }
		for reason, want := range map[string]int{"casual": 18, "later": 0} {
			refused, asked = 0, 0
			s.AnswerChallenges("zhbot", func(ChallengeSpec) Answer {
				asked++
				return Answer{Decline: reason}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			err := s.RunGames(ctx, plan, nil)
			if err != context.DeadlineExceeded || asked != 19 || refused != want {
				t.Errorf("%s: asked %d times, refused %d, then %v", reason, asked, refused, err)
			}
		}
	})
}

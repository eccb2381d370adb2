package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// viewOf returns a game of ours as White after some moves.
func viewOf(t *testing.T, id string, moves ...string) event.GameView {
	board := rulestest.Game(t, moves...)
	return event.GameView{
		Summary: record.Summary{
			ID: id, Site: "https://lichess.org/" + id,
			White: record.Player{Name: "zhbot", Title: "BOT", Rating: 2000}, Black: record.Player{Name: "alice", Rating: 1900},
			Rated: true, Speed: "blitz", Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Status: "started",
		},
		Us: rules.White, Board: board, Notes: make([]record.Note, board.Ply()),
		Clocks: [2]time.Duration{time.Minute, 2 * time.Minute}, Running: board.Ply() >= 2, At: time.UnixMilli(1e12),
	}
}

func withEnd(v event.GameView, status lichess.Status, result rules.Result) event.GameView {
	v.Status, v.Result, v.Running = status, result, false
	return v
}

// decodePart decodes a part as sent to a viewer; ok is false if there is none.
func decodePart[P any](t *testing.T, p *Page, name string, all bool) (of P, ok bool) {
	t.Helper()
	sent := sentAtOnce(t, p, all)
	i := slices.IndexFunc(sent, func(m web.Message) bool { return m.Name == name })
	if i < 0 {
		return of, false
	}
	if err := json.Unmarshal(sent[i].Value, &of); err != nil {
		t.Fatal(err)
	}
	return of, true
}

// sentAtOnce returns what a new viewer is sent.
func sentAtOnce(t *testing.T, p *Page, all bool) []web.Message {
	t.Helper()
	parts, _ := p.parts(all)
	list, err := web.Sent{}.Changes(time.Now(), parts)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPage_ShowsAGame(t *testing.T) {
	p := newTestPage(t, Options{})
	v := viewOf(t, "abc", "e2e4", "d7d5", "e4d5", "d8d5")
	v.Notes[2] = record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 120}, Depth: 9}}
	p.Observe(event.GameChanged{GameView: v})
	p.Observe(event.Searching{Game: "abc", Board: v.Board})
	info := engine.Info{Depth: 7, Score: 35, Nodes: 4000, PV: []rules.Move{parseMove(t, "b1c3"), parseMove(t, "d5a5"), parseMove(t, "P@d5")}}
	p.Observe(event.Searching{Game: "abc", Board: v.Board, Info: info})

	got, ok := decodePart[gamePart](t, p, "game/abc", true)
	if !ok {
		t.Fatal("the game is not shown")
	}
	if got.FEN != v.Board.Position().FEN() || got.Last != "d8d5" || strings.Join(got.Moves, " ") != "e4 d5 exd5 Qxd5" {
		t.Errorf("position %s, last %s, moves %v", got.FEN, got.Last, got.Moves)
	}
	if got.White.Name != "zhbot" || got.Black.Rating != 1900 || got.Us != "white" || got.Control != "3+2" || !got.Rated || got.Over {
		t.Errorf("game %+v", got)
	}
	if c := got.Clock; c == nil || c.White != 60000 || c.Black != 120000 || !c.Running || c.At != 1e12 {
		t.Errorf("clock %+v", c)
	}
	want := web.Evaluation{Centipawns: 35, Depth: 7, Nodes: 4000, Searching: true, Line: "3. Nc3 Qa5 4. P@d5"}
	if got.Eval == nil || *got.Eval != want {
		t.Errorf("evaluation %+v, want %+v", got.Eval, want)
	}
	if len(got.Curve) != 1 || got.Curve[0] != (curvePart{Ply: 3, Centipawns: 120}) {
		t.Errorf("curve %+v", got.Curve)
	}
	status, _ := decodePart[botPart](t, p, "bot", true)
	if status.Searching != 1 || status.NPS != 4000/meterSeconds {
		t.Errorf("%d searches, %d nodes/s", status.Searching, status.NPS)
	}
	p.Observe(event.Searched{Game: "abc", Board: v.Board, Info: info})
	p.Observe(event.Searching{Game: "abc", Board: v.Board, Info: info}) // after the search has ended
	if status, _ := decodePart[botPart](t, p, "bot", true); status.Searching != 0 || status.NPS != 4000/meterSeconds {
		t.Errorf("after the search: %d searches, %d nodes/s", status.Searching, status.NPS)
	}
}

// parseMove parses a move without checking its legality.
func parseMove(t *testing.T, uci string) rules.Move {
	t.Helper()
	to, err := rules.ParseSquare(uci[2:4])
	if err != nil {
		t.Fatal(err)
	}
	if uci[1] == '@' {
		return rules.NewDrop(rules.Pawn, to)
	}
	from, err := rules.ParseSquare(uci[:2])
	if err != nil {
		t.Fatal(err)
	}
	return rules.NewMove(from, to)
}

// The analysis of a game in progress is sent to trusted viewers only, that of a finished
// game to all.
func TestPage_WithholdsAnalysis(t *testing.T) {
	p := newTestPage(t, Options{})
	v := viewOf(t, "abc", "e2e4", "d7d5")
	v.Notes[0] = record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 4242}, Depth: 9}}
	p.Observe(event.GameChanged{GameView: v})
	p.Observe(event.Searching{Game: "abc", Board: v.Board, Info: engine.Info{Depth: 31, Score: 4343, Nodes: 77, PV: []rules.Move{parseMove(t, "e4d5")}}})
	got, _ := decodePart[gamePart](t, p, "game/abc", false)
	if !got.Hidden || got.Eval != nil || got.Curve != nil {
		t.Errorf("shown to anyone: %+v", got)
	}
	for _, part := range sentAtOnce(t, p, false) {
		for _, secret := range []string{"4242", "4343", "exd5", `"depth"`} {
			if strings.Contains(string(part.Value), secret) {
				t.Errorf("%s contains %s: %s", part.Name, secret, part.Value)
			}
		}
	}
	if got, _ := decodePart[gamePart](t, p, "game/abc", true); got.Hidden || got.Eval == nil || len(got.Curve) != 1 {
		t.Errorf("shown to the trusted: %+v", got)
	}
	p.Observe(event.GameChanged{GameView: withEnd(v, "resign", rules.WhiteWins)})
	if got, _ := decodePart[gamePart](t, p, "game/abc", false); got.Hidden || got.Eval == nil || len(got.Curve) != 1 {
		t.Errorf("shown after the end: %+v", got)
	}
}

func TestPage_EndOfAGame(t *testing.T) {
	p := newTestPage(t, Options{})
	v := viewOf(t, "abc", "e2e4", "d7d5")
	p.Observe(event.LoggedIn{Account: "zhbot", Rating: 2000})
	p.Observe(event.EngineReady{Program: "Fairy-Stockfish 11.1"})
	p.Observe(event.GameChanged{GameView: v})
	p.Observe(event.Searching{Game: "abc", Board: v.Board})
	p.Observe(event.GameChanged{GameView: withEnd(v, "outoftime", rules.BlackWins)})
	p.Observe(event.GameEnded{GameView: withEnd(v, "outoftime", rules.BlackWins), RatingDiff: -7})
	got, _ := decodePart[gamePart](t, p, "game/abc", true)
	if !got.Over || got.Result != "Black won on time" || got.Score != "loss" || got.RatingDiff != -7 || got.Clock.Running {
		t.Errorf("the end is shown as %+v", got)
	}
	status, _ := decodePart[botPart](t, p, "bot", true)
	if records, _ := decodePart[recordsPart](t, p, "records", true); status.Rating != 1993 || status.Program != "Fairy-Stockfish 11.1" || status.Searching != 0 || records != (recordsPart{1, "zhbot"}) {
		t.Errorf("rating %d, %d searches, records %+v", status.Rating, status.Searching, records)
	}
	p.Observe(event.RatingShown{Rating: 1980})
	if status, _ := decodePart[botPart](t, p, "bot", true); status.Rating != 1980 {
		t.Errorf("rating %d", status.Rating)
	}
	p.Observe(event.GameAbandoned{Game: "abc", Err: errors.New("gone")})
	if _, ok := decodePart[gamePart](t, p, "game/abc", true); ok {
		t.Error("an abandoned game is shown")
	}
}

// Games keep their board slots. A new one gets a free slot, then that of the game that
// ended first, and only then one more.
func TestHub_BoardSlots(t *testing.T) {
	h := newHub(new(Options))
	h.maxGames = 3
	begin := func(id string) { h.observe(event.GameChanged{GameView: viewOf(t, id)}) }
	end := func(id string) {
		h.observe(event.GameChanged{GameView: withEnd(viewOf(t, id), "resign", rules.WhiteWins)})
	}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { begin("a"); begin("b") }, "[a b]"},
		{func() { end("a"); begin("c") }, "[a b c]"}, // a slot was never used
		{func() { end("c"); begin("d") }, "[d b c]"},
		{func() { begin("e") }, "[d b e]"},
		{func() { begin("f") }, "[d b e f]"}, // more games than slots
		{func() { end("a") }, "[d b e f]"},   // no longer shown
		{func() { h.observe(event.GameAbandoned{Game: "b"}); begin("g") }, "[d g e f]"},
		{func() { h.observe(event.GameEnded{GameView: withEnd(viewOf(t, "c"), "mate", rules.BlackWins)}) }, "[d g e f]"},
	} {
		step.do()
		var ids []string
		for _, g := range h.boards {
			ids = append(ids, g.view.ID)
		}
		if got := fmt.Sprint(ids); got != step.want {
			t.Errorf("board slots %s, want %s", got, step.want)
		}
	}
	if h.recordedCount != 1 {
		t.Errorf("%d games recorded", h.recordedCount)
	}
}

func TestPage_Challenges(t *testing.T) {
	p := newTestPage(t, Options{})
	decide := func(id string, d event.Decision) {
		p.Observe(event.ChallengeDecided{ID: id, Challenger: record.Player{Name: "bob"}, Clock: lichess.Clock{Initial: time.Minute}, Decision: d, At: time.UnixMilli(5)})
	}
	decide("first", event.Decision{Accept: true, Rule: "challenges.humans"})
	decide("second", event.Decision{Reason: "tooFast", Rule: "challenges.humans.speeds"})
	p.Observe(event.ChallengeClosed{ID: "second", Outcome: event.Declined, Rule: "challenges.humans.speeds"})
	list, _ := decodePart[[]challengePart](t, p, "challenges", false)
	if len(list) != 2 || list[1].State != statePending || list[0].State != "declined" || list[0].Reason != "tooFast" || list[1].Control != "1+0" {
		t.Errorf("challenges %+v", list)
	}
	p.Observe(event.ChallengeSent{ID: "ours", Opponent: "otherbot", Sender: event.Rematch, Clock: lichess.Clock{Initial: 3 * time.Minute}, Rated: true})
	p.Observe(event.ChallengeClosed{ID: "ours", Outcome: event.Declined, Rule: "later"})
	list, _ = decodePart[[]challengePart](t, p, "challenges", false)
	if c := list[0]; !c.Ours || c.By != "rematch" || c.Challenger.Name != "otherbot" || c.Control != "3+0" || c.State != "declined" || c.Rule != "later" {
		t.Errorf("our challenge %+v", c)
	}
	for i := range 2 * maxChallenges {
		decide(fmt.Sprint(i), event.Decision{Reason: "later", Rule: "x"})
		p.Observe(event.ChallengeClosed{ID: fmt.Sprint(i), Outcome: event.Declined, Rule: "x"})
	}
	list, _ = decodePart[[]challengePart](t, p, "challenges", false)
	if last := list[len(list)-1]; len(list) != maxChallenges || last.ID != "first" {
		t.Errorf("%d challenges, the last %+v: pending ones must stay", len(list), last)
	}
}

func TestPage_Status(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPage(t, Options{Threads: 2, Version: "v1", Site: "https://lichess.org", Slots: func() game.Use {
			return game.Use{Limits: config.Games{Max: 5, ReservedForHumans: 1}, Games: 3, Bots: 2, Live: 2}
		}})
		for _, e := range []event.Event{
			event.StreamOpened{}, event.StreamLost{}, event.StreamOpened{Reopened: true}, event.StreamLost{Game: "abc"}, event.StreamOpened{Game: "abc", Reopened: true}, event.Draining{},
			event.Duplicate{RetryIn: time.Minute}, event.Duplicate{Game: "abc"},
			event.BacklogChanged{Backlog: record.Backlog{Waiting: 2, Reason: "/home/zhbot is full"}},
		} {
			p.Observe(e)
		}
		p.ObserveRequest(lichess.Observation{Endpoint: "GET /x", Status: 200})
		p.ObserveRequest(lichess.Observation{Endpoint: "POST /y", Status: 429, Wait: time.Minute})
		got, _ := decodePart[botPart](t, p, "bot", false)
		want := botPart{
			Site: "https://lichess.org", Version: "v1", Started: time.Now().UnixMilli(), Alive: true, Draining: true, EventsTaken: &takenPart{time.Now().UnixMilli(), time.Now().Add(time.Minute).UnixMilli()}, GamesTaken: &takenPart{time.Now().UnixMilli(), time.Now().UnixMilli()},
			Max: 5, Games: 3, Bots: 2, Reserved: 1, Threads: 2, Reconnects: 2, Waits: 1, Records: record.Backlog{Waiting: 2},
			Blocked: []limitPart{{"POST /y", time.Now().Add(time.Minute).UnixMilli()}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
		time.Sleep(time.Minute)
		p.Observe(event.StreamLost{})
		if got, _ := decodePart[botPart](t, p, "bot", false); len(got.Blocked) != 0 || got.Waits != 1 || got.Alive {
			t.Errorf("a minute later: %+v", got)
		}
	})
}

// npsMeter returns the mean of the last seconds, and 0 without a search.
func TestNPSMeter(t *testing.T) {
	var m npsMeter
	now := time.Unix(1e9, 0)
	for range 10 {
		m.add(now, 1000)
		m.add(now, 500)
		now = now.Add(time.Second)
	}
	if got := m.nps(now.Add(-time.Millisecond)); got != 1500 {
		t.Errorf("%d nodes/s, want 1500", got)
	}
	if got := m.nps(now.Add(time.Hour)); got != 0 {
		t.Errorf("%d nodes/s after an hour without a search", got)
	}
}

// The moves are those of the game as it is now, also after a takeback.
func TestPage_Moves(t *testing.T) {
	p := newTestPage(t, Options{})
	for _, tt := range []struct {
		moves      []string
		want, last string
	}{
		{nil, "[]", ""}, {[]string{"e2e4", "d7d5"}, "[e4 d5]", "d7d5"}, {[]string{"e2e4", "d7d5", "e4d5"}, "[e4 d5 exd5]", "e4d5"},
		{[]string{"e2e4"}, "[e4]", "e2e4"}, {[]string{"d2d4", "e7e5", "d4e5"}, "[d4 e5 dxe5]", "d4e5"},
	} {
		p.Observe(event.GameChanged{GameView: viewOf(t, "abc", tt.moves...)})
		for range 2 {
			g, _ := decodePart[gamePart](t, p, "game/abc", true)
			if got := fmt.Sprint(g.Moves); got != tt.want || g.Last != tt.last || g.Moves == nil {
				t.Errorf("%v: %s, last %s, want %s", tt.moves, got, g.Last, tt.want)
			}
		}
	}
}

func TestDescribeResult(t *testing.T) {
	for _, tt := range []struct {
		status       lichess.Status
		result       rules.Result
		words, score string
	}{
		{"mate", rules.WhiteWins, "White won by checkmate", "win"},
		{"outoftime", rules.BlackWins, "Black won on time", "loss"},
		{"timeout", rules.WhiteWins, "White won because Black left", "win"},
		{"timeout", rules.BlackWins, "Black won because White left", "loss"},
		{"timeout", rules.Draw, "Drawn because a player left", "draw"},
		{"cheat", rules.WhiteWins, "White won because of cheating", "win"},
		{"stalemate", rules.Draw, "Drawn by stalemate", "draw"},
		{"aborted", rules.NoResult, "Aborted", "none"},
		{"unknownFinish", rules.NoResult, "Ended without a result", "none"},
		{"somethingNew", rules.Draw, "Drawn (somethingNew)", "draw"},
	} {
		if words, s := describeResult(tt.status, tt.result), tt.result.For(rules.White); words != tt.words || s != tt.score {
			t.Errorf("%s, %s: %q, %q", tt.status, tt.result, words, s)
		}
	}
}

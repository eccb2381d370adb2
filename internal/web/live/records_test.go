package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// finishedGame is a rated game that we lost as White, started some minutes after noon.
func finishedGame(t *testing.T, id string, minute int) *record.Game {
	return &record.Game{
		Summary: record.Summary{
			ID: id, Site: "https://lichess.org/" + id, Rated: true, Created: time.Date(2026, 1, 2, 12, minute, 0, 0, time.UTC),
			White: record.Player{Name: "zhbot", Title: "BOT", Rating: 2000, RatingDiff: 5},
			Black: record.Player{Name: "alice", Rating: 1900, RatingDiff: -5}, RatingKnown: true, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
			Status: "mate", Result: rules.BlackWins,
		},
		Board: rulestest.Game(t, "f2f3", "e7e5", "g2g4", "d8h4"), Notes: []record.Note{{Clock: time.Minute, HasClock: true, Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: -30}, Depth: 8}}},
	}
}

// pageWithRecords returns a page with recorded games, and their archive.
func pageWithRecords(t *testing.T, games ...*record.Game) (*Page, *record.Archive) {
	t.Helper()
	dir := t.TempDir()
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	for _, g := range games {
		if err := a.Save(g); err != nil {
			t.Fatal(err)
		}
	}
	p := newTestPage(t, Options{Records: record.NewHistory(dir)})
	p.Observe(event.LoggedIn{Account: "ZhBot"})
	return p, a
}

func readJSON[V any](t *testing.T, p *Page, path string) (v V) {
	t.Helper()
	w := request(p.Handler(), "GET", "localhost", path)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d", path, w.Code)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPage_Records(t *testing.T) {
	win, draw, loss, foreign, casual := finishedGame(t, "win", 1), finishedGame(t, "draw", 3), finishedGame(t, "loss", 2), finishedGame(t, "foreign", 4), finishedGame(t, "casual", 5)
	win.White, win.Black = win.Black, win.White // we were Black, and mated
	win.Black.RatingDiff = 8
	draw.Result, draw.Status = rules.Draw, "draw"
	draw.Black = record.Player{Name: "otherbot", Title: "BOT", Rating: 2100}
	foreign.White.Name = "bob"
	draw.RatingKnown, draw.White.RatingDiff, draw.Uncounted = false, 0, record.Farming
	casual.Rated, casual.RatingKnown, casual.Status, casual.Result = false, false, "aborted", rules.NoResult
	p, archive := pageWithRecords(t, win, draw, loss, foreign, casual)

	got := readJSON[recordsAnswer](t, p, "/api/records")
	if want := (scorePart{Humans: record.Tally{Won: 1, Lost: 1}, Bots: record.Tally{Drawn: 1}}); got.Score != want {
		t.Errorf("score %+v, want %+v", got.Score, want)
	}
	var points []string
	for _, point := range got.Rating {
		points = append(points, fmt.Sprintf("%s %d", time.UnixMilli(point[0]).UTC().Format("15:04"), point[1]))
	}
	if want := "12:01 2008, 12:02 2005"; strings.Join(points, ", ") != want {
		t.Errorf("rating %v, want %s", points, want)
	}
	list := readJSON[gamesAnswer](t, p, "/api/games").Games
	if !maps.Equal(got.Uncounted, map[record.Uncounted]int{record.Farming: 1}) || list[1].Uncounted != "farming" {
		t.Errorf("did not count: %v, %+v", got.Uncounted, list[1])
	}
	var order []string
	for _, g := range list {
		order = append(order, g.ID+" "+g.Us+" "+g.Score)
	}
	if want := "casual white none, draw white draw, loss white loss, win black win"; strings.Join(order, ", ") != want {
		t.Errorf("games %v, want %s", order, want)
	}
	first := list[3]
	want := finishedPart{
		termsPart: termsPart{
			ID: "win", Site: "https://lichess.org/win", Us: "black", White: record.Player{Name: "alice", Rating: 1900},
			Black: record.Player{Name: "zhbot", Title: "BOT", Rating: 2000}, Rated: true, Control: "3+2", RatingDiff: 8,
		},
		At: win.Created.UnixMilli(), Score: "win", Plies: 4,
	}
	if first != want {
		t.Errorf("game %+v, want %+v", first, want)
	}

	if err := archive.Save(finishedGame(t, "new", 9)); err != nil {
		t.Fatal(err)
	}
	if got := readJSON[gamesAnswer](t, p, "/api/games"); got.Total != 5 || got.Games[0].ID != "new" {
		t.Errorf("a new game is missing: %+v", got)
	}
}

// A game that two files of the folder contain is counted once.
func TestPage_RecordedTwice(t *testing.T) {
	dir := t.TempDir()
	text := finishedGame(t, "twice", 1).PGN().String()
	for _, file := range []string{"2026-01.pgn", "2026-01 copy.pgn", "2026-02.pgn"} {
		filetest.Write(t, filepath.Join(dir, file), text)
	}
	p := newTestPage(t, Options{Records: record.NewHistory(dir)})
	p.Observe(event.LoggedIn{Account: "zhbot"})
	if got := readJSON[recordsAnswer](t, p, "/api/records"); len(got.Rating) != 1 || got.Score.Humans.Lost != 1 {
		t.Errorf("%d points, score %+v", len(got.Rating), got.Score)
	}
}

// Contenders are compared once there are any.
func TestPage_Contenders(t *testing.T) {
	p, archive := pageWithRecords(t, finishedGame(t, "old", 1))
	if got := readJSON[recordsAnswer](t, p, "/api/records"); got.Comparison != nil {
		t.Errorf("without contenders: %+v", got.Comparison)
	}
	for i, contender := range []string{"base", "new"} {
		g := finishedGame(t, contender, 2+i)
		if g.Contender = contender; contender == "new" {
			g.Result = rules.WhiteWins
		}
		if err := archive.Save(g); err != nil {
			t.Fatal(err)
		}
	}
	got := readJSON[recordsAnswer](t, p, "/api/records")
	if c := got.Comparison; c == nil || c.Games != 3 || len(c.Contenders) != 3 || c.Contenders[0].Name != "new" || len(c.Differences) != 3 {
		t.Errorf("compared as %+v", c)
	}
	if list := readJSON[gamesAnswer](t, p, "/api/games").Games; list[0].Contender != "new" || list[2].Contender != "" {
		t.Errorf("the games are %+v", list)
	}
}

func TestPage_Record(t *testing.T) {
	p, _ := pageWithRecords(t, finishedGame(t, "abc", 1))
	got := readJSON[reviewPart](t, p, "/api/records/abc")
	if got.Result != "Black won by checkmate" || len(got.Steps) != 4 || got.FirstPly != 0 || len(got.Curve) != 1 {
		t.Fatalf("game %+v", got)
	}
	if s := got.Steps[0]; s.SAN != "f3" || s.UCI != "f2f3" || s.Clock == nil || *s.Clock != 60000 || s.Evaluation == nil || s.Evaluation.Centipawns != -30 || s.Evaluation.Depth != 8 {
		t.Errorf("first step %+v", s)
	}
	if s := got.Steps[3]; s.SAN != "Qh4#" || !s.Check || s.Clock != nil || s.Evaluation != nil || !strings.HasPrefix(s.FEN, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR/ w KQkq") {
		t.Errorf("last step %+v", s)
	}
	for _, path := range []string{"/api/records/none", "/api/records/..%2f..%2fx", "/api/records/"} {
		if status := request(p.Handler(), "GET", "localhost", path).Code; status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

// Games are listed page by page, and found by all that the list shows.
func TestPage_Games(t *testing.T) {
	var games []*record.Game
	for i := range 2*pageSize + 20 {
		games = append(games, finishedGame(t, fmt.Sprint("game", i), i))
	}
	games[7].Black.Name, games[8].Black.Name = "Zoë_1", "zoe"
	games[8].Result, games[8].Rated = rules.WhiteWins, false
	p, _ := pageWithRecords(t, games...)
	for _, tt := range []struct {
		query              string
		total, from, shown int
		first              string
	}{
		{"", 120, 0, 50, "game119"},
		{"page=1", 120, 50, 50, "game69"},
		{"page=2", 120, 100, 20, "game19"},
		{"page=3", 120, 150, 0, ""},
		{"page=-1&search=", 120, 0, 50, "game119"},
		{"page=9999999999999999999", 120, maxFinished * pageSize, 0, ""},
		{"search=zo", 2, 0, 2, "game8"},
		{"search=ZO%C3%8B", 1, 0, 1, "game7"},
		{"search=+lost++zo", 1, 0, 1, "game7"},
		{"search=won+casual+3%2B2+blitz", 1, 0, 1, "game8"},
		{"search=alice+by+checkmate+2026-01-02", 118, 0, 50, "game119"},
		{"search=alice&page=2", 118, 100, 18, "game19"},
		{"search=game42", 1, 0, 1, "game42"},
		{"search=drew", 0, 0, 0, ""},
	} {
		got := readJSON[gamesAnswer](t, p, "/api/games?"+tt.query)
		if got.Total != tt.total || got.From != tt.from || len(got.Games) != tt.shown || tt.shown > 0 && got.Games[0].ID != tt.first {
			t.Errorf("%s: %d games, %d of them from %d on: %+v", tt.query, got.Total, len(got.Games), got.From, got.Games)
		}
	}
	if got := readJSON[reviewPart](t, p, "/api/records/game0"); len(got.Steps) != 4 {
		t.Errorf("the oldest game has %d steps", len(got.Steps))
	}
}

// Only the latest games are kept.
func TestRecords_Trim(t *testing.T) {
	r := records{games: make([]finished, maxFinished+2)}
	for i := range r.games {
		r.games[i].words = fmt.Sprint(i)
	}
	if r.trim(maxFinished); len(r.games) != maxFinished || r.games[0].words != "2" {
		t.Errorf("%d games, the oldest is %s", len(r.games), r.games[0].words)
	}
}

// Games that version 1 recorded are served as version 1 served them, but for the wording of
// their results.
func TestPage_RecordsOfVersion1(t *testing.T) {
	p := newTestPage(t, Options{Records: record.NewHistory("../../../bot/record/testdata/v1")})
	p.Observe(event.LoggedIn{Account: "zhbot"})
	check := func(path, want string) {
		var got, wanted any
		body := request(p.Handler(), "GET", "localhost", path).Body.Bytes()
		if err := errors.Join(json.Unmarshal(body, &got), json.Unmarshal([]byte(want), &wanted)); err != nil || !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: %v\n%s\nwant\n%s", path, err, body, want)
		}
	}
	list := filetest.Read(t, "testdata/v1/records.jsonl")
	lists := strings.SplitAfter(list, "\n")
	check("/api/records", lists[0])
	check("/api/games", lists[1])
	reviews := filetest.Read(t, "testdata/v1/reviews.jsonl")
	for review := range strings.Lines(reviews) {
		var game struct{ ID string }
		if err := json.Unmarshal([]byte(review), &game); err != nil {
			t.Fatal(err)
		}
		check("/api/records/"+game.ID, strings.TrimSpace(review))
	}
}

func TestDownsample(t *testing.T) {
	var points [][2]int64
	for i := range int64(1000) {
		points = append(points, [2]int64{i, i})
	}
	got := downsample(points, 300)
	if len(got) != 300 || got[299] != points[999] {
		t.Errorf("%d points, the last %v", len(got), got[len(got)-1])
	}
	for i := 1; i < len(got); i++ {
		if step := got[i][0] - got[i-1][0]; step < 3 || step > 4 {
			t.Errorf("a step of %d", step)
		}
	}
}

// brokenRecords cannot be read.
type brokenRecords struct{}

func (brokenRecords) Read(context.Context, func(*record.FinishedGame)) error {
	return errors.New("disk on fire")
}

func TestPage_RecordsUnavailable(t *testing.T) {
	for name, records := range map[string]Records{"none": nil, "broken": brokenRecords{}} {
		p := newTestPage(t, Options{Records: records})
		p.Observe(event.LoggedIn{Account: "zhbot"})
		if got := readJSON[recordsAnswer](t, p, "/api/records"); got.Rating == nil || len(got.Rating) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if got := readJSON[gamesAnswer](t, p, "/api/games"); got.Games == nil || got.Total != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A client that does not read does not block others.
func TestRecords_SlowClient(t *testing.T) {
	p, _ := pageWithRecords(t, finishedGame(t, "first", 0))
	for path, show := range map[string]http.HandlerFunc{"/api/records": p.showRecords, "/api/games": p.showGames, "/api/records/first": p.showRecord} {
		ours, theirs := net.Pipe()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.SetPathValue("id", "first")
		left := make(chan struct{})
		go func() {
			defer close(left)
			show(&blockedWriter{ResponseRecorder: httptest.NewRecorder(), conn: ours}, r)
		}()
		if _, err := theirs.Read(make([]byte, 1)); err != nil { // wait until it is being written to
			t.Fatal(err)
		}
		readJSON[recordsAnswer](t, p, "/api/records")
		theirs.Close()
		<-left
	}
}

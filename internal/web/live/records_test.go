package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/internal/web"
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
			Black: record.Player{Name: "alice", Rating: 1900, RatingDiff: -5}, RatingKnown: true,
			Clock:  lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
			Status: "mate", Result: rules.BlackWins,
		},
		Board: rulestest.Game(t, "f2f3", "e7e5", "g2g4", "d8h4"),
		Notes: []record.Note{{
			Clock: time.Minute, HasClock: true, Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: -30}, Depth: 8},
		}},
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
	return newTestPage(t, Options{Records: record.NewHistory(dir)}), a
}

func readJSON[V any](t *testing.T, p *Page, path string) (v V) {
	t.Helper()
	w := request(p, "GET", path)
	if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != http.StatusOK || err != nil {
		t.Fatalf("%s: status %d, %v", path, w.Code, err)
	}
	return v
}

func TestPage_Records(t *testing.T) {
	win, draw, loss := finishedGame(t, "win", 1), finishedGame(t, "draw", 3), finishedGame(t, "loss", 2)
	foreign, casual := finishedGame(t, "foreign", 4), finishedGame(t, "casual", 5)
	win.White, win.Black = win.Black, win.White // we were Black, and mated
	win.Black.RatingDiff = 8
	draw.Result, draw.Status = rules.Draw, "draw"
	draw.Black = record.Player{Name: "otherbot", Title: "BOT", Rating: 2100}
	foreign.White.Name = "bob"
	draw.RatingKnown, draw.White.RatingDiff, draw.Uncounted = false, 0, record.Farming
	casual.Rated, casual.RatingKnown, casual.Status, casual.Result = false, false, "aborted", rules.NoResult
	p, archive := pageWithRecords(t, win, draw, loss, foreign, casual)

	at := func(minute int) int64 { return time.Date(2026, 1, 2, 12, minute, 0, 0, time.UTC).UnixMilli() }
	want := recordsAnswer{
		Rating:    [][2]int64{{at(1), 2008}, {at(2), 2005}},
		Score:     scorePart{Humans: record.Tally{Won: 1, Lost: 1}, Bots: record.Tally{Drawn: 1}},
		Uncounted: map[record.Uncounted]int{record.Farming: 1},
	}
	if diff := cmp.Diff(want, readJSON[recordsAnswer](t, p, "/api/records")); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	list := readJSON[gamesAnswer](t, p, "/api/games").Games
	var order []string
	for _, g := range list {
		order = append(order, strings.Join([]string{g.ID, g.Us, g.Score, g.Uncounted}, " "))
	}
	if want := "casual white none , draw white draw farming, loss white loss , win black win "; strings.Join(order,
		", ") != want {
		t.Errorf("games %v, want %s", order, want)
	}
	first := finishedPart{
		ID: "win", Us: "black", White: record.Player{Name: "alice", Rating: 1900},
		Black: record.Player{Name: "zhbot", Title: "BOT", Rating: 2000}, Rated: true, Control: "3+2", RatingDiff: 8,
		At: at(1), Score: "win", Plies: 4,
	}
	if list[3] != first {
		t.Errorf("game %+v, want %+v", list[3], first)
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
	for _, file := range []string{"2026-01.pgn", "2026-01 copy.pgn"} {
		filetest.Write(t, filepath.Join(dir, file), finishedGame(t, "twice", 1).PGN().String())
	}
	p := newTestPage(t, Options{Records: record.NewHistory(dir)})
	if got := readJSON[recordsAnswer](t, p, "/api/records"); len(got.Rating) != 1 || got.Score.Humans.Lost != 1 {
		t.Errorf("%d points, score %+v", len(got.Rating), got.Score)
	}
}

// Contenders are compared once there are any, with the state of a test of two.
func TestPage_Contenders(t *testing.T) {
	p, archive := pageWithRecords(t, finishedGame(t, "old", 1))
	test := new(stats.SPRTReport)
	p.opts.Status = func() bot.Status { return bot.Status{Account: "zhbot", SPRT: test} }
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
	if c := got.Comparison; c == nil || c.Games != 3 || len(c.Contenders) != 3 || c.Contenders[0].Name != "new" ||
		len(c.Differences) != 3 || got.SPRT != test.String() {
		t.Errorf("compared as %+v, test %s", c, got.SPRT)
	}
	if list := readJSON[gamesAnswer](t, p, "/api/games").Games; list[0].Contender != "new" || list[2].Contender != "" {
		t.Errorf("the games are %+v", list)
	}
}

// Each game can be stepped through: a finished one, and one in progress.
func TestPage_Game(t *testing.T) {
	p, _ := pageWithRecords(t, finishedGame(t, "abc", 1))
	got := readJSON[web.View](t, p, "/api/games/abc")
	if got.Result != "Black won by checkmate" || len(got.Steps) != 4 || got.Us != "white" ||
		got.Black != (web.Player{Name: "alice", Rating: "1900"}) {
		t.Fatalf("game %+v", got)
	}
	if s := got.Steps[0]; s.SAN != "f3" || *s.Clock != 60000 || s.Evaluation.Centipawns != -30 || s.Evaluation.Depth != 8 {
		t.Errorf("first step %+v", s)
	}
	if s := got.Steps[3]; s.SAN != "Qh4#" || s.Clock != nil || s.Evaluation != nil {
		t.Errorf("last step %+v", s)
	}
	p.opts.Game = func(string) *event.GameView { return runningView(t) }
	if got := readJSON[web.View](t, p, "/api/games/running"); len(got.Steps) != 2 || got.Result != "" ||
		got.ID != "running" || got.Us != "white" {
		t.Errorf("game in progress %+v", got)
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
		{"page=2", 120, 100, 20, "game19"},
		{"page=3", 120, 150, 0, ""},
		{"page=-1&search=", 120, 0, 50, "game119"},
		{"page=9999999999999999999", 120, maxFinished * pageSize, 0, ""},
		{"search=zo", 2, 0, 2, "game8"},
		{"search=ZO%C3%8B", 1, 0, 1, "game7"},
		{"search=+lost++zo", 1, 0, 1, "game7"},
		{"search=won+casual+3%2B2+blitz", 1, 0, 1, "game8"},
		{"search=alice+by+checkmate+2026-01-02&page=2", 118, 100, 18, "game19"},
		{"search=game42", 1, 0, 1, "game42"},
		{"search=drew", 0, 0, 0, ""},
	} {
		got := readJSON[gamesAnswer](t, p, "/api/games?"+tt.query)
		if got.Total != tt.total || got.From != tt.from || len(got.Games) != tt.shown || tt.shown > 0 &&
			got.Games[0].ID != tt.first {
			t.Errorf("%s: %d games, %d of them from %d on: %+v", tt.query, got.Total, len(got.Games), got.From, got.Games)
		}
	}
}

// Only the latest games are kept, and only some points of the chart.
func TestRecords_Bounded(t *testing.T) {
	r := records{games: make([]finished, maxFinished+2)}
	var points [][2]int64
	for i := range r.games {
		r.games[i].words = fmt.Sprint(i)
		points = append(points, [2]int64{int64(i), 0})
	}
	if r.trim(maxFinished); len(r.games) != maxFinished || r.games[0].words != "2" {
		t.Errorf("%d games, the oldest is %s", len(r.games), r.games[0].words)
	}
	got := downsample(points[:1000], 300)
	for i := range got {
		if at := got[i][0]; len(got) != 300 || at != int64((i+1)*1000/300-1) {
			t.Fatalf("%d points, number %d at %d", len(got), i, at)
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
		if got := readJSON[recordsAnswer](t, p, "/api/records"); got.Rating == nil || len(got.Rating) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if got := readJSON[gamesAnswer](t, p, "/api/games"); got.Games == nil || got.Total != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// blockedWriter is a response whose client does not read.
type blockedWriter struct {
	*httptest.ResponseRecorder
	net.Conn
}

func (w blockedWriter) Write(b []byte) (int, error) { return w.Conn.Write(b) }

// A client that does not read does not block others.
func TestRecords_SlowClient(t *testing.T) {
	p, _ := pageWithRecords(t, finishedGame(t, "first", 0))
	for _, path := range []string{"/api/records", "/api/games", "/api/games/first"} {
		ours, theirs := net.Pipe()
		left := make(chan struct{})
		go func() {
			defer close(left)
			r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
			p.Handler().ServeHTTP(blockedWriter{httptest.NewRecorder(), ours}, r)
		}()
		if _, err := theirs.Read(make([]byte, 1)); err != nil { // wait until it is being written to
			t.Fatal(err)
		}
		readJSON[recordsAnswer](t, p, "/api/records")
		theirs.Close()
		<-left
	}
}

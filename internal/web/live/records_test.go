package live

import (
	"cmp"
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

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/internal/fixture"
)

// recorded returns the record of a rated game that we lost as White, started some minutes after
// noon, but for tags such as "White=bob".
func recorded(id string, minute int, tags ...string) string {
	var b strings.Builder
	result := ""
	tags = append(tags, "GameId="+id, "Site=https://lichess.org/"+id,
		fmt.Sprintf("UTCTime=%02d:%02d:00", 12+minute/60, minute%60),
		"Event=Rated Crazyhouse game", "UTCDate=2026.01.02", "White=zhbot", "WhiteTitle=BOT", "WhiteElo=2000",
		"Black=alice", "BlackElo=1900", "Result=0-1", "Variant=Crazyhouse", "TimeControl=180+2", "Termination=Normal")
	for _, tag := range tags {
		name, value, _ := strings.Cut(tag, "=")
		if fmt.Fprintf(&b, "[%s %q]\n", name, value); name == "Result" {
			result = cmp.Or(result, value)
		}
	}
	return b.String() + "\n1. f3 { [%eval -0.30,8] [%clk 0:01:00] } e5 2. g4 Qh4# " + result + "\n\n"
}

// pageWithRecords returns a page with recorded games, and a function that adds some.
func pageWithRecords(t *testing.T, games ...string) (p *Page, add func(games ...string)) {
	t.Helper()
	dir, files := t.TempDir(), 0
	add = func(games ...string) {
		files++
		fixture.Write(t, filepath.Join(dir, fmt.Sprintf("2026-%02d.pgn", files)), strings.Join(games, ""))
	}
	add(games...)
	return newTestPage(t, Options{Records: record.NewHistory(dir)}), add
}

func readJSON[V any](t *testing.T, p *Page, path string) (v V) {
	t.Helper()
	w := request(p, "GET", path)
	if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != http.StatusOK || err != nil {
		t.Fatalf("%s: status %d, %v", path, w.Code, err)
	}
	return v
}

// The records of the account are served from our side, the games newest first; one that two
// files have is counted once.
func TestPage_Records(t *testing.T) {
	win := recorded("win", 1, "White=alice", "WhiteTitle=", "WhiteElo=1900", "Black=zhbot", "BlackTitle=BOT",
		"BlackElo=2000",
		"WhiteRatingDiff=-5", "BlackRatingDiff=+8")
	p, add := pageWithRecords(t, win,
		recorded("draw", 3, "Black=rival", "BlackTitle=BOT", "Result=1/2-1/2", "RatingUncounted=farming"),
		recorded("loss", 2, "WhiteRatingDiff=-5", "BlackRatingDiff=+5"), recorded("foreign", 4, "White=bob"),
		recorded("casual", 5, "Event=Casual Crazyhouse game", "Result=*", "Termination=Abandoned"))
	add(win)
	check := func(path, want string) {
		t.Helper()
		if got := request(p, "GET", path).Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	check("/api/records", `{"rating":[[1767355260000,2008],[1767355320000,1995]],"score":`+
		`{"humans":{"won":1,"drawn":0,"lost":1},"bots":{"won":0,"drawn":1,"lost":0}},"uncounted":{"farming":1}}`)
	const us = `{"name":"zhbot","title":"BOT","rating":2000}`
	check("/api/games", `{"total":4,"from":0,"games":[`+
		`{"id":"casual","us":"white","white":`+us+`,"black":{"name":"alice","rating":1900},"rated":false,`+
		`"control":"3+2","at":1767355500000,"score":"none","plies":4},`+
		`{"id":"draw","us":"white","white":`+us+`,"black":{"name":"rival","title":"BOT","rating":1900},"rated":true,`+
		`"control":"3+2","at":1767355380000,"score":"draw","uncounted":"farming","plies":4},`+
		`{"id":"loss","us":"white","white":`+us+`,"black":{"name":"alice","rating":1900},"rated":true,`+
		`"control":"3+2","ratingDiff":-5,"at":1767355320000,"score":"loss","plies":4},`+
		`{"id":"win","us":"black","white":{"name":"alice","rating":1900},"black":`+us+`,"rated":true,`+
		`"control":"3+2","ratingDiff":8,"at":1767355260000,"score":"win","plies":4}]}`)
	add(recorded("new", 9))
	check("/api/games", `{"total":5,"from":0,"games":[{"id":"new",`)
}

// Contenders are compared once there are any, with the state of a test of two.
func TestPage_Contenders(t *testing.T) {
	p, add := pageWithRecords(t, recorded("old", 1))
	test := new(stats.SPRTReport)
	p.opts.Status = func() bot.Status { return bot.Status{Account: "zhbot", SPRT: test} }
	if got := readJSON[recordsAnswer](t, p, "/api/records"); got.Comparison != nil {
		t.Errorf("without contenders: %+v", got.Comparison)
	}
	add(recorded("base", 2, "EngineContender=base"), recorded("new", 3, "EngineContender=new", "Result=1-0"))
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
	p, _ := pageWithRecords(t, recorded("abc", 1))
	p.opts.Game = func(string) *event.GameView { return runningView(t) }
	for path, parts := range map[string][]string{
		"/api/games/abc": {
			`{"start":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 ` +
				`1","firstPly":0,"steps":[{"san":"f3","uci":"f2f3",`,
			`"clock":60000,"eval":{"cp":-30,"depth":8,`, `"check":true}],"id":"abc","site":"https://lichess.org/abc",`,
			`"white":{"name":"zhbot","title":"BOT","rating":"2000"},"black":{"name":"alice","rating":"1900"},"us":"white",`,
			`"result":"Black won by checkmate"}`,
		},
		"/api/games/running": {`"san":"d5",`, `"id":"running"`, `"us":"white","result":""}`},
	} {
		for _, part := range parts {
			if got := request(p, "GET", path).Body.String(); !strings.Contains(got, part) {
				t.Errorf("%s: no %s in %s", path, part, got)
			}
		}
	}
}

// Games are listed page by page, and found by all that the list shows.
func TestPage_Games(t *testing.T) {
	var games []string
	for i := range 2*pageSize + 20 {
		var tags []string
		switch i {
		case 7:
			tags = []string{"Black=Zoë_1"}
		case 8:
			tags = []string{"Black=zoe", "Event=Casual Crazyhouse game", "Result=1-0"}
		}
		games = append(games, recorded(fmt.Sprint("game", i), i, tags...))
	}
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
		{"search=" + strings.Repeat("game42+", 50) + "and+no+more", 1, 0, 1, "game42"},
	} {
		got := readJSON[gamesAnswer](t, p, "/api/games?"+tt.query)
		if got.Total != tt.total || got.From != tt.from || len(got.Games) != tt.shown || tt.shown > 0 &&
			got.Games[0].ID != tt.first {
			t.Errorf("%s: %d games, %d of them from %d on: %+v",
				tt.query, got.Total, len(got.Games), got.From, got.Games)
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

// Requests do not flood the log, and those that end early are not in it at all.
func TestPage_RecordsWarnings(t *testing.T) {
	dir := t.TempDir()
	fixture.Write(t, filepath.Join(dir, "2026-01.pgn"), strings.Replace(recorded("abc", 1), "2. g4", "2. Kg4", 1))
	for path, records := range map[string]Records{
		"/api/records": brokenRecords{}, "/api/games": brokenRecords{}, "/api/games/abc": record.NewHistory(dir),
	} {
		var log fixture.Log
		p := newTestPage(t, Options{Records: records, Log: zerolog.New(&log)})
		request(p, "GET", path, func(r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			*r = *r.WithContext(ctx)
		})
		if text := log.String(); text != "" {
			t.Errorf("%s: a cancelled request logs %s", path, text)
		}
		for range 100 {
			request(p, "GET", path)
		}
		if n := log.Count("\n"); n != 1 {
			t.Errorf("%s: %d warnings:\n%s", path, n, log.String())
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
	p, _ := pageWithRecords(t, recorded("first", 0))
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

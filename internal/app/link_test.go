package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/rules/pgn"
)

// serve serves a page that shows a rated game in progress, with scores of 4242 and 4343,
// and returns its address and the URL that it has logged.
func serve(t *testing.T, change func(*config.Web)) (address, logged string) {
	t.Helper()
	c := config.Default()
	c.Web.Listen, c.Records.Dir = "127.0.0.1:0", t.TempDir()
	change(&c.Web)
	var log bytes.Buffer
	a := &App{log: zerolog.New(&log)}
	a.settings.Store(&c)
	t.Cleanup(a.Close)
	view := &event.GameView{
		Summary: record.Summary{ID: "abc", Rated: true, Status: "started"}, Board: fixture.Game(t, "e2e4"),
		Notes: []record.Note{{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 4242}}}},
	}
	found := &bot.SearchStatus{Depth: 31, Centipawns: 4343}
	var err error
	if a.page, err = live.New(live.Options{
		Listen: c.Web.Listen, Password: c.Web.Password.Reveal(), Log: a.log,
		Status: func() bot.Status { return bot.Status{Games: []bot.GameStatus{{ID: "abc", Search: found}}} },
		Game:   func(string) *event.GameView { return view },
	}); err != nil {
		t.Fatal(err)
	}
	url, err := a.servePage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var line struct{ URL, Message string }
	if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Message != "live page" || line.URL != url {
		t.Fatalf("log %q, %v; the page is at %s", &log, err, url)
	}
	address, _, _ = strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return address, url
}

// browser keeps cookies, and connects to an address, whichever host it asks for.
func browser(t *testing.T, address string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	through := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	t.Cleanup(through.CloseIdleConnections)
	return &http.Client{Transport: through, Jar: jar}
}

// get returns a response with its body; of a stream, the first event.
func get(t *testing.T, c *http.Client, url string) (answer *http.Response, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err = c.Do(request); err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	isStream := answer.Header.Get("Content-Type") == "text/event-stream"
	for lines := bufio.NewReader(answer.Body); ; {
		line, err := lines.ReadString('\n')
		body += line
		if err != nil || isStream && line == "\n" {
			return answer, body
		}
	}
}

// paths are all that may be read.
var paths = strings.Fields("/ /static/app.js /api/stream /api/records /api/games /api/games/abc /game/abc/pgn " +
	"/api/games/abc/analysis /api/control /metrics /healthz /readyz")

// scorePaths are those that show scores of a game in progress, to those who may see them.
var scorePaths = []string{"/api/stream", "/api/games/abc"}

// score matches the scores of the page's game, but not the same digits in another number.
var playScore = regexp.MustCompile(`(^|[^0-9.])(4242|4343)([^0-9.]|$)|"depth":31`)

// showingScores returns the paths that show a score of the game in progress.
func showingScores(t *testing.T, c *http.Client, address string) (showing []string) {
	t.Helper()
	for _, path := range paths {
		_, body := get(t, c, "http://"+address+path)
		if playScore.MatchString(body) {
			showing = append(showing, path)
		}
	}
	return showing
}

// A connection from this machine may be a proxy's, and a client may name this machine as the
// host: scores are shown only to those who open the logged link.
func TestPage_ScoresNeedTheLink(t *testing.T) {
	address, logged := serve(t, func(*config.Web) {})
	for _, host := range []string{address, "localhost"} {
		if showing := showingScores(t, browser(t, address), host); len(showing) > 0 {
			t.Errorf("as %s: scores at %s without the link", host, showing)
		}
	}
	viewer := browser(t, address)
	answer, body := get(t, viewer, logged)
	if to := answer.Request.URL.String(); to != "http://"+address+"/" || !strings.Contains(body, "<html") {
		t.Errorf("the link leads to %s: %s", to, answer.Status)
	}
	if showing := showingScores(t, viewer, address); !slices.Equal(showing, scorePaths) {
		t.Errorf("scores at %s with the link, want them at %s", showing, scorePaths)
	}
	if showing := showingScores(t, viewer, "localhost"); len(showing) > 0 {
		t.Errorf("scores at %s of a host that was not given the cookie", showing)
	}
}

// With a password there is no link.
func TestPage_PasswordNeedsNoLink(t *testing.T) {
	address, logged := serve(t, func(w *config.Web) { w.Password = "sesame" })
	if logged != "http://"+address {
		t.Errorf("logged %s", logged)
	}
	viewer := browser(t, address)
	if showing := showingScores(t, viewer, address); len(showing) > 0 {
		t.Errorf("scores at %s without the password", showing)
	}
	if showing := showingScores(t, viewer, "x:sesame@"+address); !slices.Equal(showing, scorePaths) {
		t.Errorf("scores at %s with the password, want them at %s", showing, scorePaths)
	}
}

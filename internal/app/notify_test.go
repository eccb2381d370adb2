package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// notifySettings are settings with these endpoints.
func notifySettings(urls ...config.Secret) *config.Config {
	c := config.Default()
	c.Notify.URLs = urls
	return &c
}

// received is a request that a notification was sent by.
type received struct {
	host, path, user string
	body             map[string]any
}

// hook is a server of endpoints on this machine.
type hook struct {
	*httptest.Server
	requests chan received
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{requests: make(chan received, 99)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := received{host: r.Host, path: r.URL.RequestURI()}
		if user, password, ok := r.BasicAuth(); ok {
			got.user = user + ":" + password
		}
		if err := json.NewDecoder(r.Body).Decode(&got.body); err != nil {
			t.Error(err)
		}
		h.requests <- got
		if strings.HasSuffix(r.URL.Path, "/elsewhere") {
			http.Redirect(w, r, "/hush", http.StatusTemporaryRedirect)
		} else if strings.HasSuffix(r.URL.Path, "/switch") {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "other")
			w.WriteHeader(http.StatusSwitchingProtocols)
		} else if strings.HasSuffix(r.URL.Path, "/refuse") {
			http.Error(w, "no hush", http.StatusForbidden)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// toLoopback sends every request to a server on this machine, whatever host it is for.
func (h *hook) toLoopback(r *http.Request) (*http.Response, error) {
	to := r.Clone(r.Context())
	to.Host = r.URL.Host
	to.URL.Scheme, to.URL.Host = "http", strings.TrimPrefix(h.URL, "http://")
	return http.DefaultTransport.RoundTrip(to)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A webhook gets what each service understands, no longer than it takes.
func TestPost(t *testing.T) {
	h := newHook(t)
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("é", 5000)
	message := notification{"lost", "zhbot ZhBot: lost", long, "ZhBot", at}
	hook := map[string]any{
		"event": "lost", "title": message.Title, "account": "ZhBot", "time": "2026-11-24T12:00:00Z",
		"text": message.Title + "\n" + long[:2*(4000-18)], "content": message.Title + "\n" + long[:2*(2000-18)],
		"allowed_mentions": map[string]any{"parse": []any{}},
	}
	for url, want := range map[config.Secret]received{
		"https://example.org/hook": {"example.org", "/hook", "", hook},
		"https://api.telegram.org/bot110:AAH/sendMessage?chat_id=-1001": {
			"api.telegram.org", "/bot110:AAH/sendMessage?chat_id=-1001", "", hook,
		},
		"ntfy://me:pass@ntfy.sh/topic": {"ntfy.sh", "/", "me:pass", map[string]any{
			"topic": "topic", "title": message.Title, "message": long[:8000],
		}},
	} {
		list := notifySettings(url).Endpoints()
		if err := post(t.Context(), newNotifyClient(roundTrip(h.toLoopback)), list[0], message); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, <-h.requests, cmp.AllowUnexported(received{})); diff != "" {
			t.Errorf("%s received (-want +got)\n%s", list[0], diff)
		}
	}
}

// An error says what is wrong, and neither the URL nor what the endpoint answers.
func TestPost_Errors(t *testing.T) {
	h := newHook(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for url, want := range map[string]string{
		h.URL + "/hush/refuse":    "webhook at 127.0.0.1 answers 403 Forbidden",
		h.URL + "/hush/switch":    "the server switches protocols (101)",
		h.URL + "/hush/elsewhere": "redirects to another address, which is not followed",
		gone.URL + "/hush":        "connection refused",
	} {
		list := notifySettings(config.Secret(url)).Endpoints()
		err := post(t.Context(), newNotifyClient(nil), list[0], notification{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if n := len(h.requests); n != 3 {
		t.Errorf("%d requests: a redirect was followed", n)
	}
}

// An endpoint that does not answer delays nobody, is tried once for each notification, and
// is logged once; the others get theirs.
func TestNotifier_DeadEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		sent := map[string]int{}
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			sent[r.URL.Host]++
			mu.Unlock()
			if r.URL.Host == "alive.org" {
				return &http.Response{
					StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("")), Request: r,
				}, nil
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		var log fixture.Log
		c := notifySettings("https://dead.org/hush", "https://alive.org/hush")
		n := startNotifier(c.Endpoints, newNotifyClient(transport), zerolog.New(&log))
		start := time.Now()
		const events = 2 * notifyQueue
		for range events {
			n.observe(event.Verdict{Text: "a is stronger than b"})
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the observer was delayed by %s", waited)
		}
		time.Sleep(3*notifyTimeout + time.Second)
		synctest.Wait()
		n.stop()
		if waited := time.Since(start); waited > 6*notifyTimeout {
			t.Errorf("the program's end was delayed until %s", waited)
		}
		if sent["dead.org"] != sent["alive.org"] || sent["alive.org"] < 4 || sent["alive.org"] > notifyQueue+1 {
			t.Errorf("requests: %v", sent)
		}
		failures, full := log.Count(`"0: webhook at dead.org"`), log.Count("too many notifications wait")
		if failures != 1 || full == 0 || log.Count("hush") > 0 {
			t.Errorf("the log says %s", &log)
		}
	})
}

// TestApp_Notifies shows a run from a crash to its drain, and one whose token is refused,
// as a webhook sees them.
func TestApp_Notifies(t *testing.T) {
	h := newHook(t)
	s, token, err := StartSandbox(lichesstest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := SandboxSettings(s.URL(), t.TempDir(), 1, config.Default().Engine)
	c.Engine.HashMB = 1
	c.Notify.URLs = []config.Secret{config.Secret(h.URL + "/hush")}
	state, err := record.OpenState(c.Records.Dir)
	if err != nil {
		t.Fatal(err)
	}
	crashed := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	if err := state.Update(func(d *record.State) { d.Running = crashed }); err != nil {
		t.Fatal(err)
	}
	var log fixture.Log
	run := func(token config.Secret, until func(context.Context) error) error {
		client, err := Connect(c, token) // by which a refusal is not asked for again
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		o := Options{Log: zerolog.New(&log), Token: token, Bot: func(o *bot.Options) { o.Client = client }}
		a, err := New(t.Context(), c, o)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		return PlayWhile(t.Context(), a, until)
	}
	err = run(token, func(context.Context) error {
		h.expect(t, "crashed", "24 November at 12:00 UTC")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	h.expect(t, "drained", "has drained and stopped")
	err = run("lip_unknown", func(ctx context.Context) error { <-ctx.Done(); return nil })
	if !bot.IsRefused(err) || !strings.Contains(err.Error(), "Lichess does not accept the token ") ||
		!strings.HasSuffix(strings.Split(err.Error(), ";")[0], "401 No such token") {
		t.Errorf("with an unknown token: %v", err)
	}
	h.expect(t, "refused", "refuses the token")
	if len(h.requests) > 0 {
		t.Errorf("more was sent: %v", <-h.requests)
	}
	if log.Count("hush") > 0 || log.Count("lip_unknown") > 0 {
		t.Errorf("the log shows the URL or the token: %s", &log)
	}
}

// expect fails unless the next notification is of an event and says something about it.
func (h *hook) expect(t *testing.T, name, text string) {
	t.Helper()
	if got := (<-h.requests).body; got["event"] != name || !strings.Contains(fmt.Sprint(got["text"]), text) {
		t.Errorf("notified of %v, want %s, %q", got, name, text)
	}
}

// A refusal is told once until the bot plays again; what is not the operator's concern is not told.
func TestNotices_Runs(t *testing.T) {
	n, full := new(notices), record.Backlog{Waiting: 2, Since: time.Unix(1e9, 0), Reason: "no space left"}
	refusal := fmt.Errorf("start: %w", &bot.Refusal{About: "token", Text: "unknown", Todo: "create another"})
	for i, tt := range []struct {
		event event.Event
		name  string
		text  string
	}{
		{event.Ended{Err: refusal}, "refused", "unknown: create another"},
		{event.Ended{Err: refusal}, "", ""},
		{event.LoggedIn{Account: "ZhBot"}, "accepted", "again"},
		{event.LoggedIn{Account: "ZhBot"}, "", ""},
		{event.Crashed{Began: time.Unix(1e9, 0).UTC()}, "", ""},
		{event.LoggedIn{Account: "ZhBot"}, "crashed", "9 September at 01:46 UTC"},
		{event.Ended{}, "drained", "has drained and stopped."},
		{event.Ended{Games: []string{"abcd1234"}}, "drained", "Left to the next start: abcd1234."},
		{event.Ended{Err: fmt.Errorf("start: %w", context.Canceled)}, "", ""},
		{event.Ended{Err: errors.New("no engine")}, "stopped", "no engine"},
		{event.BacklogChanged{}, "", ""},
		{event.BacklogChanged{Backlog: full}, "records", ": no space left."},
		{event.BacklogChanged{Backlog: full}, "", ""},
		{event.BacklogChanged{Backlog: record.Backlog{Dropped: 1}}, "records", "to be written: 0, dropped: 1."},
		{event.BacklogChanged{Backlog: record.Backlog{Dropped: 1}}, "", ""},
		{event.Verdict{Text: "a is stronger than b"}, "verdict", "a is stronger than b"},
		{event.Searched{Info: engine.Info{Depth: 9}}, "", ""},
		{event.GameChanged{}, "", ""},
	} {
		name, text := n.describe(tt.event)
		if name != tt.name || !strings.Contains(text, tt.text) || (name == "") != (text == "") {
			t.Errorf("%d: %q, %q, want %q, %q", i, name, text, tt.name, tt.text)
		}
	}
}

// Only a game that was lost to something else than chess is told.
func TestNotices_Lost(t *testing.T) {
	for _, tt := range []struct {
		status lichess.Status
		result rules.Result
		want   string
	}{
		{lichess.StatusMate, rules.BlackWins, ""},
		{lichess.StatusResign, rules.BlackWins, ""},
		{lichess.StatusOutOfTime, rules.BlackWins, "lost on time: https://lichess.org/x"},
		{lichess.StatusOutOfTime, rules.WhiteWins, ""},
		{lichess.StatusOutOfTime, rules.Draw, ""},
		{lichess.StatusTimeout, rules.BlackWins, "because the bot was away"},
		{lichess.StatusCheat, rules.BlackWins, `by "cheat"`},
		{lichess.StatusNoStart, rules.NoResult, "made no first move"},
		{lichess.StatusAborted, rules.NoResult, ""},
	} {
		v := event.GameView{Us: rules.White, Board: rules.NewGame(rules.StartPosition()), Summary: record.Summary{
			Site: "https://lichess.org/x", Black: record.Player{Name: "rival"}, Status: tt.status, Result: tt.result,
		}}
		name, text := new(notices).describe(event.GameEnded{GameView: v})
		if (name == "lost") != (tt.want != "") || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.status, tt.result, text, tt.want)
		}
	}
}

package live

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
)

// recordingOperator notes what it is to do, and refuses to resign.
type recordingOperator struct {
	mu   sync.Mutex
	done []string // origin and command
}

func (o *recordingOperator) Execute(_ context.Context, origin string, r control.Request) (control.Result, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = append(o.done, origin+": "+r.Command)
	if r.Command == "resign" {
		return control.Result{}, errors.New("it is over")
	}
	return control.Result{Message: r.Command + " done"}, r.Check()
}

const password = "open sesame"

// controlledPage returns a page with controls.
func controlledPage(t *testing.T) (p *Page, o *recordingOperator) {
	t.Helper()
	p, o = newTestPage(t, Options{Password: password}), new(recordingOperator)
	p.Operator = o
	return p, o
}

// command sends a command as the page does, but for a change.
func command(h http.Handler, token, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	return request(h, http.MethodPost, "127.0.0.1:8080", "/api/control", func(r *http.Request) {
		r.Body = io.NopCloser(strings.NewReader(body))
		r.SetBasicAuth("alice", password)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(tokenHeader, token)
		r.Header.Set("Origin", "http://127.0.0.1:8080")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if change != nil {
			change(r)
		}
	})
}

// tokenOf reads the token as the page does.
func tokenOf(t *testing.T, h http.Handler) string {
	t.Helper()
	w := request(h, http.MethodGet, "127.0.0.1:8080", "/api/control", func(r *http.Request) { r.SetBasicAuth("", password) })
	var part controlsPart
	if err := json.Unmarshal(w.Body.Bytes(), &part); err != nil || w.Code != http.StatusOK || len(part.Token) < 20 {
		t.Fatalf("status %d, %s, %v", w.Code, w.Body, err)
	}
	i := slices.IndexFunc(part.Commands, func(c control.Command) bool { return c.Name == "drain" })
	if len(part.Commands) != len(control.Commands()) || i < 0 || part.Commands[i].Confirm == "" {
		t.Errorf("commands %+v", part.Commands)
	}
	return part.Token
}

// Only this page, opened with the password, has commands executed.
func TestControls_Forgery(t *testing.T) {
	p, o := controlledPage(t)
	h := p.Handler()
	token := tokenOf(t, h)
	other := tokenOf(t, func() http.Handler { other, _ := controlledPage(t); return other.Handler() }())
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"this page", nil, http.StatusOK},
		{"not a browser", func(r *http.Request) { r.Header.Del("Origin"); r.Header.Del("Sec-Fetch-Site") }, http.StatusOK},
		{"behind TLS", func(r *http.Request) { r.Header.Set("Origin", "https://127.0.0.1:8080") }, http.StatusOK},
		{"without the password", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		{"with another password", func(r *http.Request) { r.SetBasicAuth("alice", "open barley") }, http.StatusUnauthorized},
		{"another host name", func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		{"another site", func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}, http.StatusForbidden},
		{"another site in an old browser", func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Del("Sec-Fetch-Site")
		}, http.StatusForbidden},
		{"another port", func(r *http.Request) {
			r.Header.Set("Origin", "http://127.0.0.1:9999")
			r.Header.Set("Sec-Fetch-Site", "same-site")
		}, http.StatusForbidden},
		{"a sandboxed frame", func(r *http.Request) {
			r.Header.Set("Origin", "null")
			r.Header.Del("Sec-Fetch-Site")
		}, http.StatusForbidden},
		{"without a token", func(r *http.Request) { r.Header.Del(tokenHeader) }, http.StatusForbidden},
		{"with the token of another run", func(r *http.Request) { r.Header.Set(tokenHeader, other) }, http.StatusForbidden},
		{"with a part of the token", func(r *http.Request) { r.Header.Set(tokenHeader, token[:8]) }, http.StatusForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o.done = nil
			w := command(h, token, `{"command":"drain"}`, tt.change)
			if executed := len(o.done) > 0; w.Code != tt.status || executed != (tt.status == http.StatusOK) {
				t.Errorf("status %d, want %d: %s; executed: %t", w.Code, tt.status, w.Body, executed)
			}
		})
	}
}

func TestControls_Methods(t *testing.T) {
	p, o := controlledPage(t)
	h := p.Handler()
	token := tokenOf(t, h)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
		w := command(h, token, `{"command":"drain"}`, func(r *http.Request) { r.Method = method })
		if reads := method == http.MethodGet || method == http.MethodHead; (w.Code == http.StatusOK) != reads || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: status %d, header %v", method, w.Code, w.Header())
		}
	}
	if len(o.done) > 0 {
		t.Errorf("executed: %q", o.done)
	}
}

func TestControls_Answers(t *testing.T) {
	p, o := controlledPage(t)
	h := p.Handler()
	token := tokenOf(t, h)
	for _, tt := range []struct {
		body, message, fault string
		status               int
	}{
		{`{"command":"pause","args":["--keep"]}`, "pause done", "", http.StatusOK},
		{`{"command":"resign","args":["abcd"]}`, "", "it is over", http.StatusConflict},
		{`{"command":"dance"}`, "", `unknown command "dance"`, http.StatusBadRequest},
		{`{"command":`, "", "request not read", http.StatusBadRequest},
		{`{"command":"` + strings.Repeat("x", web.MaxBody) + `"}`, "", "too large", http.StatusBadRequest},
	} {
		w := command(h, token, tt.body, nil)
		var answer struct{ Message, Error string }
		err := json.Unmarshal(w.Body.Bytes(), &answer)
		if err != nil || w.Code != tt.status || answer.Message != tt.message && tt.fault == "" || !strings.Contains(answer.Error, tt.fault) {
			t.Errorf("%.40s: status %d, %s, %v", tt.body, w.Code, w.Body, err)
		}
	}
	if want := []string{"page (alice): pause", "page (alice): resign", "page (alice): dance"}; !slices.Equal(o.done, want) {
		t.Errorf("executed %q, want %q", o.done, want)
	}
}

// Without a password, or before there is an operator, there are no controls.
func TestControls_None(t *testing.T) {
	open := newTestPage(t, Options{})
	open.Operator = new(recordingOperator)
	for name, p := range map[string]*Page{"without a password": open, "without an operator": newTestPage(t, Options{Password: password})} {
		if part, _ := decodePart[botPart](t, p, "bot", true); part.Controls {
			t.Errorf("%s: the page has controls", name)
		}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := command(p.Handler(), p.token, `{"command":"drain"}`, func(r *http.Request) { r.Method = method })
			if w.Code != http.StatusNotFound {
				t.Errorf("%s, %s: status %d, %s", name, method, w.Code, w.Body)
			}
		}
	}
}

func TestPage_ShowsAPause(t *testing.T) {
	p, _ := controlledPage(t)
	part, _ := decodePart[botPart](t, p, "bot", true)
	if part.PausedSince != 0 || !part.Controls {
		t.Errorf("%+v", part)
	}
	p.Observe(event.Paused{Since: time.UnixMilli(5000), Keep: true})
	if part, _ = decodePart[botPart](t, p, "bot", true); part.PausedSince != 5000 || !part.PauseKept {
		t.Errorf("paused: %+v", part)
	}
	p.Observe(event.Resumed{})
	if part, _ = decodePart[botPart](t, p, "bot", true); part.PausedSince != 0 {
		t.Errorf("resumed: %+v", part)
	}
}

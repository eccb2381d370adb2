package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
)

// recordingOperator notes what it is to do, and refuses to resign.
type recordingOperator struct {
	mu   sync.Mutex
	done []string // origin and command
}

func (o *recordingOperator) Execute(_ context.Context, origin string, r control.Request) (control.Result, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = append(o.done, fmt.Sprintf("%s: %s %t", origin, r.Command, r.Keep))
	if r.Command == "resign" {
		return control.Result{}, errors.New("it is over")
	}
	return control.Result{Message: r.Command + " done"}, nil
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
	authorize := func(r *http.Request) { r.SetBasicAuth("", password) }
	w := request(h, http.MethodGet, "127.0.0.1:8080", "/api/control", authorize)
	var part struct{ Token string }
	if err := json.Unmarshal(w.Body.Bytes(), &part); err != nil || w.Code != http.StatusOK || len(part.Token) < 20 {
		t.Fatalf("status %d, %s, %v", w.Code, w.Body, err)
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
		name, header string // fields that differ from those of the page, removed if empty
		status       int
	}{
		{"this page", "", http.StatusOK},
		{"not a browser", "Origin= Sec-Fetch-Site=", http.StatusOK},
		{"behind TLS", "Origin=https://127.0.0.1:8080", http.StatusOK},
		{"without the password", "Authorization=", http.StatusUnauthorized},
		{"another host name", "Host=evil.example", http.StatusMisdirectedRequest},
		{"another site", "Origin=https://evil.example Sec-Fetch-Site=cross-site", http.StatusForbidden},
		{"another site in an old browser", "Origin=https://evil.example Sec-Fetch-Site=", http.StatusForbidden},
		{"another port", "Origin=http://127.0.0.1:9999 Sec-Fetch-Site=same-site", http.StatusForbidden},
		{"a sandboxed frame", "Origin=null Sec-Fetch-Site=", http.StatusForbidden},
		{"without a token", tokenHeader + "=", http.StatusForbidden},
		{"with the token of another run", tokenHeader + "=" + other, http.StatusForbidden},
		{"with a part of the token", tokenHeader + "=" + token[:8], http.StatusForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o.done = nil
			w := command(h, token, `{"command":"drain"}`, func(r *http.Request) {
				for _, field := range strings.Fields(tt.header) {
					name, value, _ := strings.Cut(field, "=")
					r.Header.Set(name, value)
					switch {
					case name == "Host":
						r.Host = value
					case value == "":
						r.Header.Del(name)
					}
				}
			})
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
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		w := command(h, token, `{"command":"drain"}`, func(r *http.Request) { r.Method = method })
		reads := method == "GET" || method == "HEAD"
		if (w.Code == http.StatusOK) != reads || w.Header().Get("Access-Control-Allow-Origin") != "" {
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
		body, want string
		status     int
	}{
		{`{"command":"pause","keep":true}`, `{"message":"pause done"}`, http.StatusOK},
		{`{"command":"resign","game":"abcd"}`, `{"error":"it is over"}`, http.StatusConflict},
		{`{"command":`, "not understood", http.StatusBadRequest},
	} {
		if w := command(h, token, tt.body, nil); w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: status %d, %s", tt.body, w.Code, w.Body)
		}
	}
	if want := []string{"page (alice): pause true", "page (alice): resign false"}; !slices.Equal(o.done, want) {
		t.Errorf("executed %q, want %q", o.done, want)
	}
}

// Without a password, or before there is an operator, there are no controls.
func TestControls_None(t *testing.T) {
	open := newTestPage(t, Options{})
	open.Operator = new(recordingOperator)
	idle := newTestPage(t, Options{Password: password})
	for name, p := range map[string]*Page{"without a password": open, "without an operator": idle} {
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

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
	"testing"

	"github.com/zhbot/zhbot/internal/control"
)

// recordingOperator notes what it is to do, and refuses to resign.
type recordingOperator struct{ done []string }

func (o *recordingOperator) Execute(_ context.Context, origin string, r control.Request) (control.Result, error) {
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

// command sends a command as the page does, but for other headers, "" for none.
func command(p *Page, method, token, body string, headers ...string) *httptest.ResponseRecorder {
	return request(p, method, "/api/control", func(r *http.Request) {
		r.Body = io.NopCloser(strings.NewReader(body))
		r.SetBasicAuth("alice", password)
		for _, field := range append([]string{
			"Content-Type=application/json", "Origin=http://127.0.0.1:8080", "Sec-Fetch-Site=same-origin",
			tokenHeader + "=" + token,
		}, headers...) {
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
}

// tokenOf reads the token as the page does.
func tokenOf(t *testing.T, p *Page) string {
	t.Helper()
	w := command(p, http.MethodGet, "", "")
	var part struct{ Token string }
	if err := json.Unmarshal(w.Body.Bytes(), &part); err != nil || w.Code != http.StatusOK || len(part.Token) < 20 {
		t.Fatalf("status %d, %s, %v", w.Code, w.Body, err)
	}
	return part.Token
}

// Only this page, opened with the password, has commands executed.
func TestControls_Forgery(t *testing.T) {
	p, o := controlledPage(t)
	token := tokenOf(t, p)
	other, _ := controlledPage(t)
	for _, tt := range []struct {
		name, header string // fields that differ from those of the page
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
		{"with the token of another run", tokenHeader + "=" + tokenOf(t, other), http.StatusForbidden},
		{"with a part of the token", tokenHeader + "=" + token[:8], http.StatusForbidden},
	} {
		o.done = nil
		w := command(p, http.MethodPost, token, `{"command":"drain"}`, strings.Fields(tt.header)...)
		if executed := len(o.done) > 0; w.Code != tt.status || executed != (tt.status == http.StatusOK) {
			t.Errorf("%s: status %d, want %d: %s; executed: %t", tt.name, w.Code, tt.status, w.Body, executed)
		}
	}
}

func TestControls_Answers(t *testing.T) {
	p, o := controlledPage(t)
	for _, tt := range []struct {
		method, body, want string
		status             int
	}{
		{"POST", `{"command":"pause","keep":true}`, `{"message":"pause done"}`, http.StatusOK},
		{"POST", `{"command":"resign","game":"abcd"}`, `{"error":"it is over"}`, http.StatusConflict},
		{"POST", `{"command":`, "not understood", http.StatusBadRequest},
		{"GET", `{"command":"drain"}`, `{"token":`, http.StatusOK},
		{"PUT", `{"command":"drain"}`, "", http.StatusMethodNotAllowed},
	} {
		if w := command(p, tt.method, tokenOf(t, p), tt.body); w.Code != tt.status ||
			!strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s %s: status %d, %s", tt.method, tt.body, w.Code, w.Body)
		}
	}
	if want := []string{"page (alice): pause true", "page (alice): resign false"}; !slices.Equal(o.done, want) {
		t.Errorf("executed %q, want %q", o.done, want)
	}
}

// Without a password, or before there is an operator, there are no controls.
func TestControls_None(t *testing.T) {
	controlled, operator := controlledPage(t)
	open, idle := newTestPage(t, Options{}), newTestPage(t, Options{Password: password})
	open.Operator = operator
	for p, want := range map[*Page]bool{open: false, idle: false, controlled: true} {
		state, _ := p.state(true)
		get, post := command(p, "GET", "", "").Code, command(p, "POST", p.token, `{"command":"drain"}`).Code
		if got := state.(status).Controls; got != want || (get == http.StatusNotFound) == want || get != post {
			t.Errorf("the page has controls: %t, want %t; status %d, %d", got, want, get, post)
		}
	}
}

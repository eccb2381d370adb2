package play

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/web"
)

// post sends a command to a handler as the page does, but for other headers, "" for none.
func post(h http.Handler, name, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8081/api/"+name, strings.NewReader(body))
	for _, field := range append([]string{"Content-Type=application/json", "Sec-Fetch-Site=same-origin"}, headers...) {
		name, value, _ := strings.Cut(field, "=")
		r.Header.Set(name, value)
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Only the page itself may send commands, as JSON: no other site, by no other name, and no form.
func TestCommands(t *testing.T) {
	const move = `{"revision":1,"move":"e2e4"}`
	for _, tt := range []struct {
		name, body, headers string
		status              int
	}{
		{"as the page", move, "", http.StatusNoContent},
		{"as the page in an old browser", move, "Sec-Fetch-Site= Origin=http://127.0.0.1:8081", http.StatusNoContent},
		{"of another site", move, "Sec-Fetch-Site=cross-site", http.StatusForbidden},
		{"of another port", move, "Sec-Fetch-Site=same-site", http.StatusForbidden},
		{
			"of another origin, from an old browser", move, "Sec-Fetch-Site= Origin=http://evil.example",
			http.StatusForbidden,
		},
		{"by another name", move, "Host=evil.example", http.StatusMisdirectedRequest},
		{"as a form", move, "Content-Type=text/plain", http.StatusBadRequest},
		{"without a type", move, "Content-Type=", http.StatusBadRequest},
		{"no JSON", `e2e4`, "", http.StatusBadRequest},
		{"other JSON", `{"revision":"one"}`, "", http.StatusBadRequest},
		{"empty", ``, "", http.StatusBadRequest},
		{"large", `{"revision":1,"move":"` + strings.Repeat("e", web.MaxBody) + `"}`, "", http.StatusBadRequest},
	} {
		p := newPage(t, &scriptedEngine{}, Settings{}, nil)
		w := post(p.Handler(), "move", tt.body, strings.Fields(tt.headers)...)
		if played := len(p.game().Steps) > 0; w.Code != tt.status || played != (tt.status == http.StatusNoContent) {
			t.Errorf("%s: status %d, want %d: %s; played %t", tt.name, w.Code, tt.status, w.Body, played)
		}
	}
}

// FuzzCommands: no body brings the server down or into an impossible state.
func FuzzCommands(f *testing.F) {
	names := []string{"move", "new", "takeback", "resign", "draw", "evaluate"}
	for i, body := range []string{
		`{"revision":1,"move":"e2e4"}`, `{"revision":1,"side":"black","level":3,"clock":"0.5+0","fen":""}`,
		`{"revision":1}`,
		`{"revision":1}`, `{"revision":1}`, `{"revision":1,"ply":0}`,
	} {
		f.Add(i, body)
	}
	f.Add(1, `{"revision":1,"side":"random","clock":"none","fen":"4k3/8/8/8/8/8/8/4K2R[Qq] w K - 0 1"}`)
	f.Add(5, `{"revision":1,"ply":-1}`)
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	f.Fuzz(func(t *testing.T, name int, body string) {
		p := newPage(t, e, Settings{}, nil)
		w := post(p.Handler(), names[uint(name)%uint(len(names))], body)
		if w.Code >= http.StatusInternalServerError {
			t.Errorf("%q: status %d, %s", body, w.Code, w.Body)
		}
		state, _ := p.shown(true)
		if _, err := json.Marshal(state); err != nil {
			t.Error(err)
		}
	})
}

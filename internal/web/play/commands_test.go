package play

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// post sends a command to a handler as the page does.
func post(h http.Handler, name, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8081/api/"+name, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A command that is refused changes nothing, and says why.
func TestCommands_Refused(t *testing.T) {
	whiteToMove := Settings{}
	engineToMove := Settings{Side: rules.Black, Clock: lichess.Clock{Initial: time.Hour}, Level: human.MaxLevel} // which takes its time
	for _, tt := range []struct {
		name     string
		settings Settings
		command  string
		body     string
		status   int
		says     string
	}{
		{"illegal move", whiteToMove, "move", `{"revision":1,"move":"e2e5"}`, http.StatusUnprocessableEntity, `"e2e5": not legal in this position`},
		{"no move", whiteToMove, "move", `{"revision":1,"move":"<b>"}`, http.StatusUnprocessableEntity, `not a move`},
		{"missing move", whiteToMove, "move", `{"revision":1}`, http.StatusUnprocessableEntity, `not a move`},
		{"stale", whiteToMove, "move", `{"revision":0,"move":"e2e4"}`, http.StatusConflict, "has changed in the meantime"},
		{"missing revision", whiteToMove, "move", `{"move":"e2e4"}`, http.StatusConflict, "has changed in the meantime"},
		{"wrong turn", engineToMove, "move", `{"revision":1,"move":"e2e4"}`, http.StatusConflict, "not your turn"},
		{"evaluation in the engine's turn", engineToMove, "evaluate", `{"revision":1,"ply":0}`, http.StatusConflict, "thinking"},
		{"nothing to take back", whiteToMove, "takeback", `{"revision":1}`, http.StatusConflict, "no move of yours"},
		{"pause without a clock", whiteToMove, "pause", `{"revision":1,"paused":true}`, http.StatusConflict, "no clock"},
		{"no such side", whiteToMove, "new", `{"revision":1,"side":"red","level":3,"clock":"none"}`, http.StatusUnprocessableEntity, "white, black or random"},
		{"no such level", whiteToMove, "new", `{"revision":1,"side":"white","level":21,"clock":"none"}`, http.StatusUnprocessableEntity, "from 0 to 20"},
		{"no such rating", whiteToMove, "new", `{"revision":1,"side":"white","level":399,"clock":"none"}`, http.StatusUnprocessableEntity, "a rating of 400 or more"},
		{"no such clock", whiteToMove, "new", `{"revision":1,"side":"white","level":3,"clock":"fast"}`, http.StatusUnprocessableEntity, "minutes+seconds"},
		{"bad FEN", whiteToMove, "new", `{"revision":1,"side":"white","level":3,"clock":"none","fen":"8/8/8/8/8/8/8/8 w - -"}`, http.StatusUnprocessableEntity, "no king"},
		{"FEN of a game that is over", whiteToMove, "new", `{"revision":1,"side":"white","level":3,"clock":"none","fen":"R5k1/5ppp/8/8/8/8/5PPP/6K1/ b - - 0 1"}`, http.StatusUnprocessableEntity, "checkmate"},
		{"no JSON", whiteToMove, "move", `e2e4`, http.StatusBadRequest, "read the command"},
		{"other JSON", whiteToMove, "move", `{"revision":"one"}`, http.StatusBadRequest, "read the command"},
		{"empty body", whiteToMove, "resign", ``, http.StatusBadRequest, "read the command"},
		{"large body", whiteToMove, "move", `{"revision":1,"move":"` + strings.Repeat("e", web.MaxBody) + `"}`, http.StatusRequestEntityTooLarge, "too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestPage(t, tt.settings)
			w := post(p.Handler(), tt.command, tt.body)
			var answer struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != tt.status || !strings.Contains(answer.Error, tt.says) {
				t.Errorf("status %d, %s; want %d, %q", w.Code, w.Body, tt.status, tt.says)
			}
			if s := p.State(); s.Revision != 1 || s.Game.Ply() != 0 || s.Ending.Over() {
				t.Errorf("the game has changed: %+v", s)
			}
		})
	}
}

// Only the page itself may send commands: no other site, by no other name, and no form.
func TestCommands_Origin(t *testing.T) {
	const body = `{"revision":1,"move":"e2e4"}`
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"of another site", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		{"of another port", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, http.StatusForbidden},
		{"of another origin, from an old browser", func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://evil.example")
		}, http.StatusForbidden},
		{"by another name", func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		{"as a form", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType},
		{"without a type", func(r *http.Request) { r.Header.Del("Content-Type") }, http.StatusUnsupportedMediaType},
		{"as the page", func(*http.Request) {}, http.StatusNoContent},
		{"as the page in an old browser", func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://127.0.0.1:8081")
		}, http.StatusNoContent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestPage(t, Settings{})
			w := post(p.Handler(), "move", body, tt.change)
			if played := p.State().Game.Ply() > 0; w.Code != tt.status || played != (tt.status == http.StatusNoContent) {
				t.Errorf("status %d, want %d; played %t", w.Code, tt.status, played)
			}
		})
	}
}

// FuzzCommands: no body brings the server down or into an impossible state.
func FuzzCommands(f *testing.F) {
	names := []string{"move", "new", "takeback", "resign", "draw", "pause", "evaluate"}
	for i, body := range []string{
		`{"revision":1,"move":"e2e4"}`, `{"revision":1,"side":"black","level":3,"clock":"0.5+0","fen":""}`, `{"revision":1}`, `{"revision":1}`, `{"revision":1}`,
		`{"revision":1,"paused":true}`, `{"revision":1,"ply":0}`,
	} {
		f.Add(i, body)
	}
	f.Add(1, `{"revision":1,"side":"random","clock":"none","fen":"4k3/8/8/8/8/8/8/4K2R[Qq] w K - 0 1"}`)
	f.Add(6, `{"revision":1,"ply":-1}`)
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	f.Fuzz(func(t *testing.T, name int, body string) {
		p, err := New(Options{Listen: "127.0.0.1:8081", Engine: e, MoveTime: time.Millisecond, EvaluationTime: time.Millisecond}, Settings{Start: rules.StartPosition()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		w := post(p.Handler(), names[uint(name)%uint(len(names))], body)
		if w.Code >= http.StatusInternalServerError {
			t.Errorf("%q: status %d, %s", body, w.Code, w.Body)
		}
		if _, err := json.Marshal(partsOf(p)); err != nil {
			t.Error(err)
		}
	})
}

// partsOf returns the parts of a page now.
func partsOf(p *Page) []web.Part {
	list, _ := p.parts(true)
	return list
}

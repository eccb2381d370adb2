package play

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(webtest.Tests{M: m}) }

// get requests a path of a page.
func get(p *Page, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
	return w
}

func TestPage_Files(t *testing.T) {
	p := newPage(t, &scriptedEngine{}, Settings{}, nil)
	for path, status := range map[string]int{
		"/": http.StatusOK, "/static/board.js": http.StatusOK, "/static/none.js": http.StatusNotFound,
		"/api/move": http.StatusMethodNotAllowed, "/metrics": http.StatusNotFound,
	} {
		if w := get(p, path); w.Code != status ||
			!strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none';") {
			t.Errorf("%s: status %d, header %v", path, w.Code, w.Header())
		}
	}
}

// Castling may be given as the king's step or as the capture of the rook.
func TestLegalMoves_Castling(t *testing.T) {
	position := fixture.Position(t, "4k3/8/8/8/8/8/8/4K2R/ w K - 0 1")
	legal := newPage(t, &scriptedEngine{}, Settings{Start: position}, nil).game().Legal
	for _, m := range []string{"e1g1", "e1h1", "h1h8"} {
		if !slices.Contains(legal, m) {
			t.Errorf("%s is not among %s", m, legal)
		}
	}
}

// FuzzParseMove: what is accepted is legal.
func FuzzParseMove(f *testing.F) {
	const position = "r1bqk2r/pPp2ppp/2n2n2/8/8/2N2N2/PpP2PPP/R1BQK2R/PNbq w KQkq - 0 1"
	for _, text := range []string{
		"e4", "Nf3", "N@f7", "b8=Q", "bxa8=N+", "O-O", "e1g1", "e1h1", "b7b8", "@e4", "\x00",
	} {
		f.Add(text)
	}
	p := fixture.Position(f, position)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMove(&p, text)
		if err == nil && !p.IsLegal(m) {
			t.Errorf("%q is %s", text, m)
		}
		if err != nil && !strings.HasPrefix(err.Error(), strconv.Quote(text)+": ") {
			t.Errorf("%q: %v", text, err)
		}
	})
}

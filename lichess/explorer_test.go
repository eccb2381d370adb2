package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const explorerSecret = "lip_explorersecret"

// testExplorer returns an explorer of a server, and the count of its requests.
func testExplorer(t *testing.T, answer http.HandlerFunc) (*Explorer, *fakeServer) {
	t.Helper()
	server := newServer(answer)
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	token, err := NewToken(explorerSecret)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewExplorer(Options{Token: token, URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, server
}

const openingAnswer = `{"white":30,"draws":1,"black":20,"moves":[
	{"uci":"e2e4","san":"e4","averageRating":2000,"white":20,"draws":1,"black":9,"game":null},
	{"uci":"N@f3","san":"N@f3","white":10,"draws":0,"black":11,"opening":null}],
	"topGames":[],"recentGames":[],"opening":null,"queuePosition":7}`

func TestExplorer_Opening(t *testing.T) {
	const fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 1"
	var sent string
	e, _ := testExplorer(t, func(w http.ResponseWriter, r *http.Request) {
		sent = r.Method + " " + r.URL.Path + " " + r.URL.Query().Encode() + " " + r.Header.Get("Authorization")
		respond(http.StatusOK, openingAnswer)(w, r)
	})
	got, err := e.Opening(t.Context(), Crazyhouse, fen)
	want := &Opening{
		Moves: []OpeningMove{{UCI: "e2e4", White: 20, Draws: 1, Black: 9}, {UCI: "N@f3", White: 10, Black: 11}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || got.Moves[0].Games() != 30 {
		t.Errorf("error %v, result (-want +got):\n%s", err, diff)
	}
	request := "GET /lichess fen=" + url.QueryEscape(fen) +
		"&moves=12&recentGames=0&topGames=0&variant=crazyhouse Bearer " + explorerSecret
	if sent != request {
		t.Errorf("sent %q, want %q", sent, request)
	}
}

// A failed query is not sent again, and after a 429 none is until the wait is over.
func TestExplorer_Failures(t *testing.T) {
	limited := answerWith(429, http.Header{"Retry-After": {"30"}}, explorerSecret)
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"server error":  {respond(502, explorerSecret), "GET /lichess: 502 [token]"},
		"another shape": {respond(200, `{"moves":{"uci":"e2e4"}}`), errInvalidOpening.Error()},
		"negative":      {respond(200, `{"moves":[{"uci":"e2e4","white":-1}]}`), errInvalidOpening.Error()},
		"too many":      {respond(200, `{"moves":[{"uci":"e2e4","draws":99999999999}]}`), errInvalidOpening.Error()},
		"limited":       {limited, "GET /lichess: too many requests, next in 30s"},
	} {
		e, server := testExplorer(t, tt.answer)
		_, err := e.Opening(t.Context(), Crazyhouse, "fen")
		checkError(t, name, err, tt.want)
		if name == "limited" {
			_, err = e.Opening(t.Context(), Crazyhouse, "fen")
			checkError(t, name, err, "not sent, still too many requests")
		}
		if n := server.count(); n != 1 || strings.Contains(err.Error(), explorerSecret) {
			t.Errorf("%s: %d requests, want 1; error %v", name, n, err)
		}
	}
	_, err := NewExplorer(Options{})
	checkError(t, "no token", err, ErrNoToken.Error())
}

// A query ends with its context, whatever the server does.
func TestExplorer_Slow(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, _ := testExplorer(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		closeConn(w, r)
	})
	if _, err := e.Opening(ctx, Crazyhouse, "fen"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func FuzzOpening(f *testing.F) {
	f.Add([]byte(openingAnswer))
	f.Add([]byte(`{"moves":[{"uci":null,"white":1e3}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var o Opening
		if json.Unmarshal(body, &o) != nil {
			return
		}
		if len(o.Moves) > maxOpeningMoves {
			t.Fatalf("%d moves", len(o.Moves))
		}
		for _, m := range o.Moves {
			if m.Games() < 0 || m.White < 0 || m.Draws < 0 || m.Black < 0 {
				t.Fatalf("impossible %+v", m)
			}
		}
	})
}

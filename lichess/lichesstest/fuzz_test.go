package lichesstest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzRequest sends the server anything that a bot might: each request is answered,
// none with an error of the server's own.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "/api/account/playing", "nb=-1", "", "")
	f.Add("POST", "/api/challenge/alice", "", "application/x-www-form-urlencoded",
		"rated=true&clock.limit=99999999999999999999&clock.increment=-1&variant=crazyhouse")
	f.Add("POST", "/api/challenge/alice", "", "application/json",
		`{"clock.limit":180,"clock.increment":2,"variant":"crazyhouse"}`)
	f.Add("POST", "/api/bot/game/abcdefgh/move/e2e4", "offeringDraw=true", "", "")
	f.Add("POST", "/api/token/test", "", "text/plain", "lip_a,lip_b,")
	f.Add("GET", "/api/users/status", "ids=a,b,,%00", "", "")
	f.Add("GET", "/api/bot/game/stream/abcdefgh", "", "", "")
	f.Add("POST", "/api/tournament/x/join", "", "application/json", `[1]`)
	s, err := Start(Options{AnyClock: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	s.AddUser("alice", "")
	token := s.AddBot("zhbot")
	h := s.handler()
	f.Fuzz(func(t *testing.T, method, path, query, kind, body string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // or a stream would go on
		r := (&http.Request{
			Method: method, URL: &url.URL{Path: path, RawQuery: query}, Body: http.NoBody,
			Header: http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {kind}},
		}).WithContext(ctx)
		if body != "" {
			r.Body = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)).Body
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s %q: status %d: %s", method, path, w.Code, w.Body)
		}
	})
}

package lichess

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// refusingServer refuses the token of some requests, and says what it knows of it.
type refusingServer struct {
	refuse int          // requests
	token  http.Handler // answers token/test
	user   http.Handler // answers api/user
}

func (s *refusingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/api/token/test":
		s.token.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, "/api/user/"):
		s.user.ServeHTTP(w, r)
	case s.refuse > 0:
		s.refuse--
		respond(401, `{"error":"No such token"}`)(w, r)
	default:
		respond(200, `{"ok":true,"nowPlaying":[{"gameId":"a","isMyTurn":true,"fen":"8/8 w - - 0 1"}]}`)(w, r)
	}
}

var (
	unknownToken = respond(200, fmt.Sprintf(`{%q:null}`, secret))
	knownToken   = respond(200, fmt.Sprintf(`{%q:{"userId":"zhbot","scopes":"bot:play","expires":null}}`, secret))
	expiredToken = respond(200, fmt.Sprintf(`{%q:{"userId":"zhbot","scopes":"bot:play","expires":1}}`, secret))

	openAccount   = respond(200, `{"id":"zhbot","username":"zhBot"}`)
	closedAccount = respond(200, `{"id":"zhbot","username":"zhBot","disabled":true}`)
)

// A 401 is final only once the server has confirmed it, by what it knows of the token and
// of its account.
func TestClient_Refusal(t *testing.T) {
	for _, tt := range []struct {
		name        string
		token, user http.HandlerFunc
		want        bool
	}{
		{"unknown", unknownToken, openAccount, true},
		{"expired", expiredToken, openAccount, true},
		{"closed", knownToken, closedAccount, true},
		{"known", knownToken, openAccount, false},
		{"known, account unavailable", knownToken, respond(502, ""), false},
		{"unavailable", respond(502, ""), openAccount, false},
		{"refused as well", respond(401, `{"error":"No such token"}`), openAccount, false},
		{"limited", respond(429, ""), openAccount, false},
	} {
		inBubble(t, tt.name, func(t *testing.T) {
			c := bubbleClient(t, &refusingServer{1 << 20, tt.token, tt.user})
			began := time.Now()
			_, err := c.Playing(t.Context())
			took := time.Since(began)
			if errors.Is(err, ErrUnauthorized) != tt.want || IsTemporary(err) == tt.want || IsRefusal(err) != tt.want {
				t.Errorf("final: %t, want %t: %v", !tt.want, tt.want, err)
			}
			if tt.want && (took < refusalPause || took > 4*refusalPause) {
				t.Errorf("final after %s", took)
			}
		})
	}
}

// One refusal by mistake is repaired by the next attempt, or by the caller's.
func TestClient_RefusalByMistake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &refusingServer{1, unknownToken, openAccount}
		c := bubbleClient(t, server)
		for range 3 {
			server.refuse = 1
			checkError(t, "list", second(c.Playing(t.Context())), "")
			time.Sleep(2 * refusalMemory)
		}
		server.refuse, server.token = 1, knownToken
		checkError(t, "move", c.Move(t.Context(), e4), "")
		server.refuse = 1
		if err := c.AcceptChallenge(t.Context(), "aaaaaaaa", Human); !IsTemporary(err) || IsRefusal(err) {
			t.Errorf("a command is not sent again by itself: %v", err)
		}
	})
}

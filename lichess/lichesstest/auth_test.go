package lichesstest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAuthorization(t *testing.T) {
	s := NewServer(t, Options{})
	bot(t, s, "zhbot").get("/api/account").want(t, 200, `"title":"BOT"`)
	login(t, s, "").get("/api/account").want(t, 401, "Missing authorization header")
	login(t, s, "lip_no").get("/api/account").want(t, 401, "No such token")
	weak := login(t, s, s.AddUser("Weak", "BOT", "challenge:read"))
	got := weak.get("/api/bot/game/stream/abcdefgh")
	got.want(t, 403, "Missing scope")
	if got.header.Get("X-OAuth-Scopes") != "challenge:read" || !strings.Contains(got.header.Get("X-Accepted-OAuth-Scopes"), "bot:play") {
		t.Errorf("scopes %q, accepted %q", got.header.Get("X-OAuth-Scopes"), got.header.Get("X-Accepted-OAuth-Scopes"))
	}
	other := bot(t, s, "other")
	for agent, status := range map[string]int{
		"user:zhbot": 401, "as:zhbot": 401, "user:OTHER": 200, "user:zh": 200,
		"lichess-bot/2026.8 user:?": 200, "zhbot/1 user:zhbot": 200,
	} {
		other.agent = agent
		if got := other.get("/api/account"); got.status != status {
			t.Errorf("User-Agent %q: %d %s", agent, got.status, got.body)
		}
	}
	token := s.AddBot("gone")
	s.Revoke(token)
	login(t, s, token).get("/api/account").want(t, 401, "No such token")
	closed := bot(t, s, "closed")
	s.CloseAccount("closed")
	closed.get("/api/account").want(t, 401, "No such user")
}

// A token that expires says when, and is unknown from then on; a mark shows on the
// account, which counts its games.
func TestAccount_ExpiryMarkAndCount(t *testing.T) {
	s := NewServer(t, Options{})
	token := s.AddUser("Tester", "", "bot:play")
	a := login(t, s, token)
	a.get("/api/account").want(t, 200, `"count":{"all":0,"playing":0}`)
	s.MarkAccount("tester")
	s.SetPerf("tester", 1600, 7)
	a.get("/api/account").want(t, 200, `"tosViolation":true`)
	a.get("/api/account").want(t, 200, `"count":{"all":7,"playing":0}`)
	a.post("/api/bot/account/upgrade").want(t, 400, "You already have games played")
	at := time.Now().Add(time.Hour)
	s.SetExpiry(token, at)
	test := func() string {
		got, err := http.Post(s.URL()+"/api/token/test", "text/plain", strings.NewReader(token))
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if got, want := test(), fmt.Sprintf(`"expires":%d`, at.UnixMilli()); !strings.Contains(got, want) {
		t.Errorf("the token is %s, want %s", got, want)
	}
	s.SetExpiry(token, time.Now().Add(-time.Second))
	if got := test(); !strings.Contains(got, `":null`) {
		t.Errorf("an expired token is %s", got)
	}
	a.get("/api/account").want(t, 401, "No such token")
}

// Which scopes open which endpoints, as in the controllers of Lichess's server.
func TestAuthorization_Scopes(t *testing.T) {
	s := NewServer(t, Options{})
	all := []string{"bot:play", "board:play", "challenge:read", "challenge:write", "tournament:write", "preference:read"}
	programs := map[string]*account{}
	for _, scope := range all {
		programs[scope] = login(t, s, s.AddUser(strings.ReplaceAll(scope, ":", "-"), "BOT", scope))
	}
	for _, tt := range []struct {
		method, path string
		accepted     []string // nil for every token
	}{
		{"GET", "/api/account", nil},
		{"GET", "/api/account/playing", nil},
		{"GET", "/api/account/preferences", []string{"preference:read"}},
		{"POST", "/api/bot/account/upgrade", []string{"bot:play"}},
		{"GET", "/api/challenge", []string{"challenge:read"}},
		{"GET", "/api/challenge/nonesuch/show", []string{"challenge:read"}},
		{"POST", "/api/challenge/nobody", []string{"bot:play", "board:play", "challenge:write"}},
		{"POST", "/api/challenge/nonesuch/accept", []string{"bot:play", "board:play", "challenge:write"}},
		{"POST", "/api/challenge/nonesuch/decline", []string{"bot:play", "board:play", "challenge:write"}},
		{"POST", "/api/challenge/nonesuch/cancel", []string{"bot:play", "board:play", "challenge:write"}},
		{"POST", "/api/tournament/nonesuch/join", []string{"bot:play", "tournament:write"}},
		{"POST", "/api/tournament/nonesuch/withdraw", []string{"bot:play", "tournament:write"}},
		{"GET", "/api/bot/game/stream/nonesuch", []string{"bot:play"}},
		{"POST", "/api/bot/game/nonesuch/move/e2e4", []string{"bot:play"}},
		{"POST", "/api/bot/game/nonesuch/abort", []string{"bot:play"}},
		{"POST", "/api/bot/game/nonesuch/claim-victory", []string{"bot:play"}},
		{"POST", "/api/bot/game/nonesuch/chat", []string{"bot:play"}},
		{"GET", "/api/bot/game/nonesuch/chat", []string{"bot:play"}},
	} {
		for _, scope := range all {
			got, err := programs[scope].try(tt.method, tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if open := got.status != http.StatusForbidden; open != (tt.accepted == nil || slices.Contains(tt.accepted, scope)) {
				t.Errorf("%s %s with %s: %d %s", tt.method, tt.path, scope, got.status, got.body)
			}
		}
	}
}

// The page where setup and check send people has a token to copy.
func TestTokenPage(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	expired := s.AddToken("zhbot", "bot:play")
	s.SetExpiry(expired, time.Now().Add(-time.Hour))
	got := a.get("/account/oauth/token/create?scopes[]=bot:play&description=zhbot")
	got.want(t, 200, "<td>zhbot<td><code>"+a.token+"</code><td>bot:play ")
	if strings.Contains(got.body, expired) {
		t.Errorf("an expired token is shown: %s", got.body)
	}
}

package lichesstest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAuthorization(t *testing.T) {
	w := start(t, Options{}, "zhbot", "other", "gone", "closed")
	w.login("nobody", "")
	w.login("unknown", "lip_no")
	w.login("weak", w.AddUser("Weak", "BOT", "challenge:read"))
	w.Revoke(w.programs["gone"].token)
	w.CloseAccount("closed")
	w.say(`
		zhbot GET /api/account -> 200 "title":"BOT"
		nobody GET /api/account -> 401 Missing authorization header
		unknown GET /api/account -> 401 No such token
		gone GET /api/account -> 401 No such token
		closed GET /api/account -> 401 No such user
	`)
	header := w.say("weak GET /api/bot/game/stream/abcdefgh -> 403 Missing scope").header
	scopes, accepted := header.Get("X-OAuth-Scopes"), header.Get("X-Accepted-OAuth-Scopes")
	if scopes != "challenge:read" || accepted != "bot:play" {
		t.Errorf("scopes %q, accepted %q", scopes, accepted)
	}
	for agent, status := range map[string]string{
		"user:zhbot": "401", "as:zhbot": "401", "user:OTHER": "200", "user:zh": "200",
		"user: zhbot": "401", "user:  zhbot": "200", "lichess-bot/2026.8 user:?": "200", "zhbot/1 user:zhbot": "200",
	} {
		w.programs["other"].agent = agent
		w.say("other GET /api/account -> " + status)
	}
}

// A token that expires says when, and is unknown from then on; a mark shows on the
// account, which counts its games.
func TestAccount_ExpiryMarkAndCount(t *testing.T) {
	w := start(t, Options{})
	token := w.AddUser("Tester", "", "bot:play")
	w.login("tester", token)
	w.say(`tester GET /api/account -> 200 "playing":0,"rated":0`)
	w.MarkAccount("tester")
	w.SetPerf("tester", 1600, 7)
	w.say(`
		tester GET /api/account -> 200 "tosViolation":true
		tester GET /api/account -> 200 "playing":0,"rated":7
		tester POST /api/bot/account/upgrade -> 400 You already have games played
	`)
	for range 30 - 3 {
		w.say("tester GET /api/account -> 200")
	}
	w.say("tester GET /api/account -> 429 api.account.user")
	for _, in := range []time.Duration{time.Hour, -time.Second} {
		at := time.Now().Add(in)
		w.do(func() { w.tokens[token].expires = at })
		info, err := w.Client(t, token).TestToken(t.Context())
		if err != nil || (info == nil) != (in < 0) || info != nil && info.Expires.UnixMilli() != at.UnixMilli() {
			t.Errorf("the token that expires in %s is %+v, %v", in, info, err)
		}
	}
	w.say("tester GET /api/account -> 401 No such token")
}

// Which scopes open which endpoints, as in the controllers of Lichess's server.
func TestAuthorization_Scopes(t *testing.T) {
	const all = "bot:play board:play challenge:read challenge:write tournament:write preference:read"
	w := start(t, Options{})
	for scope := range strings.FieldsSeq(all) {
		w.login(scope, w.AddUser(strings.ReplaceAll(scope, ":", "-"), "BOT", scope))
	}
	for accepted, requests := range map[string][]string{
		all:                         {"GET /api/account", "GET /api/account/playing"},
		"preference:read":           {"GET /api/account/preferences"},
		"challenge:read":            {"GET /api/challenge", "GET /api/challenge/nonesuch/show"},
		"bot:play tournament:write": {"POST /api/tournament/nonesuch/join", "POST /api/tournament/nonesuch/withdraw"},
		"bot:play board:play challenge:write": {
			"POST /api/challenge/nobody", "POST /api/challenge/nonesuch/accept", "POST /api/challenge/nonesuch/decline",
			"POST /api/challenge/nonesuch/cancel",
		},
		"board:play": {"POST /api/board/game/nonesuch/move/e2e4"},
		"bot:play": {
			"POST /api/bot/account/upgrade", "GET /api/bot/game/stream/nonesuch",
			"POST /api/bot/game/nonesuch/move/e2e4", "POST /api/bot/game/nonesuch/abort",
			"POST /api/bot/game/nonesuch/claim-victory", "POST /api/bot/game/nonesuch/chat",
			"GET /api/bot/game/nonesuch/chat",
		},
	} {
		for _, request := range requests {
			method, path, _ := strings.Cut(request, " ")
			for scope, program := range w.programs {
				got, err := program.try(method, path, nil)
				if err != nil {
					t.Fatal(err)
				}
				open := got.status != http.StatusForbidden
				if open != slices.Contains(strings.Fields(accepted), scope) {
					t.Errorf("%s with %s: %d %s", request, scope, got.status, got.body)
				}
			}
		}
	}
}

// The pages where people look, and where setup and check send them, have a token to copy.
func TestTokenPage(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	expired := w.AddToken("zhbot", "bot:play")
	w.SetGuide("How to play here.\n\n")
	w.do(func() { w.tokens[expired].expires = time.Now().Add(-time.Hour) })
	for _, path := range []string{"/", "/account/oauth/token", "/account/oauth/token/create?scopes[]=bot:play"} {
		got := w.say("zhbot GET " + path + " -> 200 " + w.programs["zhbot"].token + " bot:play challenge:read ")
		if strings.Contains(got.body, expired) || !strings.Contains(got.body, "\n\nHow to play here.\n\nIts accounts") {
			t.Errorf("an expired token is shown, or no guide: %s", got.body)
		}
	}
}

// A JSON body is bound as Play binds it; a list of tokens is read whatever it is said to be.
func TestReadForm(t *testing.T) {
	for _, tt := range []struct{ path, kind, body, want string }{
		{"/x?a=1", "application/x-www-form-urlencoded", "b=2", "a=1&b=2"},
		{"/x?a=1", "application/json; charset=utf-8", `{"clock":{"limit":1000000,"increment":0},"color":null,"b":true}`,
			"a=1&b=true&clock.increment=0&clock.limit=1000000"},
		{"/x", "application/json", `{"rules":["noAbort",{"a":"é"}]}`, "rules%5B0%5D=noAbort&rules%5B1%5D.a=%C3%A9"},
		{"/x", "application/json", `[1]`, "error"},
		{tokenTestPath, "application/json", "lip_a,lip_b", ""},
		{tokenTestPath, "application/x-www-form-urlencoded", "lip_a,lip_b", ""},
	} {
		r := httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(tt.body))
		r.Header.Set("Content-Type", tt.kind)
		err := readForm(httptest.NewRecorder(), r)
		if got := r.Form.Encode(); (err != nil) != (tt.want == "error") || err == nil && got != tt.want {
			t.Errorf("%s %s: %s, %v, want %s", tt.kind, tt.body, got, err, tt.want)
		}
		if body, _ := io.ReadAll(r.Body); tt.path == tokenTestPath && string(body) != tt.body {
			t.Errorf("%s: the body of %s is %q", tt.path, tt.kind, body)
		}
	}
}

package lichess

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// fuzzClient returns a client that decodes responses without a server.
func fuzzClient(tb testing.TB) *Client {
	tb.Helper()
	token, err := NewToken(secret)
	if err != nil {
		tb.Fatal(err)
	}
	return &Client{token: token, limiter: newRateLimiter(), base: &url.URL{Scheme: "https", Host: "lichess.org"}, version: "1"}
}

// FuzzErrorResponse checks that every error response becomes one short line without
// the token, and that no wait exceeds a day.
func FuzzErrorResponse(f *testing.F) {
	f.Add(429, "60", "", "", `{"error":"Too many","ratelimit":{"key":"bot.vsBot.day","seconds":9223372036854775807}}`)
	f.Add(429, "Wed, 21 Oct 2099 07:28:00 GMT", "", "", "<html>")
	f.Add(429, "-9223372036854775808", "", "", "")
	f.Add(403, "", "", "bot:play, challenge:read", `{"error":"Missing scope: board:play"}`)
	f.Add(403, "", "", "\x00\x1b[31m", "Missing scope: 0")
	f.Add(302, "", "https://x/?t="+secret, "", "a\x1b[31m"+secret+"\r\nb")
	f.Add(400, "", "", "", `{"error":{"clock.limit":["a"],"global":{"x":1}},"ratelimit":{"seconds":"x"}}`)
	f.Fuzz(func(t *testing.T, status int, wait, location, scopes, body string) {
		h := http.Header{"Retry-After": {wait}, "Location": {location}, "X-Oauth-Scopes": {scopes}, "X-Accepted-Oauth-Scopes": {scopes + ",bot:play"}}
		c := fuzzClient(t)
		err := c.apiError(endpointMove, status, h, []byte(body))
		if err == nil {
			t.Fatal("a refusal without an error")
		}
		if text := err.Error(); strings.Contains(text, secret) || strings.ContainsAny(text, "\r\n\x1b\x00") || len(text) > 700 {
			t.Errorf("the error reads %q", text)
		}
		var limited *RateLimitError
		if errors.As(err, &limited) && (limited.RetryAfter <= 0 || limited.RetryAfter > 25*time.Hour) {
			t.Errorf("a wait of %s", limited.RetryAfter)
		}
		var api *APIError
		if errors.As(err, &api) && IsTemporary(err) != (status >= 500 || status >= 400 && !api.Explained) {
			t.Errorf("status %d, explained %t: temporary is %t", status, api.Explained, IsTemporary(err))
		}
	})
}

// FuzzDecodeResponse decodes a response as the result of each call.
func FuzzDecodeResponse(f *testing.F) {
	addLines(f, "events.ndjson", "game.ndjson", "bot-limit.json")
	f.Add([]byte(`{"nowPlaying":[{"gameId":"abcdefgh","fen":"8/8/8/8/8/8/8/8 b - - 0 9223372036854775807","isMyTurn":true,"secondsLeft":1}]}`))
	f.Add([]byte(`{"id":"a","username":"a\r\nX-Evil: 1","title":"BOT","perfs":{"crazyhouse":{"games":1}}}`))
	f.Add([]byte(`[{"id":"a","name":"A","online":true}]`))
	f.Add([]byte(`{"in":[{"id":"a","challenger":null}],"out":[{"id":"b","timeControl":{"type":"clock","limit":-1}}]}`))
	f.Add([]byte(`{"` + secret + `":{"userId":"a","scopes":"a,b","expires":9223372036854775807}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := fuzzClient(t)
		var playing struct {
			NowPlaying []Game `json:"nowPlaying"`
		}
		var account Account
		var statuses []UserStatus
		var challenges ChallengeList
		var challenge Challenge
		var chat []ChatMessage
		for _, into := range []any{&playing, &account, &statuses, &challenges, &challenge, &chat} {
			_ = c.decodeResponse(request{endpoint: endpointPlaying, into: into}, http.StatusOK, nil, body)
		}
		c.setUserAgent(account.Username)
		if agent := c.userAgent(); strings.ContainsFunc(agent, func(r rune) bool { return r < ' ' || r > '~' }) || len(agent) > 100 {
			t.Errorf("User-Agent %q", agent)
		}
		for _, game := range playing.NowPlaying {
			p := moveAttempt{move: MoveRequest{GameID: game.ID, Ply: 3}}
			if p.statusIn(playing.NowPlaying) < moveUnknown {
				t.Error("a fate that is none")
			}
			if n, ok := plies(game.FEN); ok && n < 0 {
				t.Errorf("%d plies by %q", n, game.FEN)
			}
		}
		bots, err := decodeLines[Account](body, c.token)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the token: %v", err)
		}
		if len(bots) > 0 && !anyObject(body) {
			t.Errorf("%d bots in what holds no object", len(bots))
		}
	})
}

// anyObject reports whether a line is JSON.
func anyObject(body []byte) bool {
	for line := range strings.SplitSeq(string(body), "\n") {
		if json.Valid([]byte(line)) {
			return true
		}
	}
	return false
}

// FuzzRequest checks that no argument from the network escapes its path segment.
func FuzzRequest(f *testing.F) {
	f.Add("abcdefgh", "e2e4")
	f.Add("../../account", "e2e4?x=1")
	f.Add("a/b", "%2e%2e")
	f.Add("{uci}", "{id}")
	f.Fuzz(func(t *testing.T, id, uci string) {
		r := request{endpoint: endpointMove, args: []string{id, uci}}
		target, err := r.url(fuzzClient(t).base)
		if err == nil && target != "https://lichess.org/api/bot/game/"+id+"/move/"+uci {
			t.Errorf("%q and %q made %q", id, uci, target)
		}
	})
}

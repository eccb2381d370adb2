package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/zhbot/zhbot/internal/fixture"
)

// addLines seeds a fuzz target with the sample lines.
func addLines(f *testing.F, names ...string) {
	for _, name := range names {
		for line := range strings.Lines(fixture.Read(f, "testdata/"+name)) {
			f.Add([]byte(line))
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	addLines(f, "events.ndjson", "unknown.ndjson", "bot-limit.json")
	f.Fuzz(func(t *testing.T, line []byte) {
		event, err := decodeEvent(line)
		checkDecoded(t, line, event == nil, err)
		switch e := event.(type) {
		case *GameStart:
			if e.Game.ID == "" {
				t.Error("a start without a game id")
			}
		case *ChallengeCreated:
			if e.Challenge.ID == "" {
				t.Error("a challenge without an id")
			}
		case *UnknownEvent:
			if !bytes.Equal(e.Raw, line) {
				t.Error("an unknown event that is not its line")
			}
		}
	})
}

func FuzzDecodeGameEvent(f *testing.F) {
	addLines(f, "game.ndjson", "unknown.ndjson")
	f.Add([]byte(`{"type":"gameState","moves":"e2e4","wtime":1,"status":"started","type":"chatLine"}`))
	f.Add([]byte(`{"type":"gameState","GameState":{"moves":"e2e4"},"gamestate":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		event, err := decodeGameEvent(line)
		checkDecoded(t, line, event == nil, err)
		if state, ok := event.(*GameState); ok {
			if state.Moves == noMoves {
				t.Error("a state without moves")
			}
		}
		if full, ok := event.(*GameFull); ok && full.State.Moves == noMoves {
			t.Error("a gameFull without moves")
		}
	})
}

func FuzzDecodeArena(f *testing.F) {
	f.Add([]byte(`{"id":"a","startsAt":"2026-05-25T18:00:00Z","variant":"crazyhouse","minutes":9223372036854775807}`))
	f.Add([]byte(`{"id":"a","startsAt":1716930043067,"finishesAt":1,"variant":{"key":"atomic"},"status":30}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var a Arena
		if json.Unmarshal(line, &a) == nil && (a.ID == "" || a.Starts.IsZero() || a.Finishes.IsZero()) {
			t.Errorf("an arena without an id or a time: %+v", a)
		}
	})
}

// checkDecoded checks that there is an event or an error, and that only JSON
// objects are events.
func checkDecoded(t *testing.T, line []byte, none bool, err error) {
	t.Helper()
	if none != (err != nil) {
		t.Errorf("no event: %t, error: %v", none, err)
	}
	var object map[string]json.RawMessage
	if isObject := json.Unmarshal(line, &object) == nil && object != nil; err == nil && !isObject {
		t.Errorf("%q was taken as an event", line)
	}
}

// FuzzNDJSON compares the line reader with a plain split, for any chunk size.
func FuzzNDJSON(f *testing.F) {
	f.Add([]byte("{}\n\n{\"a\":1}\r\n{"))
	f.Add([]byte(strings.Repeat("x", 40) + "\n{}"))
	f.Add([]byte(strings.Repeat("0", 30) + "\u2005"))
	f.Add([]byte("\n \n" + strings.Repeat(" ", 40) + "{}\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		const most = 32
		for _, src := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
			lines := newLineReader(src, most)
			for _, want := range bytes.Split(in, []byte("\n")) {
				if len(bytes.TrimRight(want, whitespace)) > most || len(bytes.Trim(want, whitespace)) == 0 {
					continue
				}
				checkNext(t, lines, bytes.Trim(want, whitespace))
			}
			if line, err := nextShort(lines); err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("after the last line: %q, %v", line, err)
			}
		}
	})
}

// checkNext checks a line, of which the last one may be truncated.
func checkNext(t *testing.T, lines *lineReader, want []byte) {
	t.Helper()
	got, err := nextShort(lines)
	if !bytes.Equal(got, want) || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("line %q, error %v, want %q", got, err, want)
	}
}

// nextShort skips lines that are too long.
func nextShort(lines *lineReader) ([]byte, error) {
	for {
		line, err := lines.next()
		if len(line) == 0 && err == nil {
			panic("a blank line")
		}
		if !errors.Is(err, ErrLineTooLong) {
			return line, err
		}
	}
}

// fuzzClient returns a client that decodes responses without a server.
func fuzzClient(tb testing.TB) *Client {
	tb.Helper()
	token, err := NewToken(secret)
	if err != nil {
		tb.Fatal(err)
	}
	return &Client{
		token: token, limiter: newRateLimiter(), base: &url.URL{Scheme: "https", Host: "lichess.org"}, agent: "zhbot/1",
	}
}

// FuzzErrorResponse checks that every error response becomes one short line without
// the token, and that no wait exceeds a day.
func FuzzErrorResponse(f *testing.F) {
	f.Add(429, "60", "", "", `{"error":"Too many","ratelimit":{"key":"bot.vsBot.day","seconds":9223372036854775807}}`)
	f.Add(429, "Wed, 21 Oct 2099 07:28:00 GMT", "", "", "<html>")
	f.Add(429, "-9223372036854775808", "", "", "")
	f.Add(403, "", "", "bot:play, challenge:read", `{"error":"Missing scope: board:play"}`)
	f.Add(403, "", "", "\x00\x1b[31m", "Missing scope: 0")
	f.Add(400, "", "", "", `{"error":null,"ratelimit":null}`)
	f.Add(302, "", "https://x/?t="+secret, "", "a\x1b[31m"+secret+"\r\nb")
	f.Add(400, "", "", "", `{"error":{"clock.limit":["a"],"global":{"x":1}},"ratelimit":{"seconds":"x"}}`)
	f.Fuzz(func(t *testing.T, status int, wait, location, scopes, body string) {
		h := http.Header{
			"Retry-After": {wait}, "Location": {location}, "X-Oauth-Scopes": {scopes},
			"X-Accepted-Oauth-Scopes": {scopes + ",bot:play"},
		}
		c := fuzzClient(t)
		err := c.apiError(endpointMove, status, h, []byte(body))
		if err == nil {
			t.Fatal("a refusal without an error")
		}
		if text := err.Error(); strings.Contains(text, secret) || strings.ContainsAny(text, "\r\n\x1b\x00") ||
			len(text) > 700 {
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
	f.Add([]byte(`{"nowPlaying":[{"gameId":"abcdefgh","isMyTurn":true,"secondsLeft":1,
		"fen":"8/8/8/8/8/8/8/8 b - - 0 9223372036854775807"}]}`))
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
			_ = c.decodeResponse(request{endpoint: get("/api/account/playing"), into: into}, http.StatusOK, nil, body)
		}
		c.setUserAgent(account.Username)
		if agent := c.userAgent(); strings.ContainsFunc(agent, func(r rune) bool { return r < ' ' || r > '~' }) ||
			len(agent) > 100 {
			t.Errorf("User-Agent %q", agent)
		}
		for _, game := range playing.NowPlaying {
			p := moveAttempt{move: MoveRequest{GameID: game.ID, Ply: 3}}
			if arrived, known := p.arrivedIn(&GameList{Games: playing.NowPlaying}); arrived && !known {
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
	var sent string
	capture := roundTripFunc(func(r *http.Request) (*http.Response, error) {
		sent = r.URL.String()
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	})
	client := &transport{
		Client: resty.NewWithClient(&http.Client{Transport: capture}).SetBaseURL("https://lichess.org"),
	}
	f.Fuzz(func(t *testing.T, id, uci string) {
		r := request{endpoint: endpointMove, args: []string{id, uci}}
		req, err := r.build(t.Context(), client)
		if err != nil {
			return
		}
		if _, err := req.Execute(r.method, r.path); err != nil {
			t.Fatal(err)
		}
		if sent != "https://lichess.org/api/bot/game/"+id+"/move/"+uci {
			t.Errorf("%q and %q made %q", id, uci, sent)
		}
	})
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestStatus(t *testing.T) {
	for _, row := range rows(`
		"started"                    | started      | false
		"created"                    | created      | false
		"mate"                       | mate         | true
		{"id":35,"name":"outoftime"} | outoftime    | true
		{"id":20}                    | started      | false
		25                           | aborted      | true
		{"id":99}                    | 99           | false
		"somethingNew"               | somethingNew | false
		null                         |              | false
		{"id":"x","name":"mate"}     | mate         | true
		[1]                          |              | false
		20.5                         |              | false
	`) { // as it is sent, its name, and whether the game is over
		var got Status
		if err := json.Unmarshal([]byte(row[0]), &got); err != nil || string(got) != row[1] ||
			got.Over() != (row[2] == "true") {
			t.Errorf("%s: %q, over %t, error %v", row[0], got, got.Over(), err)
		}
	}
}

// TestDecode_Variations decodes forms that differ from the sample lines.
func TestDecode_Variations(t *testing.T) {
	game := func(state string) (GameEvent, error) {
		return decodeGameEvent([]byte(`{"type":"gameFull","id":"a","white":{"aiLevel":3},"black":{},"state":` + state +
			`}`))
	}
	full, err := game(`{"type":"gameState","moves":"e2e4 e7e5","status":"started",
		"expiration":{"idleMillis":5,"millisToMove":30000},"rematch":"bbbbbbbb"}`)
	if err != nil {
		t.Fatal(err)
	}
	g := full.(*GameFull)
	if g.White.AILevel != 3 || g.Black != (Player{}) || !g.Clock.IsZero() ||
		*g.State.Expiration != (Expiration{5, 30000}) || g.State.Rematch != "bbbbbbbb" || len(g.State.MoveList()) != 2 {
		t.Errorf("gameFull %+v", g)
	}
	_, err = game(`null`)
	checkError(t, "a gameFull without state", err, errNoMoves.Error())
	event, err := decodeEvent([]byte(`{"type":"challenge","challenge":{"id":"a","challenger":null,
		"destUser":{"title":"BOT"},"timeControl":{"type":"unlimited"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := event.(*ChallengeCreated)
	if c.Challenge.Challenger != nil || c.Challenge.Challenger.IsBot() || !c.Challenge.DestUser.IsBot() ||
		c.Compat != nil {
		t.Errorf("challenge %+v", c)
	}
}

func TestDurations(t *testing.T) {
	for got, want := range map[time.Duration]string{
		Millis(1500).Duration():           "1.5s",
		Millis(2147483647).Duration():     "596h31m23.647s",
		Seconds(-3).Duration():            "-3s",
		Millis(math.MaxInt64).Duration():  (math.MaxInt64 / time.Millisecond * time.Millisecond).String(),
		Seconds(math.MinInt64).Duration(): (-(math.MaxInt64 / time.Second * time.Second)).String(),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

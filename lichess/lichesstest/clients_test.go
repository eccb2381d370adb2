package lichesstest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// clientRequest is a request of another program, as it sends it. Names in braces stand for
// what the test fills in.
type clientRequest struct {
	line   string // without the version of HTTP
	agent  string // of the User-Agent, what follows the program's name
	kind   string // the content type; "" for none
	body   string
	stream bool   // read its first line only
	want   string // a part of the answer, whose status is 200
}

// client is how a program sends requests.
type client struct {
	name     string
	headers  string // lines, in their order; %s for the User-Agent
	requests []clientRequest
}

const formType = "application/x-www-form-urlencoded"

// What lichess-bot 2026.8 sends, by Python's requests, from its start on.
var lichessBot = client{
	name:    "lichess-bot/2026.8.2.1 user:",
	headers: "User-Agent: %s\r\nAccept-Encoding: gzip, deflate\r\nAccept: */*\r\nConnection: keep-alive\r\nAuthorization: Bearer {token}\r\n",
	requests: []clientRequest{
		{line: "POST /api/token/test", agent: "?", body: "{token}", want: `"scopes":"bot:play`},
		{line: "GET /api/account", agent: "?", want: `"username":"zhbot"`},
		{line: "POST /api/bot/account/upgrade", agent: "zhbot", want: `{"ok":true}`},
		{line: "GET /api/account/playing", agent: "zhbot", want: `{"nowPlaying":[]}`},
		{line: "GET /api/stream/event", agent: "zhbot", stream: true, want: `{incoming}`},
		{line: "GET /api/users/status?ids=zhbot", agent: "zhbot", want: `"online":true`},
		{line: "GET /api/bot/online", agent: "zhbot", want: `"rival"`},
		{line: "GET /api/user/rival", agent: "zhbot", want: `"title":"BOT"`},
		{
			line: "POST /api/challenge/rival", agent: "zhbot", kind: "application/json",
			body: `{"rated": false, "variant": "crazyhouse", "clock.limit": 180, "clock.increment": 2}`, want: `"show":"3+2"`,
		},
		{line: "POST /api/challenge/{outgoing}/cancel", agent: "zhbot", want: `{"ok":true}`},
		{line: "POST /api/challenge/{unwanted}/decline", agent: "zhbot", kind: formType, body: "reason=tooFast", want: `{"ok":true}`},
		{line: "POST /api/challenge/{incoming}/accept", agent: "zhbot", want: `{"ok":true}`},
		{line: "GET /api/bot/game/stream/{incoming}", agent: "zhbot", stream: true, want: `"type":"gameFull"`},
		{line: "POST /api/bot/game/{incoming}/chat", agent: "zhbot", kind: formType, body: "room=player&text=Hi%21+I%27m+zhbot.", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/chat", agent: "zhbot", kind: formType, body: "room=spectator&text=Hi%21", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/move/e2e4?offeringDraw=false", agent: "zhbot", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/takeback/no", agent: "zhbot", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/abort", agent: "zhbot", want: `{"ok":true}`},
	},
}

// What BotLi 2026.7 sends, by aiohttp, from its start on.
var botLi = client{
	name:    "BotLi/2026.7",
	headers: "Authorization: Bearer {token}\r\nUser-Agent: %s\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n",
	requests: []clientRequest{
		{line: "GET /api/account", want: `"username":"zhbot"`},
		{line: "POST /api/token/test", agent: " user:zhbot", kind: "text/plain; charset=utf-8", body: "{token}", want: `"scopes":"bot:play`},
		{line: "POST /api/bot/account/upgrade", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "GET /api/stream/event", agent: " user:zhbot", stream: true, want: `{incoming}`},
		{line: "GET /api/bot/online?nb=512", agent: " user:zhbot", want: `"rival"`},
		{line: "GET /api/users/status?ids=rival", agent: " user:zhbot", want: `"online":true`},
		{
			line: "POST /api/challenge/rival", agent: " user:zhbot", kind: formType, stream: true, want: `"show":"3+2"`,
			body: "rated=false&clock.limit=180&clock.increment=2&color=random&variant=crazyhouse&keepAliveStream=true",
		},
		{line: "POST /api/challenge/{outgoing}/cancel", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "POST /api/challenge/{unwanted}/decline", agent: " user:zhbot", kind: formType, body: "reason=tooFast", want: `{"ok":true}`},
		{line: "POST /api/challenge/{incoming}/accept", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "GET /api/bot/game/stream/{incoming}", agent: " user:zhbot", stream: true, want: `"type":"gameFull"`},
		{line: "POST /api/bot/game/{incoming}/chat", agent: " user:zhbot", kind: formType, body: "room=player&text=Good+luck%21", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/move/e2e4?offeringDraw=false", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/takeback/no", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/claim-victory", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "POST /api/bot/game/{incoming}/resign", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "GET /api/tournament/{arena}", agent: " user:zhbot", want: `"botsAllowed":true`},
		{line: "POST /api/tournament/{arena}/join", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "POST /api/tournament/{arena}/join", agent: " user:zhbot", kind: formType, body: "team=crazy-bots&password=secret", want: `{"ok":true}`},
		{line: "POST /api/tournament/{arena}/withdraw", agent: " user:zhbot", kind: "application/octet-stream", want: `{"ok":true}`},
		{line: "POST /team/crazy-bots/join", agent: " user:zhbot", kind: formType, body: "password=secret", want: `{"ok":true}`},
	},
}

// The server accepts what other programs send.
func TestClients(t *testing.T) {
	for _, c := range []client{lichessBot, botLi} {
		t.Run(strings.FieldsFunc(c.name, func(r rune) bool { return r == '/' })[0], func(t *testing.T) {
			s := NewServer(t, Options{})
			values := map[string]string{
				"token": s.AddUser("zhbot", "", "bot:play", "team:write"),
				"arena": s.AddArena(ArenaSpec{StartsIn: patience}),
			}
			s.AddBotPlayer("rival", Idle())
			s.AddHuman("alice", Idle())
			s.AnswerChallenges("rival", func(ChallengeSpec) Answer { return Answer{Silent: true} })
			conn := dial(t, s)
			for _, r := range c.requests {
				if strings.Contains(r.line, "stream/event") {
					values["unwanted"] = s.Challenge("rival", "zhbot", blitz)
					values["incoming"] = s.Challenge("alice", "zhbot", ChallengeSpec{Limit: blitz.Limit, Increment: blitz.Increment, Color: "black"})
				}
				own := conn
				if r.stream {
					own = dial(t, s)
				}
				answer := own.send(c.headers, c.name+r.agent, r, values)
				if strings.HasPrefix(r.line, "POST /api/challenge/rival") {
					values["outgoing"], _ = parse(t, answer)["id"].(string)
				}
			}
		})
	}
}

// rawConn is a connection to the server without an HTTP client.
type rawConn struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, s *Server) *rawConn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &rawConn{t, conn, bufio.NewReader(conn)}
}

// send sends a request, checks its answer and returns the body, of a stream the lines up
// to the wanted one.
func (c *rawConn) send(headers, agent string, r clientRequest, values map[string]string) string {
	c.t.Helper()
	fill := func(text string) string {
		for name, value := range values {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	body, want := fill(r.body), fill(r.want)
	text := r.line + " HTTP/1.1\r\nHost: " + c.RemoteAddr().String() + "\r\n" + fmt.Sprintf(headers, agent)
	if strings.HasPrefix(r.line, "POST") {
		text += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	if r.kind != "" {
		text += "Content-Type: " + r.kind + "\r\n"
	}
	if _, err := io.WriteString(c, fill(text)+"\r\n"+body); err != nil {
		c.t.Fatal(err)
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatalf("%s: %v", r.line, err)
	}
	got := readUntil(c.t, answer, r.stream, want)
	if answer.StatusCode != http.StatusOK || !strings.Contains(got, want) {
		c.t.Fatalf("%s: %d %s, want %s", r.line, answer.StatusCode, got, want)
	}
	return got
}

// readUntil reads a response, of a stream the lines up to the wanted one.
func readUntil(t *testing.T, r *http.Response, stream bool, want string) string {
	t.Helper()
	if !stream {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), want) {
			return lines.Text()
		}
	}
	return fmt.Sprint("the end of the stream: ", lines.Err())
}

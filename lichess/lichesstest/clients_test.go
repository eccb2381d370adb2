package lichesstest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// The server accepts what other programs send: paragraphs of a request's line, headers and
// body, and of a part of the answer, of a stream of one of its lines.
func TestClients(t *testing.T) {
	for _, file := range []string{"testdata/lichess-bot.txt", "testdata/botli.txt"} {
		t.Run(file, func(t *testing.T) {
			w := start(t, Options{})
			w.values["token"] = w.AddUser("zhbot", "", "bot:play", "team:write")
			w.values["arena"] = w.AddArena(ArenaSpec{StartsIn: patience})
			w.AddBotPlayer("rival", Idle())
			w.AddHuman("alice", Idle())
			w.AnswerChallenges("rival", func(ChallengeSpec) Answer { return Answer{Silent: true} })
			requests := strings.Split(strings.TrimSpace(fixture.Read(t, file)), "\n\n")
			_, headers, _ := strings.Cut(requests[0], "\n")
			conn := dial(t, w.Server)
			for _, request := range requests[1:] {
				if strings.Contains(request, "stream/event") {
					w.values["unwanted"] = w.Challenge("rival", "zhbot", blitz)
					w.values["incoming"] = w.Challenge("alice", "zhbot", ChallengeSpec{
						Limit: blitz.Limit, Increment: blitz.Increment, Color: "black",
					})
				}
				own := conn
				if strings.Contains(request, "\na line: ") {
					own = dial(t, w.Server)
				}
				got := own.send(w.fill(headers), w.fill(request))
				if strings.HasPrefix(request, "POST /api/challenge/rival") {
					w.values["outgoing"] = parse(t, got)["id"].(string)
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

var sample = regexp.MustCompile(`^(.*)\n((?:[\w-]+: .*\n)+)(.*\n)??(answer|a line): (.*)$`)

// send sends a request, checks its answer and returns the body, of a stream the lines up
// to the wanted one.
func (c *rawConn) send(headers, request string) string {
	c.t.Helper()
	part := sample.FindStringSubmatch(request)
	if part == nil {
		c.t.Fatalf("not a request: %s", request)
	}
	line, body, want := part[1], strings.TrimSuffix(part[3], "\n"), part[5]
	text := line + " HTTP/1.1\nHost: " + c.RemoteAddr().String() + "\n" + headers + "\n" + part[2]
	if strings.HasPrefix(line, "POST") {
		text += fmt.Sprintf("Content-Length: %d\n", len(body))
	}
	if _, err := io.WriteString(c, strings.ReplaceAll(text, "\n", "\r\n")+"\r\n"+body); err != nil {
		c.t.Fatal(err)
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	got := readUntil(c.t, answer, part[4] == "a line", want)
	if answer.StatusCode != http.StatusOK || !strings.Contains(got, want) {
		c.t.Fatalf("%s: %d %s, want %s", line, answer.StatusCode, got, want)
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

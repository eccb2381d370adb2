package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

var testServer = Server{Version: "test", Options: engine.Options{Threads: 2, HashMB: 1}, MaxHashMB: 512}

// runCommands runs a server on the commands and returns its output lines, without empty
// ones, and without the line at the end of input, which comes at any time.
func runCommands(t testing.TB, commands string) []string {
	t.Helper()
	var out strings.Builder
	if err := testServer.Run(t.Context(), strings.NewReader(commands), &out); err != nil {
		t.Fatalf("Run: %v", err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "info string end of input") {
			lines = append(lines, line)
		}
	}
	return lines
}

// The parameters of the search are listed only if asked for, and can be set in both cases.
func TestServer_Parameters(t *testing.T) {
	const commands = "uci\nsetoption name razorMargin value 300\ngo depth 1\nsetoption name razorMargin value 301\n"
	for _, listed := range []bool{false, true} {
		var out strings.Builder
		s := testServer
		s.Parameters = listed
		if err := s.Run(t.Context(), strings.NewReader(commands), &out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if strings.Contains(text, "option name razorMargin type spin default") != listed ||
			strings.Contains(text, "error") {
			t.Errorf("listed %t, answered\n%s", listed, text)
		}
	}
}

// guiClient drives a server as a GUI does: it sends lines and waits for answers.
type guiClient struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Scanner
	done chan error
}

func newGUI(t *testing.T) *guiClient {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	g := &guiClient{t: t, to: to, from: bufio.NewScanner(from), done: make(chan error, 1)}
	go func() {
		err := testServer.Run(t.Context(), in, out)
		out.Close()
		in.Close()
		g.done <- err
	}()
	stuck := time.AfterFunc(time.Minute, func() { out.CloseWithError(errors.New("no answer within a minute")) })
	t.Cleanup(func() {
		to.Close()
		for g.from.Scan() { // so that the server can write its last lines
		}
		if err := <-g.done; err != nil {
			t.Errorf("Run: %v", err)
		}
		stuck.Stop()
	})
	return g
}

func (g *guiClient) send(lines ...string) {
	g.t.Helper()
	if _, err := io.WriteString(g.to, strings.Join(lines, "\n")+"\n"); err != nil {
		g.t.Fatalf("send %q: %v", lines, err)
	}
}

// expect skips lines up to one that matches the pattern, and returns it. None of the
// skipped lines may start with any of the others.
func (g *guiClient) expect(pattern string, not ...string) string {
	g.t.Helper()
	want := regexp.MustCompile("^(?:" + pattern + ")")
	for g.from.Scan() {
		line := g.from.Text()
		if want.MatchString(line) {
			return line
		}
		for _, n := range not {
			if strings.HasPrefix(line, n) {
				g.t.Fatalf("%q came before %q", line, pattern)
			}
		}
	}
	g.t.Fatalf("output ended before %q: %v", pattern, g.from.Err())
	return ""
}

// bestmove waits for the end of a search and returns its move, which must be legal in the
// position.
func (g *guiClient) bestmove(fen string) string {
	g.t.Helper()
	p := rules.StartPosition()
	if fen != "" {
		var err error
		if p, err = rules.ParseFEN(fen); err != nil {
			g.t.Fatal(err)
		}
	}
	words := strings.Fields(g.expect("bestmove "))
	if _, err := p.ParseUCI(words[1]); err != nil {
		g.t.Fatalf("bestmove: %v", err)
	}
	return words[1]
}

const (
	quiet    = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R[] w KQkq - 4 4"
	dropMate = "6rk/6pp/8/8/8/8/8/K7[N] w - - 0 1" // N@f7#
	mated    = "6rk/5Npp/8/8/8/8/8/K7[] b - - 0 1"
)

// An infinite search that has found a mate waits for stop, and the server answers meanwhile.
func TestServer_RespondsWhileSearching(t *testing.T) {
	g := newGUI(t)
	g.send("position fen "+dropMate, "go infinite")
	g.expect("info .*score mate 1 ", "bestmove")
	g.send("isready")
	g.expect("readyok", "bestmove")
	g.send("d")
	g.expect("Fen: ", "bestmove")
	g.send("stop")
	if m := g.bestmove(dropMate); m != "N@f7" {
		t.Errorf("bestmove %s, want N@f7", m)
	}
	g.send("stop", "isready")
	g.expect("readyok", "bestmove")
}

func TestServer_PonderHit(t *testing.T) {
	g := newGUI(t)
	g.send("position fen "+quiet, "go ponder wtime 2000 btime 2000 winc 10 binc 10")
	g.expect("info depth ", "bestmove")
	g.send("isready")
	g.expect("readyok", "bestmove")
	g.send("ponderhit")
	g.bestmove(quiet)
	g.send("ponderhit")
	g.expect("info string error: ponderhit")
}

// The search of a finished game gives the score at once, and waits for its end if it ponders or
// is infinite.
func TestSession_GameOver(t *testing.T) {
	for _, commands := range [][2]string{
		{"go ponder wtime 60000 btime 60000", "ponderhit"}, {"go ponder wtime 60000 btime 60000", "stop"},
		{"go infinite", "stop"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			c := newSession(testServer, &lineWriter{w: &out})
			c.dispatch(t.Context(), "position fen "+mated)
			c.dispatch(t.Context(), commands[0])
			synctest.Wait()
			const score = "info depth 0 score mate 0\n"
			if out.String() != score {
				t.Errorf("%s: answered %q at once", commands[0], &out)
			}
			c.dispatch(t.Context(), commands[1])
			synctest.Wait()
			if got, want := out.String(), score+"bestmove (none)\n"; got != want {
				t.Errorf("%q: answered %q, want %q", commands, got, want)
			}
		})
	}
}

// What is no command, or does nothing, ends no search.
func TestSession_IgnoredCommands(t *testing.T) {
	for _, search := range []string{"go infinite", "go ponder wtime 60000 btime 60000"} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			c := newSession(testServer, &lineWriter{w: &out})
			for _, line := range []string{"position fen " + mated, search, "gibberish", "register later", tooLong,
				"isready"} {
				c.dispatch(t.Context(), line)
				synctest.Wait()
			}
			const want = "info depth 0 score mate 0\n" +
				"info string error: unknown command \"gibberish\"; \"help\" lists some\n" +
				"info string error: line longer than 65536 bytes\nreadyok\n"
			if got := out.String(); got != want {
				t.Errorf("%s: answered %q, want %q", search, got, want)
			}
			c.dispatch(t.Context(), "stop")
			synctest.Wait()
			if got := out.String(); !strings.HasSuffix(got, "bestmove (none)\n") {
				t.Errorf("%s: after stop %q", search, got)
			}
		})
	}
}

func TestServer_GoLimits(t *testing.T) {
	g := newGUI(t)
	for _, limits := range []string{
		"nodes 2000", "wtime -5 btime 0 winc 0 binc 0",
		"wtime 3000 btime 3000 winc 20 binc 20 movestogo 5", "depth 99999999999 movetime 5",
	} {
		g.send("ucinewgame", "position fen "+quiet, "go "+limits)
		g.bestmove(quiet)
	}
	infos, _ := g.search("setoption name Threads value 1", "position fen "+quiet, "go nodes 2000")
	if len(infos) != 1 || !strings.Contains(infos[0], " nodes 2000 ") {
		t.Errorf("go nodes 2000 ends with %q", infos)
	}
}

// What cannot be read limits a search only if nothing else does.
func TestParseGo_Unreadable(t *testing.T) {
	start := rules.StartPosition()
	for text, want := range map[string]int{
		"ponder movetime 1.5": 1, "ponder wtime 60000 btime x": 0,
		"depth 0": 1, "nodes 0 mate 0": 1, "infinite depth 0": 0, "depth 0 depth 3": 3,
		"wtime 60000 btime 60000 depth 0 nodes 0 mate 0": 0, "movetime 100 depth 0": 0,
	} {
		l := parseGo(&start, strings.Fields(text)).limits
		if l.Depth != want || l.Nodes > 0 || l.Mate > 0 {
			t.Errorf("go %s: %+v, want depth %d", text, l, want)
		}
	}
}

func TestServer_EvalAndBench(t *testing.T) {
	lines := runCommands(t, "eval\nbench 1\nquit\n")
	if n := len(lines); n < 2 || !regexp.MustCompile(`^\d+ nodes \d+ nps$`).MatchString(lines[n-1]) {
		t.Errorf("bench does not end with nodes and nps: %q", lines)
	}
	start := rules.StartPosition()
	if want := fmt.Sprintf("%+d cp for the side to move", nnue.Default().Evaluate(&start)); lines[0] != want {
		t.Errorf("eval gives %q, want %q", lines[0], want)
	}
}

func TestServer_OverlongLine(t *testing.T) {
	lines := runCommands(t, strings.Repeat("x", 3*MaxLine)+"\nisready\n"+strings.Repeat("y", MaxLine))
	want := []string{"info string error: line longer than 65536 bytes", "readyok",
		"info string error: line longer than 65536 bytes"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestServer_Errors(t *testing.T) {
	broken := errors.New("broken")
	err := testServer.Run(t.Context(), iotest.ErrReader(broken), io.Discard)
	if !errors.Is(err, broken) {
		t.Errorf("Run with a broken reader: %v", err)
	}
	in, _ := io.Pipe() // blocks after the first line
	defer in.Close()
	err = testServer.Run(t.Context(), io.MultiReader(strings.NewReader("uci\n"), in), brokenWriter{err: broken})
	if !errors.Is(err, broken) {
		t.Errorf("Run with a broken writer: %v", err)
	}
}

// brokenWriter fails to write what contains a text.
type brokenWriter struct {
	text string
	err  error
}

func (w brokenWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		return 0, w.err
	}
	return len(p), nil
}

func TestServer_ContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, to := io.Pipe()
	defer in.Close()
	from, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- testServer.Run(ctx, in, out)
		out.Close()
	}()
	if _, err := io.WriteString(to, "go infinite\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, from); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// A search that panics is reported, and still answered with a move.
func TestServer_SearchPanics(t *testing.T) {
	s := Server{Version: "test", Options: engine.Options{Threads: 1, HashMB: 1, Network: new(engine.Network)}}
	var out strings.Builder
	if err := s.Run(t.Context(), strings.NewReader("position startpos\ngo depth 3\n"), &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "go: panic at ") || !strings.Contains(text, "\nbestmove ") {
		t.Errorf("answered:\n%s", text)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TestRun_AgainstServe lets two processes of this program play: one is the
// server, the other is the bot, which is killed in mid-game and started again,
// and at last told to stop in mid-game.
func TestRun_AgainstServe(t *testing.T) {
	server := startProcess(t, nil, "demo", "--serve", "127.0.0.1:0", "--concurrent", "2")
	invitation := regexp.MustCompile(`ZHBOT_LICHESS_URL=(\S+) ZHBOT_LICHESS_TOKEN=(\S+) zhbot run`)
	waitFor(t, "the server says where it is", func() bool { return invitation.MatchString(server.output()) })
	m := invitation.FindStringSubmatch(server.output())
	environment := []string{
		"ZHBOT_LICHESS_URL=" + m[1], "ZHBOT_LICHESS_TOKEN=" + m[2],
		"ZHBOT_RECORDS_DIR=" + t.TempDir(), "ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_ENGINE_MAX_TIME=100ms", "ZHBOT_LOG_LEVEL=debug",
	}

	first := startProcess(t, environment, "run")
	waitFor(t, "moves in two games", func() bool { return len(first.games("moved")) >= 2 })
	first.signalAndWait(t, syscall.SIGKILL)
	broken := difference(first.games("game joined"), first.games("game over"))
	if len(broken) == 0 {
		t.Fatal("no game was on when the bot was killed")
	}

	second := startProcess(t, environment, "run")
	waitFor(t, "the games of the first bot are over", func() bool {
		return len(difference(broken, second.games("game over"))) == 0
	})
	waitFor(t, "a new game", func() bool { return len(difference(second.games("moved"), broken)) > 0 })
	if err := second.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("drained with %v", err)
	}
	if left := difference(second.games("game joined"), second.games("game over")); len(left) > 0 {
		t.Errorf("games %v were left behind by a drain", left)
	}
	if err := server.signalAndWait(t, os.Interrupt); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if results := server.output(); strings.Contains(results, "outoftime") || strings.Contains(results, "aborted") {
		t.Errorf("games lost on time or broken off:\n%s", results)
	}
	for _, p := range []*process{first, second} {
		if strings.Contains(p.output(), m[2]) {
			t.Error("the token is in the log")
		}
	}
}

// TestRun_SecondSignal lets a bot drain a game that does not end, and tells it
// to stop once more.
func TestRun_SecondSignal(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	token := s.AddBot("zhbot")
	s.AddHuman("Sleeper", lichesstest.Idle())
	p := startProcess(t, []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + token,
		"ZHBOT_RECORDS_DIR=" + t.TempDir(), "ZHBOT_ENGINE_HASH_MB=16",
	}, "run")
	waitFor(t, "the bot is online", func() bool { return s.Online("zhbot") })
	id := s.Challenge("Sleeper", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute})
	waitFor(t, "the game is taken up", func() bool { return p.games("game joined")[id] })
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the bot drains", func() bool { return strings.Contains(p.output(), `"draining"`) })
	err := p.signalAndWait(t, syscall.SIGTERM)
	var exit *exec.ExitError
	if want := "games still in progress, resumed at the next start: " + id; !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.Contains(p.output(), want) {
		t.Errorf("ended with %v, want exit code 1 and %q in:\n%s", err, want, p.output())
	}
}

// process is a zhbot of its own, and all it has written.
type process struct {
	cmd  *exec.Cmd
	mu   sync.Mutex
	text bytes.Buffer
}

func startProcess(t testing.TB, environment []string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(t.Context(), zhbotPath(t), args...)}
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Wait() }) // an error if it was waited for
	return p
}

// Write implements io.Writer.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// signalAndWait sends a signal and waits for the process to exit.
func (p *process) signalAndWait(t testing.TB, s os.Signal) error {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	return p.cmd.Wait()
}

// games returns the ids of games of which the log has a message.
func (p *process) games(message string) map[string]bool {
	ids := map[string]bool{}
	for line := range strings.Lines(p.output()) {
		var entry struct{ Message, Game string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Message == message {
			ids[entry.Game] = true
		}
	}
	return ids
}

// difference returns the ids that are in one set and not in the other.
func difference(ids, others map[string]bool) map[string]bool {
	left := map[string]bool{}
	for id := range ids {
		if !others[id] {
			left[id] = true
		}
	}
	return left
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// process is a zhbot of its own, and all it has written.
type process struct {
	fixture.Log

	cmd *exec.Cmd
}

// startBot starts "zhbot run" with a new account of a server, in an environment of settings,
// and waits until it is online.
func startBot(t testing.TB, s *lichesstest.Server, settings []string, flags ...string) *process {
	t.Helper()
	p := startProcess(t, append(settings, "ZHBOT_LICHESS_URL="+s.URL(), "ZHBOT_LICHESS_TOKEN="+s.AddBot("zhbot"),
		"ZHBOT_ENGINE_HASH_MB=1"), append([]string{"run"}, flags...)...)
	fixture.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
	return p
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
	for line := range strings.Lines(p.String()) {
		var entry struct{ Message, Game string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Message == message {
			ids[entry.Game] = true
		}
	}
	return ids
}

// The exit code tells whether a finished game is lost: not in a folder that was renamed, which
// is made again.
func TestRun_RecordsLost(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int{"renamed": exitOK, "replaced by a file": exitFailed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lichesstest.NewServer(t, lichesstest.Options{})
			s.AddHuman("Sleeper", lichesstest.Idle())
			dir := filepath.Join(t.TempDir(), "records")
			p := startBot(t, s, []string{"ZHBOT_RECORDS_DIR=" + dir, "ZHBOT_WEB_LISTEN=", "ZHBOT_LOG_LEVEL=debug"})
			id := s.Challenge("Sleeper", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "white"})
			fixture.Until(t, "the game is joined", func() bool { return p.games("game joined")[id] })
			s.Perform(id, "Sleeper", lichesstest.Action{Move: rules.NewMove(12, 28)}) // e2e4
			fixture.Until(t, "the bot has moved", func() bool { return p.games("moved")[id] })
			if err := os.Rename(dir, dir+".old"); err != nil {
				t.Fatal(err)
			}
			if code != exitOK {
				fixture.Write(t, dir, "")
			}
			s.Perform(id, "Sleeper", lichesstest.Action{Resign: true})
			fixture.Until(t, "the bot notices", func() bool { return p.games("game not archived")[id] })
			_ = p.signalAndWait(t, syscall.SIGTERM)
			written, _ := filepath.Glob(filepath.Join(dir, "*.pgn"))
			lost := strings.Contains(p.String(), "zhbot: run: finished games waiting to be written: 1")
			if got := p.cmd.ProcessState.ExitCode(); got != code || lost != (code == exitFailed) ||
				(len(written) == 1) == lost {
				t.Errorf("exit code %d, files %v:\n%s", got, written, p.String())
			}
		})
	}
}

// A command that reads its input, and sees no signal, is ended by the second one, as it says
// after the first.
func TestAnalyse_SecondSignal(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), zhbotPath(t), "analyse", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var said fixture.Log
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// more than a pipe holds, so it is being read
	if _, err := in.Write(bytes.Repeat([]byte{'\n'}, 1<<20)); err != nil {
		t.Fatal(err)
	}
	interrupt := func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	interrupt()
	fixture.Until(t, "it says what the next one does", func() bool { return said.Count("press Ctrl-C again") == 1 })
	interrupt()
	if err := cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
}

// A bot that Lichess refuses stays up if it is to, alive but not ready, and asks for nothing.
func TestRun_StaysUpWhileRefused(t *testing.T) {
	t.Parallel()
	s := lichesstest.NewServer(t, lichesstest.Options{})
	address, records := freeAddress(t), "ZHBOT_RECORDS_DIR="+t.TempDir()
	p := startProcess(t, []string{
		records, "ZHBOT_WEB_LISTEN=" + address, "ZHBOT_LICHESS_RETRY_REFUSED=1h",
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddUser("zhbot", "BOT", "challenge:read"),
		"ZHBOT_ENGINE_HASH_MB=1",
	}, "run")
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), zhbotPath(t), args...)
		cmd.Env = append(cmd.Environ(), records, "ZHBOT_WEB_LISTEN="+address)
		out, err := cmd.CombinedOutput()
		return fmt.Sprint(string(out), err)
	}
	fixture.Until(t, "it does not play", func() bool {
		return strings.Contains(p.String(), "Lichess refuses the token or the account: not playing")
	})
	r, err := http.Get("http://" + address + "/healthz")
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("alive: %v, %v", r, err)
	}
	r.Body.Close()
	const why = "Lichess refuses the token or the account"
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"health"}, "not ready: not playing: " + why},
		{[]string{"ctl", "status"}, why + ", so the bot does not play: "},
		{[]string{"ctl", "status", "--json"}, `"connected": false`},
		{[]string{"ctl", "pause"}, "zhbot ctl status says why"},
	} {
		if out := run(tt.args...); !strings.Contains(out, tt.want) {
			t.Errorf("%q: %s, want %q", tt.args, out, tt.want)
		}
	}
	if err := p.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v:\n%s", err, p.String())
	}
}

// freeAddress returns an address of this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestHealth asks a bot that runs, beside one that found the port taken, and
// asks again when the bot has lost its server.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := lichesstest.NewServer(t, lichesstest.Options{})
	address := freeAddress(t)
	environment := func(account string) []string {
		return []string{
			"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddBot(account), "ZHBOT_WEB_LISTEN=" + address,
			"ZHBOT_WEB_PASSWORD=verysecret", "ZHBOT_RECORDS_DIR=" + t.TempDir(), "ZHBOT_ENGINE_HASH_MB=1",
		}
	}
	health := func() (string, int) {
		cmd := exec.CommandContext(t.Context(), zhbotPath(t), "health", "--set", "web.listen="+address)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := health(); code != exitFailed || !strings.Contains(out, "no bot runs") {
		t.Errorf("without a bot: exit code %d, %s", code, out)
	}
	bot := startProcess(t, environment("first"), "run")
	fixture.Until(t, "the bot is online", func() bool { return s.Online("first") })
	fixture.Until(t, "the bot is ready", func() bool { _, code := health(); return code == exitOK })
	text := get(t, "http://"+address+"/metrics", "verysecret")
	if !strings.Contains(text, "\nzhbot_event_stream_up 1") || !strings.Contains(text, "zhbot_http_requests_total{") {
		t.Errorf("metrics of a bot that is ready:\n%s", text)
	}

	second := startProcess(t, environment("second"), "run")
	fixture.Until(t, "a second bot plays without a page", func() bool { return s.Online("second") })
	if !strings.Contains(second.String(), "no live page: the bot plays without it") {
		t.Errorf("no warning of the port in:\n%s", second.String())
	}

	s.Close()
	fixture.Until(t, "the bot is not ready", func() bool {
		out, code := health()
		return code == exitFailed && strings.Contains(out, "the event stream is not open")
	})
	for _, p := range []*process{bot, second} {
		if strings.Contains(p.String(), "verysecret") {
			t.Error("the password is in the log")
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
	}
}

// get reads a page with a password.
func get(t *testing.T, url, password string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("", password)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return string(text)
}

// Under systemd the bot says when it is ready, that it is alive, and that it stops;
// Lichess need not answer for that.
func TestRun_NotifiesSystemd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no systemd")
	}
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	cmd := startProcess(t, []string{
		"NOTIFY_SOCKET=" + path, "ZHBOT_LICHESS_TOKEN=lip_0123456789", "ZHBOT_LICHESS_URL=http://127.0.0.1:1",
		"ZHBOT_RECORDS_DIR=", "ZHBOT_WEB_LISTEN=",
	}, "run").cmd
	defer func() { _ = cmd.Process.Kill() }()
	expect := func(want string) {
		t.Helper()
		buffer := make([]byte, 1000)
		_ = socket.SetReadDeadline(time.Now().Add(time.Minute))
		n, err := socket.Read(buffer)
		for string(buffer[:n]) == "WATCHDOG=1" && want != "WATCHDOG=1" { // it comes at intervals
			n, err = socket.Read(buffer)
		}
		if got := string(buffer[:n]); err != nil || got != want {
			t.Fatalf("told %q, want %q, %v", got, want, err)
		}
	}
	expect("READY=1")
	expect("WATCHDOG=1")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	expect("STOPPING=1")
}

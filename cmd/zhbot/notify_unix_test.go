//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Under systemd the bot says when it is ready, that it is alive, and that it stops;
// Lichess need not answer for that.
func TestRun_NotifiesSystemd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	cmd := exec.CommandContext(t.Context(), zhbotPath(t), "run", "--set", "lichess.url=http://127.0.0.1:1", "--set", "records.dir=", "--set", "web.listen=") //nolint:gosec // our own program
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+path, "ZHBOT_LICHESS_TOKEN=lip_0123456789")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	expect := func(want string) {
		t.Helper()
		buffer := make([]byte, 1000)
		_ = socket.SetReadDeadline(time.Now().Add(time.Minute))
		n, err := socket.Read(buffer)
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

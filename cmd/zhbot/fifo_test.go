//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A config file that blocks whoever opens it ends neither reloading nor a drain.
func TestRun_ConfigBecomesFIFO(t *testing.T) {
	t.Parallel()
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	replace := func(create func(path string) error) {
		t.Helper()
		if err := create(path + ".new"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	settings := func(games string) func(string) error {
		text := "games: {max: " + games + "}\nweb: {listen: \"\"}\nrecords: {dir: " + dir + "/records}\n"
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	fifo := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	replace(settings("1"))
	p := startBot(t, s, nil, "--config", path)
	reload := func(want string) {
		t.Helper()
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		fixture.Until(t, want, func() bool { return strings.Contains(p.String(), want) })
	}
	replace(fifo)
	reload("config.yaml: not a regular file")
	replace(settings("2"))
	reload(`"changed":["games.max"]`)
	replace(fifo)
	reload("config.yaml: not a regular file")
	if err := p.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v:\n%s", err, p.String())
	}
}

package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/logtest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// sendSignal sends a signal to this process.
func sendSignal(t *testing.T, signal os.Signal) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// SIGHUP reloads; the first signal to end drains, and the next one ends the bot at once.
func TestRun_Signals(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	t.Setenv("ZHBOT_LICHESS_TOKEN", s.AddBot("zhbot"))
	s.AddHuman("alice", lichesstest.Idle())
	path := filepath.Join(t.TempDir(), "config.yaml")
	settings := "lichess: {url: " + s.URL() + "}\nrecords: {dir: ''}\nweb: {listen: ''}\nctl: {listen: ''}\n" +
		"engine: {hash_mb: 1, threads: 1, book: [], max_nodes: 100}\n"
	write(t, path, settings)
	for _, again := range []bool{false, true} {
		var log logtest.Log
		ctx, firstSignal := context.WithCancel(t.Context())
		defer firstSignal()
		ended := make(chan error, 1)
		go func() { ended <- Run(ctx, config.Source{File: path, Env: true}, &log) }()
		waittest.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
		sendSignal(t, syscall.SIGHUP)
		waittest.Until(t, "the settings are reloaded", func() bool { return log.Count("configuration reloaded") == 1 })
		id := s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "black"})
		waittest.Until(t, "the bot moves", func() bool { game, _ := s.Game(id); return game.Plies == 1 })
		firstSignal()
		waittest.Until(t, "the bot drains", func() bool { return log.Count(`"message":"draining"`) == 1 })
		if again {
			sendSignal(t, syscall.SIGTERM)
		} else {
			s.Perform(id, "alice", lichesstest.Action{Resign: true})
		}
		waittest.Until(t, "the bot ends", func() bool { return len(ended) == 1 })
		switch err := <-ended; {
		case !again && err != nil:
			t.Errorf("after a drain: %v", err)
		case again && (err == nil || !strings.Contains(err.Error(), "games still in progress, resumed at the next start: "+id)):
			t.Errorf("after a second signal: %v", err)
		}
	}
}

package app

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/logtest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

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
		signals := make(chan os.Signal, 4)
		signals <- syscall.SIGHUP // before anybody listens
		ended := make(chan error, 1)
		go func() { ended <- Run(t.Context(), config.Source{File: path, Env: true}, signals, &log) }()
		waittest.Until(t, "the settings are reloaded", func() bool { return log.Count("configuration reloaded") == 1 })
		id := s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "black"})
		waittest.Until(t, "the bot moves", func() bool { game, _ := s.Game(id); return game.Plies == 1 })
		signals <- syscall.SIGTERM
		if again {
			signals <- os.Interrupt // at once
		} else {
			waittest.Until(t, "the bot drains", func() bool { return log.Count(`"message":"draining"`) == 1 })
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

// If what is left to close hangs after the second signal, the process ends all the same; later
// signals change nothing.
func TestFollowSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, closes := range []bool{true, false} {
			var exits atomic.Int32
			incoming := make(chan os.Signal, 4)
			s := followSignals(t.Context(), incoming, func() { exits.Add(1) })
			incoming <- syscall.SIGTERM
			incoming <- syscall.SIGHUP
			synctest.Wait()
			if s.draining.Err() == nil || s.stopping.Err() != nil || len(s.hangups) != 1 {
				t.Errorf("after one signal: %v, %v, %d reloads", s.draining.Err(), s.stopping.Err(), len(s.hangups))
			}
			incoming <- syscall.SIGTERM
			incoming <- syscall.SIGTERM
			time.Sleep(stopTimeout - 1)
			if s.stopping.Err() == nil || exits.Load() != 0 {
				t.Errorf("after two signals: %v, %d exits", s.stopping.Err(), exits.Load())
			}
			if closes {
				s.end()
			}
			time.Sleep(time.Second)
			if s.end(); (exits.Load() == 0) != closes {
				t.Errorf("closes: %t, %d exits", closes, exits.Load())
			}
		}
	})
}

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// startPiped starts a process that writes to a pipe; before that, if readerEnds, the
// pipe's reader ends.
func startPiped(t *testing.T, readerEnds bool, environment []string, args ...string) (cmd *exec.Cmd, reader *os.File) {
	t.Helper()
	reader, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Cleanup(func() { reader.Close() })
	if readerEnds {
		reader.Close()
	}
	cmd = exec.CommandContext(t.Context(), zhbotPath(t), args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // an error if it was waited for
	return cmd, reader
}

// A bot whose log loses its reader plays on, and drains on a signal.
func TestRun_LogReaderEnds(t *testing.T) {
	t.Parallel()
	s := lichesstest.NewServer(t, lichesstest.Options{})
	resign := func(context.Context, lichesstest.Turn) lichesstest.Action { return lichesstest.Action{Resign: true} }
	s.AddHuman("alice", lichesstest.After(20, lichesstest.Slow(lichesstest.Random(1), 20*time.Millisecond), resign))
	bot, log := startPiped(t, false, []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddBot("zhbot"), "ZHBOT_RECORDS_DIR=" + t.TempDir(),
		"ZHBOT_ENGINE_HASH_MB=1", "ZHBOT_ENGINE_MAX_NODES=100", "ZHBOT_WEB_LISTEN=", "ZHBOT_LOG_LEVEL=debug",
	}, "run")
	go io.Copy(io.Discard, log) // until it is closed
	fixture.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
	id := s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute})
	fixture.Until(t, "a move", func() bool { return s.Audit("zhbot").Moves > 0 })
	log.Close()
	before := s.Audit("zhbot").Moves
	// each writes several lines
	fixture.Until(t, "more moves", func() bool { return s.Audit("zhbot").Moves > before+1 })
	if err := bot.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := bot.Wait(); err != nil {
		t.Errorf("drained with %v", err)
	}
	if r, _ := s.Game(id); !r.Status.Over() || r.Status == "outoftime" {
		t.Errorf("the game ended with %+v", r)
	}
}

// Demo and soak play their games to the end when nobody reads the results.
func TestSandbox_OutputReaderEnds(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"demo", "--web", ""}, {"soak", "--faults", "none"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args = append(args, "--games", "2", "--concurrent", "2", "--tc", "1s+0s", "--hash", "1", "--dir", dir)
			cmd, _ := startPiped(t, true, nil, args...)
			var exit *exec.ExitError
			// the table could not be printed
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
				t.Errorf("ended with %v", err)
			}
			if files, err := filepath.Glob(filepath.Join(dir, "*.pgn")); len(files) == 0 {
				t.Errorf("left no games, %v", err)
			}
		})
	}
}

// Commands that only print end with their reader, as head expects.
func TestStats_OutputReaderEnds(t *testing.T) {
	t.Parallel()
	cmd, _ := startPiped(t, true, nil, "stats", filepath.FromSlash("../../bot/record/testdata/v1/2026-08.pgn"))
	if err := cmd.Wait(); err == nil || err.Error() != "signal: broken pipe" {
		t.Errorf("ended with %v", err)
	}
}

package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A token that is revoked during a game ends the program, which says why
// and what to do, but not the token.
func TestRun_TokenRevoked(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	token := s.AddBot("zhbot")
	s.AddHuman("alice", lichesstest.Slow(lichesstest.Random(1), 20*time.Millisecond))
	p := startProcess(t, []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + token, "ZHBOT_RECORDS_DIR=" + t.TempDir(),
		"ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_ENGINE_MAX_NODES=1", "ZHBOT_WEB_LISTEN=", "ZHBOT_LOG_LEVEL=debug",
	}, "run")
	waitFor(t, "the bot is online", func() bool { return s.Online("zhbot") })
	id := s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute})
	waitFor(t, "the game is taken up", func() bool { return p.games("moved")[id] })
	s.Revoke(token)
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitRefused {
		t.Errorf("ended with %v, want exit code %d", err, exitRefused)
	}
	if want := "Lichess does not accept the token (any more), or the account is closed: create a new one"; !strings.Contains(p.output(), want) {
		t.Errorf("no %q in:\n%s", want, p.output())
	}
	if strings.Contains(p.output(), token) {
		t.Error("the token is in the output")
	}
}

package control_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A block outlives a restart, and the loss of state.json, until it is ended.
func TestOperator_Block(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("alice", lichesstest.Idle())
	s.AnswerChallenges("alice", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} })
	answered := make(chan error, 1)
	go func() {
		_, err := s.try("challenge alice 3+2 casual")
		answered <- err
	}()
	waittest.Until(t, "alice is challenged", func() bool { return len(s.bot.Status().Challenges) == 1 })
	if got := s.do("block Alice"); got.Message != "Alice is blocked; challenge "+s.Challenges("alice")[0].ID+" to alice cancelled" {
		t.Error(got.Message)
	}
	if err := <-answered; err == nil || !strings.Contains(err.Error(), "cancelled by the operator") {
		t.Errorf("the challenge ended with %v", err)
	}
	s.declined("alice", "generic")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.dir, "state.json")); err != nil {
		t.Fatal(err)
	}
	s.run()
	s.declined("alice", "generic")
	if got := s.do("unblock alice"); got.Message != "alice is no longer blocked" {
		t.Error(got.Message)
	}
	if got := s.do("unblock alice"); got.Message != "alice was neither blocked nor allowed by the operator" {
		t.Error(got.Message)
	}
	s.challenge("alice")
}

// One who is allowed need not meet the terms; a block replaces that, and the configuration
// overrides it.
func TestOperator_Allow(t *testing.T) {
	s := start(t, 4)
	s.settings.Challenges.Humans.Modes = nil
	s.AddHuman("alice", lichesstest.Idle())
	s.declined("alice", "generic")
	if got := s.do("allow alice"); got.Message != "alice is allowed" {
		t.Error(got.Message)
	}
	s.challenge("alice")
	s.do("block alice")
	s.declined("alice", "generic")
	s.do("allow alice")
	other := *s.settings
	other.Challenges.Block = []string{"ALICE"}
	s.bot.Reload(&other)
	s.refuse("allow alice", "still blocked: remove it from challenges.block")
	s.refuse("unblock alice", "still blocked: remove it from challenges.block")
	s.declined("alice", "generic")
}

// Without a folder of records nothing is kept, and the operator is told.
func TestOperator_BlockIsNotKept(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("alice", lichesstest.Idle())
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.inMemory = true
	s.run()
	s.refuse("block alice", "done, but only until the program ends: there is no users.json")
	s.declined("alice", "generic")
}

// A rematch has the terms of the last game, and the other colours.
func TestOperator_Rematch(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("alice", lichesstest.Idle())
	s.refuse("rematch", "no game with a clock has ended")
	aborted := s.challenge("alice")
	s.do("abort " + aborted)
	waittest.Until(t, "it is over", func() bool { return len(s.bot.Running()) == 0 })
	s.refuse("rematch", "no game with a clock has ended")
	id := s.challenge("alice")
	s.move(id, "alice")
	s.do("resign " + id)
	var got string
	waittest.Until(t, "its end is known", func() bool {
		result, err := s.try("rematch")
		got = result.Game
		return err == nil
	})
	g, ok := s.Game(got)
	if !ok || !strings.EqualFold(g.White, botName) || !strings.EqualFold(g.Black, "alice") {
		t.Errorf("the rematch is %+v", g)
	}
}

// An arena of the configuration that the operator has left is not joined again, even after
// a pause.
func TestOperator_LeaveArena(t *testing.T) {
	s := start(t, 2)
	id := s.AddArena(lichesstest.ArenaSpec{Name: "Crazy", Limit: time.Minute})
	other := s.AddArena(lichesstest.ArenaSpec{Name: "Other", Limit: time.Minute})
	with := *s.settings
	with.Matchmaking.Arenas = config.Arenas{IDs: []string{id}}
	s.bot.Reload(&with)
	waittest.Until(t, "the arena is joined", func() bool { return s.Arena(id, botName).Joined })
	s.do("arena " + other)
	s.refuse("arena leave nonesuch", "the bot does not play in it")
	for _, left := range []string{id, other} {
		if got := s.do("arena leave " + left); !strings.HasSuffix(got.Message, "("+left+"): left") || !s.Arena(left, botName).Paused {
			t.Errorf("%s; %+v", got.Message, s.Arena(left, botName))
		}
	}
	s.do("pause")
	s.do("resume")
	s.refuse("arena leave "+id, "the bot does not play in it")
	const paused = "not joined yet, since Lichess refuses it for now"
	if got := s.do("arena " + id); got.Message != "arena Crazy ("+id+"): "+paused {
		t.Error(got.Message)
	}
}

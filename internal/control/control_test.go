package control_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/logtest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestOperator_GameCommands(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("alice", lichesstest.Idle())
	id := s.challenge("alice")

	s.refuse("draw "+id, "before both have moved")
	s.move(id, "alice")
	s.refuse("abort "+id, "both have moved")
	if got := s.do("say " + id[:5] + "   good   luck!"); got.Message != "game "+id+": said" || got.Game != id {
		t.Errorf("%+v", got)
	}
	waittest.Until(t, "it is said", func() bool { return slices.Contains(s.chat(id, botName), "good luck!") })
	s.do("draw " + id)
	s.refuse("draw "+id, "another draw can be offered only after 20 plies")
	waittest.Until(t, "it is offered", func() bool { return slices.Contains(s.chat(id, "lichess"), "Black offers draw") })
	if got := s.do("resign " + s.URL() + "/" + id + "/black#3"); got.Message != "game "+id+": resigned" {
		t.Errorf("%+v", got)
	}
	waittest.Until(t, "it is over", func() bool { r, _ := s.Game(id); return r.Status == "resign" && r.Winner == "white" })
	waittest.Until(t, "its slot is free", func() bool { return len(s.bot.Running()) == 0 })
	s.refuse("resign "+id, "none is in progress")

	early := s.challenge("alice")
	if got := s.do("abort " + early); got.Message != "game "+early+": aborted" {
		t.Errorf("%+v", got)
	}
	waittest.Until(t, "it is aborted", func() bool { r, _ := s.Game(early); return r.Status == "aborted" })
	waittest.Until(t, "its slot is free", func() bool { return len(s.bot.Running()) == 0 })
	if aborts, reason := s.remembered("alice"); aborts != 0 || reason != "" {
		t.Errorf("the operator's abort is blamed on the opponent: %d aborts, %q", aborts, reason)
	}
}

// Two games that begin alike are told apart by longer beginnings only.
func TestOperator_AmbiguousGame(t *testing.T) {
	s := start(t, 8)
	s.AddHuman("alice", lichesstest.Idle())
	var ids []string
	for range 8 {
		ids = append(ids, s.challenge("alice"))
	}
	slices.Sort(ids)
	if got := s.bot.Running(); !slices.Equal(got, ids) {
		t.Fatalf("games %v, want %v", got, ids)
	}
	s.refuse("resign 0-0", "no game 0-0 is in progress; those in progress are "+ids[0])
	s.do("abort " + ids[3])
	waittest.Until(t, "only that one is over", func() bool { return len(s.bot.Running()) == 7 && !slices.Contains(s.bot.Running(), ids[3]) })
}

// A pause declines challenges and looks for no games, while games go on.
func TestOperator_Pause(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("alice", lichesstest.Idle())
	s.AddHuman("bob", lichesstest.Idle())
	s.AnswerChallenges("bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} })
	id := s.challenge("alice")
	answered := make(chan error, 1)
	go func() {
		_, err := s.try("challenge bob 3+2 casual")
		answered <- err
	}()
	waittest.Until(t, "bob is challenged", func() bool { return len(s.bot.Status().Challenges) == 1 })

	got := s.do("pause")
	if want := "paused; challenge " + s.Challenges("bob")[0].ID + " to bob cancelled; games in progress: 1"; got.Message != want {
		t.Errorf("%q, want %q", got.Message, want)
	}
	if err := <-answered; err == nil || !strings.Contains(err.Error(), "cancelled by the operator") {
		t.Errorf("the challenge ended with %v", err)
	}
	s.declined("alice", "later")
	s.move(id, "alice")
	s.refuse("arena abcd1234", "resume first")
	if st := s.do("status").Status; st.Paused == nil || st.Paused.Keep || len(st.Games) != 1 || len(st.Challenges) != 0 {
		t.Errorf("status %+v", st)
	}
	if got := s.do("resume"); got.Message != "resumed" {
		t.Error(got)
	}
	if got := s.do("resume"); got.Message != "was not paused" {
		t.Error(got)
	}
	s.challenge("alice")
}

// declined fails unless a new challenge is declined.
func (s *setup) declined(from, reason string) {
	s.t.Helper()
	id := s.Challenge(from, botName, lichesstest.ChallengeSpec{Limit: 3 * time.Minute})
	waittest.Until(s.t, "the challenge is declined", func() bool {
		return slices.ContainsFunc(s.Challenges(botName), func(c lichesstest.ReceivedChallenge) bool {
			return c.ID == id && c.Status == "declined" && c.Reason == reason
		})
	})
}

// A pause ends with the program, unless it is kept.
func TestOperator_PauseOverARestart(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("alice", lichesstest.Idle())
	restart := func() {
		t.Helper()
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		s.run()
	}
	s.do("pause")
	restart()
	s.challenge("alice")

	if got := s.do("pause --keep"); got.Message != "paused, also after a restart; games in progress: 1" {
		t.Error(got)
	}
	s.do("pause") // which does not take back that it is kept
	restart()
	if !strings.Contains(s.log.String(), "paused: challenges are declined and none are sent") {
		t.Error("the log does not say that the bot is paused")
	}
	if p := s.bot.Status().Paused; p == nil || !p.Keep || time.Since(p.Since) > time.Hour {
		t.Errorf("paused: %+v", p)
	}
	s.declined("alice", "later")
	s.do("resume")
	restart()
	s.challenge("alice")
}

// A pause that cannot be kept is a pause all the same, and the operator is told.
func TestOperator_PauseNotKept(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		lose         func(*setup)
	}{
		{"nothing is stored", "records.dir is not set", func(s *setup) {
			if err := s.stop(); err != nil {
				t.Fatal(err)
			}
			s.inMemory = true
			s.run()
		}},
		{"the disk fails", "write state", func(s *setup) {
			if err := os.Rename(s.dir, s.dir+".away"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, 4)
			s.AddUser("alice", "")
			tt.lose(s)
			s.Challenge(botName, "alice", lichesstest.ChallengeSpec{Limit: 3 * time.Minute})
			waittest.Until(t, "the challenge is known", func() bool { return len(s.bot.Status().Challenges) == 1 })
			s.refuse("pause --keep", "paused, but only until the program ends: ")
			s.refuse("pause --keep", tt.reason)
			if status := s.Challenges("alice")[0].Status; status != "canceled" || s.bot.Status().Paused == nil {
				t.Errorf("the challenge is %s, and the pause %+v", status, s.bot.Status().Paused)
			}
		})
	}
}

func TestOperator_Challenge(t *testing.T) {
	s := start(t, 2)
	s.AddHuman("alice", lichesstest.Idle())
	s.AddBotPlayer("rival", lichesstest.Idle())
	s.AddHuman("bob", lichesstest.Idle())
	s.AnswerChallenges("bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Decline: "tooFast"} })
	s.AddHuman("carol", lichesstest.Idle())
	s.RejectChallenges("carol", "carol does not accept challenges")

	s.refuse("challenge bob 1+0", "bob has not accepted: toofast")
	s.refuse("challenge carol 3+2", "carol does not accept challenges")
	s.refuse("challenge nobody 3+2", "no such user")
	s.refuse("challenge zhbot 3+2", "that is this bot")
	if use := s.bot.Slots(); use.Games != 0 {
		t.Fatalf("slots left after refusals: %+v", use)
	}

	got := s.do("challenge Alice 3+2 casual white")
	if got.Message != "Alice has accepted: game "+got.Game || got.Challenge != got.Game {
		t.Errorf("%+v", got)
	}
	first := s.Challenges("alice")[0]
	if first.Spec.Rated || first.Spec.Color != "white" || first.Spec.Limit != 3*time.Minute || first.Spec.Increment != 2*time.Second {
		t.Errorf("the challenge: %+v", first.Spec)
	}
	waittest.Until(t, "the bot has moved", func() bool { r, _ := s.Game(got.Game); return len(r.Moves) == 1 })

	s.do("pause") // an order of its own is sent all the same
	s.do("challenge " + s.URL() + "/@/rival 1+1")
	if c := s.Challenges("rival")[0]; !c.Spec.Rated || c.Spec.Color != "random" {
		t.Errorf("the challenge: %+v", c.Spec)
	}
	waittest.Until(t, "both are in progress", func() bool { return len(s.bot.Status().Games) == 2 })
	if use := s.bot.Slots(); use.Games != 2 || use.Bots != 1 {
		t.Errorf("slots %+v", use)
	}
	s.refuse("challenge alice 1+1", "games.max reached")
}

// However many challenges the operator sends at once, there are never more games than
// allowed.
func TestOperator_ChallengeKeepsToTheSlots(t *testing.T) {
	const games, maxGames = 12, 3
	s := start(t, maxGames)
	var names []string
	for i := range games {
		names = append(names, "human"+string(rune('a'+i)))
		s.AddHuman(names[i], lichesstest.Idle())
		s.AnswerChallenges(names[i], func(lichesstest.ChallengeSpec) lichesstest.Answer {
			return lichesstest.Answer{After: 20 * time.Millisecond}
		})
	}
	s.Faults.Inject("lose", lichesstest.When{Class: "challenge", Next: 2})
	var mu sync.Mutex
	accepted := 0
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			if _, err := s.try("challenge " + name + " 1+1"); err == nil {
				mu.Lock()
				accepted++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if playing := s.Playing(botName); accepted != maxGames || len(playing) != maxGames {
		t.Errorf("%d accepted, %d in progress, want %d", accepted, len(playing), maxGames)
	}
}

func TestOperator_Cancel(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("bob", lichesstest.Idle())
	s.AnswerChallenges("bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} })
	if got := s.do("cancel"); got.Message != "we have no open challenge" {
		t.Error(got)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := s.try("challenge bob 3+2")
		answered <- err
	}()
	waittest.Until(t, "bob is challenged", func() bool { return len(s.bot.Status().Challenges) == 1 })
	open := s.bot.Status().Challenges[0]
	if left := time.Until(open.CancelAt); open.User != "bob" || left < 0 || left > time.Minute {
		t.Errorf("open: %+v", open)
	}
	if got := s.do("cancel"); got.Message != "challenge "+open.ID+" to bob cancelled" {
		t.Error(got)
	}
	if err := <-answered; err == nil || !strings.Contains(err.Error(), "bob has not accepted: cancelled by the operator") {
		t.Errorf("the challenge ended with %v", err)
	}
	if c := s.Challenges("bob")[0]; c.Status != "canceled" || s.bot.Slots().Games != 0 {
		t.Errorf("%+v, slots %+v", c, s.bot.Slots())
	}
}

// Matchmaking is turned on and off whatever the settings say; who was challenged when it
// was turned off is not blamed.
func TestOperator_Matchmaking(t *testing.T) {
	s := start(t, 4)
	s.AddBotPlayer("rival", lichesstest.Idle())
	s.SetPerf("rival", 1500, 100)
	s.AnswerChallenges("rival", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} })
	if m := s.bot.Status().Matchmaking; m.On || m.Operator {
		t.Errorf("matchmaking %+v", m)
	}
	s.do("matchmaking on")
	waittest.Until(t, "the rival is challenged", func() bool { return len(s.Challenges("rival")) == 1 })
	if m := s.bot.Status().Matchmaking; !m.On || !m.Operator {
		t.Errorf("matchmaking %+v", m)
	}
	s.do("matchmaking off")
	s.do("cancel")
	waittest.Until(t, "the slot is free", func() bool { return s.bot.Slots().Games == 0 })
	s.do("pause")
	if got := s.do("matchmaking on"); !strings.Contains(got.Message, "begins when the bot is resumed") {
		t.Error(got)
	}
	if m := s.bot.Status().Matchmaking; !m.On {
		t.Errorf("matchmaking %+v", m)
	}
	if n := len(s.Challenges("rival")); n != 1 {
		t.Errorf("%d challenges", n)
	}
}

func TestOperator_Arena(t *testing.T) {
	s := start(t, 2)
	s.AddHuman("alice", lichesstest.Idle())
	locked := s.AddArena(lichesstest.ArenaSpec{Name: "Locked", Limit: time.Minute, Password: "unknown"})
	human := s.AddArena(lichesstest.ArenaSpec{Limit: time.Minute, NoBots: true})
	later := s.AddArena(lichesstest.ArenaSpec{Name: "Later", Limit: time.Minute, StartsIn: time.Hour})
	now := s.AddArena(lichesstest.ArenaSpec{Name: "Crazy", Limit: time.Minute})

	s.refuse("arena nonesuch", "there is no arena nonesuch on Lichess")
	s.refuse("arena "+locked, "entry refused")
	s.refuse("arena "+human, "cannot play in it")
	if got := s.do("arena " + later); !strings.Contains(got.Message, "arena Later ("+later+"): joined, starts at ") {
		t.Error(got)
	}
	if got := s.do("arena " + s.URL() + "/tournament/" + now); got.Message != "arena Crazy ("+now+"): joined" {
		t.Error(got)
	}
	s.EnterArena(now, "alice")
	waittest.Until(t, "its game is in progress", func() bool { return len(s.bot.Running()) == 1 })
	if list := s.bot.Status().Arenas; len(list) != 2 {
		t.Errorf("arenas %+v", list)
	}
	s.do("pause")
	waittest.Until(t, "the arenas are left", func() bool { return s.Arena(now, botName).Paused && !s.Arena(later, botName).Joined })
	if len(s.bot.Running()) != 1 {
		t.Error("its game does not go on")
	}
	s.do("resume")
	waittest.Until(t, "the arenas are tried again", func() bool { return len(s.bot.Status().Arenas) == 2 })
}

// A drain ends the bot when its games are over, and is noted.
func TestOperator_Drain(t *testing.T) {
	s := start(t, 4)
	s.AddHuman("alice", lichesstest.Idle())
	id := s.challenge("alice")
	if got := s.do("drain"); got.Message != "draining; games in progress: "+id {
		t.Error(got)
	}
	if st := s.bot.Status(); !st.Draining || st.Summary() != "draining: 1 game of 4" {
		t.Errorf("status %+v", st)
	}
	s.refuse("challenge alice 1+1", "shutting down")
	s.refuse("arena abcd1234", "there is no arena")
	s.Perform(id, "alice", lichesstest.Action{Abort: true})
	waittest.Until(t, "the bot ends", func() bool { return !s.Online(botName) })
	if err := s.stop(); err != nil {
		t.Error(err)
	}

	list := s.journal()
	if len(list) != 3 || list[0].Command != "drain" || list[0].Origin != "test" || list[0].Result == "" || list[0].Error != "" ||
		!slices.Equal(list[1].Args, []string{"alice", "1+1"}) || !strings.Contains(list[1].Error, "shutting down") || time.Since(list[1].Time) > time.Hour {
		t.Errorf("journal %+v", list)
	}
	if info, err := os.Stat(filepath.Join(s.dir, control.JournalFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the journal: %v, %v", info, err)
	}
}

// Without a bot there is a reason, and a journal that cannot be written is no reason not
// to obey.
func TestOperator_WithoutABot(t *testing.T) {
	var log logtest.Log
	o := control.Operator{
		Bot: func() *bot.Bot { return nil }, Log: zerolog.New(&log), Journal: filepath.Join(t.TempDir(), "none", "x"),
	}
	if _, err := o.Execute(t.Context(), "test", control.Request{Command: "drain"}); !errors.Is(err, control.ErrNotPlaying) {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(log.String(), "not written to the journal") {
		t.Error("nothing is logged")
	}
	var usage *control.UsageError
	if _, err := o.Execute(t.Context(), "test", control.Request{Command: "dance"}); !errors.As(err, &usage) {
		t.Errorf("error %v", err)
	}
}

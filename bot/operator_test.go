package bot

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// startReady starts a bot and waits until it has logged in.
func (r *rig) startReady(change func(*setup)) *runningBot {
	r.t.Helper()
	b := r.start(change)
	r.until("the bot has logged in", func() bool { return b.Account() != "" })
	return b
}

func (r *runningBot) pause(keep bool) {
	r.t.Helper()
	if _, _, err := r.Pause(r.t.Context(), keep); err != nil {
		r.t.Error(err)
	}
}

func (r *runningBot) resume() {
	r.t.Helper()
	if paused, err := r.Resume(); !paused || err != nil {
		r.t.Errorf("resumed: %t, %v", paused, err)
	}
}

// openState has the next bot keep its state in a folder.
func (r *rig) openState(dir string) {
	r.t.Helper()
	var err error
	r.state, err = record.OpenState(dir)
	r.must(err)
}

// wantError fails the test unless an error has a text.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %q", err, text)
	}
}

var casualChallenge = lichess.ChallengeRequest{
	Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
}

// challengeSilent has the bot challenge a user who does not answer, and returns what comes
// of it.
func (r *rig) challengeSilent(b *runningBot, user string) <-chan string {
	r.t.Helper()
	r.partner(user, lichesstest.Idle(), silent)
	outcome := make(chan string, 1)
	go func() {
		a, err := b.Challenge(r.t.Context(), user, casualChallenge)
		if err != nil {
			a.Reason = err.Error()
		}
		outcome <- a.Reason
	}()
	r.until("the user is challenged", func() bool { return len(b.Status().Challenges) == 1 })
	return outcome
}

func silent(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} }

// A pause declines challenges and cancels ours, while games continue. It ends with the
// program, unless it is kept.
func TestOperator_Pause(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		start := func() *runningBot {
			r.openState(dir)
			return r.startReady(nil)
		}
		b := start()
		alice := r.challengeAsHuman("white")
		outcome := r.challengeSilent(b, "bob")
		_, canceled, err := b.Pause(t.Context(), false)
		if len(canceled) != 1 || canceled[0].User != "bob" || err != nil || <-outcome != "cancelled by the operator" {
			t.Errorf("cancelled %+v, %v", canceled, err)
		}
		r.challenge(humanName, "")
		r.declined("later", 1)
		_, err = b.JoinArena(t.Context(), "abcd1234")
		wantError(t, err, "resume first")
		alice.play(0, "e2e4")
		r.plies(alice.id, 2)
		b.resume()

		b.pause(false)
		b.halt()
		b = start()
		if p := b.Status().Paused; p != nil {
			t.Errorf("after a restart: %+v", p)
		}
		b.pause(true)
		b.pause(false) // which does not take back that it is kept
		b.halt()
		b = start()
		r.challenge(humanName, "")
		r.declined("later", 2)
		logged := r.log.messages(`paused: challenges are declined and none are sent until "zhbot ctl resume"`)
		if p := b.Status().Paused; p == nil || !p.Keep || logged != 1 {
			t.Errorf("kept: %+v, logged %d times", p, logged)
		}
		b.resume()
		r.begin(humanName, "")
	})
}

// Without a folder of records nothing is kept, and the operator is told.
func TestOperator_NotKept(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", lichesstest.Idle())
		b := r.startReady(nil)
		_, _, err := b.SetUser(t.Context(), "alice", record.Blocked)
		wantError(t, err, "done, but only until the program ends: there is no users.json")
		r.challenge("alice", "")
		r.declined("generic", 1)
		_, _, err = b.Pause(t.Context(), true)
		wantError(t, err, "paused, but only until the program ends: there is no state.json")
		if b.Status().Paused == nil {
			t.Error("not paused")
		}
	})
}

// The operator's lists outlive a restart. The configuration overrides them.
func TestOperator_Users(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		start := func() *runningBot {
			users, err := record.OpenUsers(dir)
			r.must(err)
			return r.startReady(func(b *setup) {
				b.opts.Users = users
				b.settings().Challenges.Bots.Modes = nil
			})
		}
		b := start()
		outcome := r.challengeSilent(b, "alice")
		_, canceled, err := b.SetUser(t.Context(), "Alice", record.Blocked)
		if len(canceled) != 1 || err != nil || <-outcome != "cancelled by the operator" {
			t.Errorf("cancelled %+v, %v", canceled, err)
		}
		b.halt()
		b = start()
		r.challenge("alice", "")
		r.declined("generic", 1)
		if was, _, err := b.SetUser(t.Context(), "alice", record.Allowed); was != record.Blocked || err != nil {
			t.Errorf("was %q, %v", was, err)
		}
		r.begin("alice", "")
		b.reload(func(c *config.Config) { c.Challenges.Block = []string{"ALICE"} })
		for _, list := range []record.UserList{record.Allowed, ""} {
			_, _, err := b.SetUser(t.Context(), "alice", list)
			wantError(t, err, "still blocked: remove it from challenges.block")
		}
		r.challenge("alice", "")
		r.declined("generic", 2)
	})
}

// However many challenges the operator sends at once, even while the bot is paused, there
// are never more games than allowed.
func TestOperator_Challenge(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		const maxGames = 3
		r.partner("bob", lichesstest.Idle(), declining("tooFast"))
		b := r.startReady(func(b *setup) { b.settings().Games = config.Games{Max: maxGames} })
		b.pause(false)
		a, err := b.Challenge(t.Context(), "bob", casualChallenge)
		if a.Accepted || a.Reason != "toofast" || err != nil {
			t.Errorf("declined: %+v, %v", a, err)
		}
		for user, want := range map[string]string{"nobody": "no such user", botName: "that is this bot"} {
			_, err := b.Challenge(t.Context(), user, casualChallenge)
			wantError(t, err, want)
		}
		b.plays()
		r.fault("lose challenge x2")
		var all sync.WaitGroup
		var accepted atomic.Int64
		for i := range 4 * maxGames {
			name := "human" + string(rune('a'+i))
			r.AddHuman(name, lichesstest.Idle())
			r.AnswerChallenges(name, func(lichesstest.ChallengeSpec) lichesstest.Answer {
				return lichesstest.Answer{After: 20 * time.Millisecond}
			})
			all.Go(func() {
				request := casualChallenge
				request.Color = lichess.White
				if a, err := b.Challenge(t.Context(), name, request); err != nil || !a.Accepted {
					return
				}
				accepted.Add(1)
				if got := r.Challenges(name)[0].Spec; got.Rated || got.Limit != casualChallenge.Clock.Initial ||
					got.Color != "white" {
					t.Errorf("the challenge was %+v", got)
				}
			})
		}
		all.Wait()
		if playing := r.Playing(botName); accepted.Load() != maxGames || len(playing) != maxGames {
			t.Errorf("%d accepted, %d in progress, want %d", accepted.Load(), len(playing), maxGames)
		}
		_, err = b.Challenge(t.Context(), "humana", casualChallenge)
		wantError(t, err, "games.max reached")
	})
}

// Matchmaking is turned on and off whatever the settings say, but not on while paused.
func TestOperator_Matchmaking(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.partner("rival", lichesstest.Idle(), silent)
		b := r.startReady(withMatchmaking(func(m *config.Matchmaking) { m.Enabled = false }))
		challenges := func() int {
			time.Sleep(time.Minute)
			return len(r.Challenges("rival"))
		}
		if n, m := challenges(), b.Status().Matchmaking; n != 0 || m.On || m.Operator {
			t.Errorf("%d challenges, matchmaking %+v", n, m)
		}
		b.SetMatchmaking(true)
		sent := challenges()
		if m := b.Status().Matchmaking; sent == 0 || !m.On || !m.Operator {
			t.Errorf("%d challenges, matchmaking %+v", sent, m)
		}
		b.SetMatchmaking(false)
		time.Sleep(time.Second)
		sent = len(r.Challenges("rival"))
		off := challenges()
		b.pause(false)
		b.SetMatchmaking(true)
		if paused := challenges(); off != sent || paused != sent {
			t.Errorf("%d challenges, then %d, and %d while paused", sent, off, paused)
		}
	})
}

// An arena that the operator has left is not joined again, even after a pause and if the
// configuration names it.
func TestOperator_Arena(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		arena := func(spec lichesstest.ArenaSpec) string {
			spec.Limit = time.Minute
			return r.AddArena(spec)
		}
		configured := arena(lichesstest.ArenaSpec{})
		other := arena(lichesstest.ArenaSpec{Name: "Other", StartsIn: time.Hour})
		b := r.startReady(inArenas(config.Arenas{IDs: []string{configured}}))
		for id, want := range map[string]string{
			"nonesuch": "there is no arena nonesuch on Lichess",
			arena(lichesstest.ArenaSpec{Password: "unknown"}): "entry refused",
			arena(lichesstest.ArenaSpec{NoBots: true}):        "cannot play in it",
		} {
			_, err := b.JoinArena(t.Context(), id)
			wantError(t, err, want)
		}
		a, err := b.JoinArena(t.Context(), other)
		if a.Name != "Other" || !strings.HasPrefix(a.State, "joined, starts at ") || err != nil {
			t.Errorf("joined %+v, %v", a, err)
		}
		r.inArena(configured, true)
		r.inArena(other, true)
		for _, id := range []string{configured, other} {
			if _, err := b.LeaveArena(t.Context(), id); err != nil {
				t.Error(err)
			}
		}
		b.pause(false)
		b.resume()
		time.Sleep(time.Minute)
		r.inArena(configured, false)
		r.inArena(other, false)
		_, err = b.LeaveArena(t.Context(), configured)
		wantError(t, err, "the bot does not play in it")
		if _, err := b.JoinArena(t.Context(), configured); err != nil {
			t.Error(err)
		}
	})
}

// A game obeys, within Lichess's rules; then it can be played again with colours reversed.
func TestOperator_Game(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.state = record.InMemoryState()
		b := r.startReady(nil)
		alice := r.challengeAsHuman("white")
		command := func(c game.Command, want string) {
			t.Helper()
			time.Sleep(time.Second) // until the bot has read what was done
			switch err := b.Command(t.Context(), alice.id, c); {
			case want != "":
				wantError(t, err, want)
			case err != nil:
				t.Error(err)
			}
		}
		command(game.Draw, "before both have moved")
		command(game.Abort, "")
		if g := r.finished(alice.id); g.Status != "aborted" || len(opponentOf(r.state, humanName).Aborts) != 0 {
			t.Errorf("%s; remembered of the opponent: %+v", g.Status, opponentOf(r.state, humanName))
		}
		_, _, err := b.Rematch(t.Context())
		wantError(t, err, "no game with a clock has ended")

		alice.id = r.begin(humanName, "white").id
		alice.exchange("e2e4")
		command(game.Abort, "both have moved")
		command(game.Say("good luck"), "")
		command(game.Draw, "")
		command(game.Draw, "another draw can be offered only after 20 plies")
		if !slices.Contains(r.chatSent(alice.id), "good luck") {
			t.Error("nothing is said")
		}
		command(game.Resign, "")
		if g := r.finished(alice.id); g.Status != "resign" || g.Winner != "white" {
			t.Errorf("%s, %s wins", g.Status, g.Winner)
		}
		command(game.Resign, "this bot is not playing it")
		user, a, err := b.Rematch(t.Context())
		if g, _ := r.Game(a.ID); user != humanName || err != nil || !strings.EqualFold(g.White, botName) {
			t.Errorf("the rematch against %s is %+v, %v", user, g, err)
		}
	})
}

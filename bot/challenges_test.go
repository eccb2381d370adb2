package bot

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// declined waits until so many challenges are declined with a reason.
func (r *rig) declined(reason string, n int) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d challenges are declined with %q", n, reason), func() bool {
		found := 0
		for _, c := range r.Challenges(botName) {
			if c.Reason == reason {
				found++
			}
		}
		return found == n
	})
}

// A decline that the server may not have heard is given again while the challenge is
// open: one without a clock until it is withdrawn.
func TestChallengeQueue_DeclinesAgain(t *testing.T) {
	for fault, words := range map[string]string{"lose challenge x1": "", "fail challenge x1000000 503": "3d"} {
		runInBubble(t, fault, func(t *testing.T, r *rig) {
			r.AddHuman("alice", lichesstest.Idle())
			r.start(func(b *setup) { b.settings().Challenges.Humans.Enabled = false })
			r.fault(fault)
			id := r.challenge("alice", words)
			if words == "" {
				r.declined("onlybot", 1)
			} else {
				r.until("it is declined again", func() bool { return r.requests(endpointDecline) > 2 })
				r.Cancel(id)
				r.Faults.Clear() // a request that crossed the withdrawal is repeated until it is answered
			}
			await[event.ChallengeClosed](r, 1)
			r.checkNoErrors()
		})
	}
}

// A challenge from before the start is accepted, also if the reply is lost; one that the server
// does not let us accept stays open there.
func TestChallengeQueue_Accepts(t *testing.T) {
	for fault, started := range map[string]bool{"lose challenge x1": true, "limit challenge 1h": false} {
		runInBubble(t, fault, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(4, 0))
			r.fault(fault)
			id := r.challenge("alice", "")
			bot := r.start(nil)
			await[event.ChallengeClosed](r, 1)
			if started {
				r.finished(id)
			}
			bot.plays()
			if _, known := r.Game(id); known != started {
				t.Errorf("game is known: %t", known)
			}
			r.checkNoErrors()
		})
	}
}

// lateHistory is a history of one game whose reading waits for a channel to be closed, nil
// forever.
type lateHistory struct {
	read <-chan struct{}
	game *record.Game
}

func (h lateHistory) GamesSince(ctx context.Context, _ time.Time, visit func(*record.Game)) error {
	select {
	case <-h.read:
		visit(h.game)
	case <-ctx.Done():
	}
	return ctx.Err()
}

// TestChallengeQueue_WaitsForHistory keeps a challenge until the games of earlier runs
// are known. A game in progress does not wait.
func TestChallengeQueue_WaitsForHistory(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", lichesstest.Idle())
		before := r.start(nil)
		o := r.challengeAsBot("white")
		before.halt()
		read := make(chan struct{})
		r.start(func(b *setup) {
			earlier := &record.Game{Board: rules.NewGame(rules.StartPosition())}
			earlier.ID, earlier.Created, earlier.Result = "earlier1", time.Now().Add(-time.Hour), rules.BlackWins
			earlier.White.Name, earlier.Black.Name = "alice", botName
			b.opts.History, b.settings().Games.MaxPerOpponentPerDay = lateHistory{read, earlier}, 1
		})
		finish := sync.OnceFunc(func() { close(read) })
		t.Cleanup(finish)
		o.exchange("e2e4")
		r.challenge("alice", "")
		await[event.ChallengeDecided](r, 2)
		finish()
		r.declined("later", 1)
	})
}

// A disk that hangs delays neither new games nor the end.
func TestChallengeQueue_WithoutHistory(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(4, 0))
		b := r.start(func(b *setup) { b.opts.History = lateHistory{} })
		r.finished(r.challenge("alice", ""))
		b.halt()
		if n := r.log.messages("game history still being read: playing without it"); n != 1 {
			t.Errorf("%d warnings about the history, want one", n)
		}
	})
}

// TestChallengeQueue_Rematch shows that an offered rematch is a challenge like others.
func TestChallengeQueue_Rematch(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(4, 0))
		bot := r.start(func(b *setup) { b.settings().Games.MaxPerOpponentPerDay = 2 })
		rematch := terms("")
		for range 2 {
			rematch.RematchOf = r.Challenge("alice", botName, rematch)
			r.finished(rematch.RematchOf)
		}
		r.Challenge("alice", botName, rematch)
		r.declined("later", 1) // it would be the third game
		r.archived(2)
		bot.plays()
	})
}

// Whoever waits gets a slot as soon as there is one, the human before the bot, though later.
func TestChallengeQueue_WaitsForSlot(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddBotPlayer("robot", lichesstest.Idle())
		for _, name := range []string{"bob", "carol"} {
			r.AddHuman(name, lichesstest.Idle())
		}
		bot := r.fill()
		second := r.challenge("robot", "white")
		gone := r.challenge("bob", "")
		r.challenge("carol", "")
		third := r.challenge("carol", "white") // replaces the one before
		await[event.ChallengeDecided](r, 5)
		r.Cancel(gone)
		await[event.ChallengeClosed](r, 3)
		for _, next := range []string{third, second} {
			r.must(r.client().Abort(t.Context(), bot.Running()[0]))
			bot.plays(next)
			r.plies(next, 0)
		}
		r.until("both are accepted", func() bool { return r.requests(endpointAccept) == 3 })
		r.challenge("bob", "")
		r.declined("later", 1) // as no slot comes
	})
}

// fill starts a bot with one slot and lets alice take it.
func (r *rig) fill() *runningBot {
	r.t.Helper()
	r.AddHuman("alice", lichesstest.Idle())
	bot := r.start(oneGame)
	bot.plays(r.begin("alice", "white").id)
	return bot
}

func oneGame(b *setup) { b.settings().Games.Max = 1 }

package bot

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// declined waits for a refusal with a reason.
func (r *rig) declined(reason string, n int) {
	r.t.Helper()
	waittest.Until(r.t, fmt.Sprintf("%d challenges are declined with %q", n, reason), func() bool {
		return r.countDeclined(reason) == n
	})
}

// countDeclined returns how many challenges were declined with a reason, or with any
// for "".
func (r *rig) countDeclined(reason string) (n int) {
	for _, c := range r.Challenges(botName) {
		if c.Reason != "" && (reason == "" || c.Reason == reason) {
			n++
		}
	}
	return n
}

// A decline that the server may not have heard is given again while the challenge is
// open: one with a clock for as long as it is shown, any other until it is withdrawn.
func TestChallengeQueue_DeclinesAgain(t *testing.T) {
	const always = 1 << 30
	corres := lichesstest.ChallengeSpec{Days: 3}
	for _, tt := range []struct {
		name     string
		spec     lichesstest.ChallengeSpec
		fault    func(*lichesstest.Faults)
		declined bool
		withdraw bool
	}{
		{name: "failing server", spec: blitz, fault: inject("fail", lichesstest.When{Class: "challenge", Next: 3, Status: 503}), declined: true},
		{name: "reply lost", spec: blitz, fault: inject("lose", lichesstest.When{Class: "challenge", Next: 1}), declined: true},
		{name: "until it expires", spec: blitz, fault: inject("fail", lichesstest.When{Class: "challenge", Next: always, Status: 503})},
		{name: "until it is withdrawn", spec: corres, fault: inject("fail", lichesstest.When{Class: "challenge", Next: always, Status: 503}), withdraw: true},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.AddHuman("alice", lichesstest.Idle())
			r.start(func(b *Bot) {
				b.settings().Challenges.Humans.Enabled = false
			})
			tt.fault(r.Faults)
			id := r.Challenge("alice", botName, tt.spec)
			if tt.declined {
				r.declined("onlybot", 1)
			} else {
				waittest.Until(t, "it is declined more than once", func() bool { return r.requests(endpointDecline) > 2 })
			}
			if tt.withdraw {
				r.Cancel(id)
				r.Faults.Clear() // a request that crossed the withdrawal is repeated until it is answered
			}
			waittest.Until(t, "it is forgotten", func() bool { return len(seen[event.ChallengeClosed](r)) == 1 })
			r.checkNoErrors()
		})
	}
}

func TestChallengeQueue_AnswersWhatCameWhileAway(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(4, 0))
		id := r.Challenge("alice", botName, blitz)
		r.start(nil)
		r.finished(id)
	})
}

func TestChallengeQueue_AcceptFails(t *testing.T) {
	// What fails does so for good: the challenge stays open on the server, which
	// sends it again should the event stream be opened again.
	const always = 1 << 30
	tests := []struct {
		name    string
		fault   func(*lichesstest.Faults)
		started bool
	}{
		{"refused", inject("fail", lichesstest.When{Class: "challenge", Next: always, Status: 404, Text: "Not found"}), false},
		{"server failing for a while", inject("fail", lichesstest.When{Class: "challenge", Next: 3, Status: 503}), true},
		{"reply lost", inject("lose", lichesstest.When{Class: "challenge", Next: 1}), true},
		{"too many requests", inject("limit", lichesstest.When{Class: "challenge", For: time.Hour, Style: lichesstest.LimitPlain}), false},
	}
	for _, tt := range tests {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(4, 0))
			bot := r.start(nil)
			tt.fault(r.Faults)
			id := r.Challenge("alice", botName, blitz)
			if tt.started {
				r.finished(id)
			} else {
				waittest.Until(t, "it is closed", func() bool { return len(seen[event.ChallengeClosed](r)) > 0 })
			}
			bot.plays()
			if _, known := r.Game(id); known != tt.started {
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
		o := r.challengeAsBot(withColor(blitz, "white"))
		before.halt()
		read := make(chan struct{})
		r.start(func(b *Bot) {
			earlier := &record.Game{Board: rules.NewGame(rules.StartPosition())}
			earlier.ID, earlier.Created, earlier.Result = "earlier1", time.Now().Add(-time.Hour), rules.BlackWins
			earlier.White.Name, earlier.Black.Name = "alice", botName
			b.opts.History, b.settings().Games.MaxPerOpponentPerDay = lateHistory{read, earlier}, 1
		})
		finish := sync.OnceFunc(func() { close(read) })
		t.Cleanup(finish)
		o.exchange("e2e4")
		r.Challenge("alice", botName, blitz)
		r.decided(2)
		finish()
		r.declined("later", 1)
	})
}

// A disk that hangs delays neither new games nor the end.
func TestChallengeQueue_WithoutHistory(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(4, 0))
		b := r.start(func(b *Bot) { b.opts.History = lateHistory{} })
		r.finished(r.Challenge("alice", botName, blitz))
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
		bot := r.start(func(b *Bot) { b.settings().Games.MaxPerOpponentPerDay = 2 })
		r.OfferRematches("alice", 2)
		first := r.Challenge("alice", botName, blitz)
		r.finished(first)
		r.declined("later", 1) // the second rematch would be the third game
		r.archived(2)
		games := r.archive.saved()
		if games[0].White.Name != games[1].Black.Name {
			t.Errorf("the colours are not changed: %s has White twice", games[0].White.Name)
		}
		bot.plays()
	})
}

package bot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// declined waits for a refusal with a reason.
func (r *rig) declined(reason string, n int) {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("%d challenges are declined with %q", n, reason), func() bool {
		return r.Audit().Declined[reason] == n
	})
}

func TestChallengeQueue_DeclinesWithReason(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", lichesstest.Idle())
	r.AddBotPlayer("robot", lichesstest.Idle())
	r.start(func(b *Bot) {
		b.settings().Policy.Bots.Enabled = false
		b.settings().Policy.Humans.Modes = []string{"casual"}
		b.settings().Policy.Humans.Initial.Min = time.Minute
	})
	standard, rated, fast, trap := blitz, blitz, blitz, blitz
	standard.Variant = "standard"
	fast.Rated, trap.Rated = false, false
	fast.Limit = 45 * time.Second
	trap.Rules = []string{"noAbort"}
	for _, c := range []struct {
		from   string
		spec   lichesstest.ChallengeSpec
		reason string
	}{
		{"alice", standard, "variant"}, {"alice", rated, "casual"}, {"alice", fast, "toofast"},
		{"alice", trap, "generic"}, {"robot", blitz, "nobot"},
	} {
		r.Challenge(c.from, botName, c.spec)
		r.declined(c.reason, 1)
	}
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
		{name: "failing server", spec: blitz, fault: func(f *lichesstest.Faults) { f.Fail("challenge", 3, 503) }, declined: true},
		{name: "a proxy's page", spec: blitz, fault: func(f *lichesstest.Faults) { f.Fail("challenge", 3, 404) }, declined: true},
		{name: "reply lost", spec: blitz, fault: func(f *lichesstest.Faults) { f.LoseReplies("challenge", 1) }, declined: true},
		{name: "429", spec: corres, fault: func(f *lichesstest.Faults) { f.Limit("challenge", time.Second, lichesstest.LimitSeconds) }, declined: true},
		{name: "until it expires", spec: blitz, fault: func(f *lichesstest.Faults) { f.Fail("challenge", always, 503) }},
		{name: "until it is withdrawn", spec: corres, fault: func(f *lichesstest.Faults) { f.Fail("challenge", always, 503) }, withdraw: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.AddHuman("alice", lichesstest.Idle())
			var w eventRecorder
			r.start(func(b *Bot) {
				b.opts.Observe = w.observe
				b.settings().Policy.Humans.Enabled = false
				if tt.declined {
					b.timing.challenges.Expiry = patience
				}
			})
			tt.fault(r.Faults)
			id := r.Challenge("alice", botName, tt.spec)
			if tt.declined {
				r.declined("onlybot", 1)
			} else {
				eventually(t, "it is declined more than once", func() bool { return r.requests(endpointDecline) > 2 })
			}
			if tt.withdraw {
				r.Cancel(id)
			}
			eventually(t, "it is forgotten", func() bool { return len(eventsOf[event.ChallengeClosed](&w)) == 1 })
			if errs := r.log.errors(); len(errs) > 0 {
				t.Errorf("errors logged: %v", errs)
			}
		})
	}
}

func TestChallengeQueue_ChallengeWaitsForSlot(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddBotPlayer("robot", lichesstest.Idle())
	r.AddHuman("alice", lichesstest.Idle())
	bot := r.start(func(b *Bot) {
		b.slots.Resize(slots.Limits{Max: 1})
		b.timing.challenges.SlotWait = patience
	})
	first := r.Challenge("alice", botName, withColor(blitz, "white"))
	eventually(t, "the first game is on", func() bool { return slices.Equal(bot.Running(), []string{first}) })
	second := r.Challenge("robot", botName, withColor(blitz, "white"))
	gone := r.Challenge("alice", botName, blitz)
	third := r.Challenge("alice", botName, withColor(blitz, "white"))
	eventually(t, "all are decided", func() bool { return r.log.messages("challenge decided") == 4 })
	r.Cancel(gone)

	for _, next := range []string{third, second} { // the human before the bot, though later
		r.release(bot)
		eventually(t, "the next game is on", func() bool { return slices.Equal(bot.Running(), []string{next}) })
	}
	if n := len(r.Audit().Declined); n != 0 {
		t.Errorf("%d challenges declined", n)
	}
}

func TestChallengeQueue_DeclinesLaterWhenNoSlotComes(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", lichesstest.Idle())
	bot := r.start(func(b *Bot) {
		b.slots.Resize(slots.Limits{Max: 1})
		b.timing.challenges.SlotWait = 50 * time.Millisecond
	})
	r.Challenge("alice", botName, withColor(blitz, "white"))
	eventually(t, "the first game is on", func() bool { return len(bot.Running()) == 1 })
	for range 3 {
		r.Challenge("alice", botName, blitz)
	}
	r.declined("later", 3)
}

func TestChallengeQueue_AnswersWhatCameWhileAway(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(4, 0))
	id := r.Challenge("alice", botName, blitz)
	r.start(nil)
	r.finished(id)
}

func TestChallengeQueue_IgnoresOwnChallenges(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddUser("alice", "")
	bot := r.start(nil)
	id := r.Challenge(botName, "alice", blitz)
	theirs := blitz
	theirs.Variant = "atomic"
	r.Challenge("alice", botName, theirs) // read after our own
	r.declined("variant", 1)
	r.Cancel(id)
	if len(bot.Running()) != 0 || r.log.messages("challenge decided") != 1 {
		t.Errorf("an own challenge was taken for a foreign one\n%s", r.log)
	}
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
		{"refused", func(f *lichesstest.Faults) { f.Refuse("challenge", always, 404, "Not found") }, false},
		{"a proxy refuses for a while", func(f *lichesstest.Faults) { f.Fail("challenge", 3, 404) }, true},
		{"server failing", func(f *lichesstest.Faults) { f.Fail("challenge", always, 503) }, false},
		{"server failing for a while", func(f *lichesstest.Faults) { f.Fail("challenge", 3, 503) }, true},
		{"reply lost", func(f *lichesstest.Faults) { f.LoseReplies("challenge", 1) }, true},
		{"too many requests", func(f *lichesstest.Faults) { f.Limit("challenge", time.Hour, lichesstest.LimitPlain) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.AddHuman("alice", peaceful(4, 0))
			bot := r.start(nil)
			tt.fault(r.Faults)
			id := r.Challenge("alice", botName, blitz)
			if tt.started {
				r.finished(id)
			} else {
				eventually(t, "it is tried", func() bool {
					return r.log.messages("challenge not accepted")+r.log.messages("challenge acceptance unconfirmed") > 0
				})
			}
			eventually(t, "the slot is free", func() bool { return len(bot.Running()) == 0 })
			if _, known := r.Game(id); known != tt.started {
				t.Errorf("game is known: %t", known)
			}
			if errs := r.log.errors(); len(errs) > 0 {
				t.Errorf("errors logged: %v", errs)
			}
		})
	}
}

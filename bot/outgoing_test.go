package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const endpointCancel = "POST /api/challenge/{id}/cancel"

// offered returns what became of the first challenge to a user.
func (r *rig) offered(to string) lichesstest.ReceivedChallenge {
	r.t.Helper()
	list := r.Challenges(to)
	if len(list) == 0 {
		r.t.Fatalf("%s was not challenged", to)
	}
	return list[0]
}

func TestOutgoingChallenges_AreCanceled(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before bool // it was sent before the bot ran, which the event stream does not tell
		fault  func(*lichesstest.Faults)
		change func(*Bot)
		drain  bool
		stop   bool
	}{
		{name: "when nobody answers"},
		{name: "of an earlier run", before: true},
		{name: "from a failing server", fault: func(f *lichesstest.Faults) { f.Fail("challenge", 3, 503) }},
		{name: "when the reply is lost", fault: func(f *lichesstest.Faults) { f.LoseReplies("challenge", 1) }},
		{name: "when the bot drains", change: func(b *Bot) { b.timing.matchmaking.AnswerTimeout = time.Hour }, drain: true},
		{name: "when the bot is stopped", change: func(b *Bot) { b.timing.matchmaking.AnswerTimeout = time.Hour }, stop: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.AddUser("alice", "")
			if tt.before {
				r.Challenge(botName, "alice", blitz)
			}
			r.AddHuman("carol", lichesstest.Idle())
			bot := r.start(tt.change)
			if tt.fault != nil {
				tt.fault(r.Faults)
			}
			if !tt.before {
				r.Challenge(botName, "alice", blitz)
				theirs := blitz
				theirs.Variant = "atomic"
				r.Challenge("carol", botName, theirs) // read after our own
				eventually(t, "the bot hears of it", func() bool { return r.log.messages("challenge decided") == 1 })
			}
			if tt.drain {
				bot.Drain()
			}
			if tt.stop {
				bot.halt()
			}
			eventually(t, "it is taken back", func() bool { return r.offered("alice").Status == "canceled" })
			if !tt.drain && !tt.stop {
				eventually(t, "it is forgotten", func() bool {
					return r.log.messages("outgoing challenge not answered: canceled")+r.log.messages("outgoing challenge was answered") == 1
				})
				sent := r.requests(endpointCancel)
				bot.halt()
				if n := r.requests(endpointCancel); n != sent {
					t.Errorf("taken back again at the end, %d times in all", n)
				}
			}
			if errs := r.log.errors(); len(errs) > 0 {
				t.Errorf("errors logged: %v", errs)
			}
		})
	}
}

func TestOutgoingChallenges_AnsweredOnes(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(20, time.Millisecond))
	r.AddHuman("bob", lichesstest.Idle())
	r.AnswerChallenges("bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Decline: "later"} })
	bot := r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 20} })
	id := r.Challenge(botName, "alice", blitz)
	r.Challenge(botName, "bob", blitz)
	if result := r.finished(id); result.Status != "mate" {
		t.Errorf("the game ended by %s", result.Status)
	}
	eventually(t, "bob has declined", func() bool { return r.offered("bob").Status == "declined" })
	eventually(t, "the game is over", func() bool { return len(bot.Running()) == 0 })
	bot.halt() // which takes back what is open
	if n := r.requests(endpointCancel); n != 0 {
		t.Errorf("%d challenges taken back that were answered", n)
	}
	if s := r.offered("bob").Status; s != "declined" {
		t.Errorf("the other one is %s", s)
	}
}

// A challenge without a clock does not expire, and one to us is not ours.
func TestOutgoingChallenges_OthersAreIgnored(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddUser("alice", "")
	bot := r.start(nil)
	r.Challenge(botName, "alice", lichesstest.ChallengeSpec{Days: 3})
	r.Challenge(botName, "alice", blitz)
	eventually(t, "the one with a clock is taken back", func() bool { return r.Challenges("alice")[1].Status == "canceled" })
	if s := r.offered("alice").Status; s != "created" {
		t.Errorf("the one without is %s", s)
	}
	bot.halt()
	if s := r.offered("alice").Status; s != "created" {
		t.Errorf("the one without is %s when the bot has stopped", s)
	}
}

// Whoever sent a challenge, and whatever ends its wait, it is taken back once.
func TestOutgoingChallenges_AreCanceledOnce(t *testing.T) {
	silent := func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Silent: true} }
	for name, end := range map[string]func(*runningBot){
		"by time": func(*runningBot) {}, "by drain": func(b *runningBot) { b.Drain() }, "by the end": func(b *runningBot) { b.halt() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.partner("silent", lichesstest.Idle(), silent)
			bot := r.start(withMatchmaking(func(m *matchmaking.Settings) {
				m.Pauses = opponent.Pauses{First: day, Longest: day}
				if name == "by time" {
					m.Wait = 50 * time.Millisecond
				}
			}))
			eventually(t, "the challenge is sent", func() bool { return r.log.messages("challenge sent") == 1 })
			end(bot)
			eventually(t, "the sender knows", func() bool { return r.log.messages("challenge not accepted by the opponent") == 1 })
			bot.halt()
			if n := r.requests(endpointCancel); n != 1 || r.offered("silent").Status != "canceled" {
				t.Errorf("taken back %d times, and it is %s", n, r.offered("silent").Status)
			}
		})
	}
}

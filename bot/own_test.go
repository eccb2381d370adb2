package bot

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

const endpointCancel = "POST /api/challenge/{id}/cancel"

// offered returns what became of the first challenge to a user.
func (r *rig) offered(to string) lichesstest.Offered {
	r.t.Helper()
	list := r.Challenges(to)
	if len(list) == 0 {
		r.t.Fatalf("%s was not challenged", to)
	}
	return list[0]
}

func TestOwnChallenges_AreTakenBack(t *testing.T) {
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
		{name: "when the bot drains", change: func(b *Bot) { b.pace.expireOwn = time.Hour }, drain: true},
		{name: "when the bot is stopped", change: func(b *Bot) { b.pace.expireOwn = time.Hour }, stop: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			r.AddUser("alice", "")
			if tt.before {
				r.Challenge(botName, "alice", blitz)
			}
			bot := r.start(tt.change)
			if tt.fault != nil {
				tt.fault(r.Faults)
			}
			if !tt.before {
				r.Challenge(botName, "alice", blitz)
				eventually(t, "the bot hears of it", func() bool {
					id, _ := bot.own.first(time.Now())
					return id != "" || r.offered("alice").Status == "canceled"
				})
			}
			if tt.drain {
				bot.Drain()
			}
			if tt.stop {
				bot.halt()
			}
			eventually(t, "it is taken back", func() bool { return r.offered("alice").Status == "canceled" })
			if !tt.drain && !tt.stop {
				eventually(t, "it is forgotten", func() bool { id, _ := bot.own.first(time.Now()); return id == "" })
			}
			if errs := r.log.errors(); len(errs) > 0 {
				t.Errorf("errors logged: %v", errs)
			}
		})
	}
}

func TestOwnChallenges_AnsweredOnes(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(20, time.Millisecond))
	r.AddHuman("bob", lichesstest.Never())
	r.AnswerChallenges("bob", func(lichesstest.ChallengeSpec) lichesstest.Answer { return lichesstest.Answer{Decline: "later"} })
	bot := r.start(func(b *Bot) { b.opts.Engine = &brain{peace: 20} })
	id := r.Challenge(botName, "alice", blitz)
	r.Challenge(botName, "bob", blitz)
	if result := r.finished(id); result.Status != "mate" {
		t.Errorf("the game ended by %s", result.Status)
	}
	eventually(t, "both are forgotten", func() bool { id, _ := bot.own.first(time.Now()); return id == "" })
	if n := r.requests(endpointCancel); n != 0 {
		t.Errorf("%d challenges taken back that were answered", n)
	}
	if s := r.offered("bob").Status; s != "declined" {
		t.Errorf("the other one is %s", s)
	}
}

// A challenge without a clock does not expire, and one to us is not ours.
func TestOwnChallenges_OthersAreLeftAlone(t *testing.T) {
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

// The matchmaker may wait longer than Lichess shows a challenge.
func TestOwnChallenges_WaitAsLongAsTheMatchmaker(t *testing.T) {
	b := New(Options{Matchmaking: Matchmaking{Enabled: true, Wait: 10 * time.Minute}})
	c := &lichess.Challenge{ID: "a", TimeControl: lichess.TimeControl{Type: lichess.ClockControl}}
	b.own.sent(c)
	b.own.sent(c) // as the server's list of challenges tells once more
	if id, wait := b.own.first(time.Now()); id != "a" || wait <= 10*time.Minute || wait > 11*time.Minute {
		t.Errorf("%q is taken back after %s", id, wait)
	}
	b.own.later("a", time.Hour)
	b.own.later("unknown", time.Hour)
	if _, wait := b.own.first(time.Now()); wait < 59*time.Minute {
		t.Errorf("put off to %s", wait)
	}
	b.own.settled("a")
	if id, _ := b.own.first(time.Now()); id != "" {
		t.Errorf("%q is open although answered", id)
	}
}

// A token that may not list challenges is asked for them once.
func TestOwnChallenges_WithoutScope(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	b := New(Options{Client: r.clientOf(r.AddUser("other", "BOT", "bot:play"), nil)})
	if b.own.find(t.Context()) {
		t.Error("the list is asked for again")
	}
	b = New(Options{Client: r.client()})
	if !b.own.find(t.Context()) {
		t.Error("the list is not asked for again")
	}
}

package bot

import (
	"fmt"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
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
		{name: "when the bot drains", change: func(b *Bot) { b.timing.outgoingTimeout = time.Hour }, drain: true},
		{name: "when the bot is stopped", change: func(b *Bot) { b.timing.outgoingTimeout = time.Hour }, stop: true},
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
					id, _ := bot.outgoing.nextDue(time.Now())
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
				eventually(t, "it is forgotten", func() bool { id, _ := bot.outgoing.nextDue(time.Now()); return id == "" })
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
	eventually(t, "both are forgotten", func() bool { id, _ := bot.outgoing.nextDue(time.Now()); return id == "" })
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

// A challenge waits as long as its sender wants, and the sender hears once what
// became of it, whether it knew the id before the event stream told or after.
func TestOutgoingChallenges_Follow(t *testing.T) {
	o := offline().outgoing
	c := &lichess.Challenge{ID: "a", TimeControl: lichess.TimeControl{Type: lichess.ClockControl}}
	o.add(c)
	told := o.follow("a", 10*time.Minute)
	o.add(c) // as the server's list of challenges tells once more
	if id, wait := o.nextDue(time.Now()); id != "a" || wait <= 9*time.Minute || wait > 10*time.Minute {
		t.Errorf("%q is taken back after %s", id, wait)
	}
	o.postpone("a", time.Hour)
	o.postpone("unknown", time.Hour)
	if _, wait := o.nextDue(time.Now()); wait < 59*time.Minute {
		t.Errorf("put off to %s", wait)
	}
	o.resolve("a", answer{reason: "later"})
	o.resolve("a", answer{started: true}) // too late
	if a := <-told; a.reason != "later" || a.started {
		t.Errorf("told %+v", a)
	}
	if id, _ := o.nextDue(time.Now()); id != "" {
		t.Errorf("%q is open although answered", id)
	}

	o.resolve("early", answer{reason: "tooslow"})
	if a := <-o.follow("early", time.Hour); a.reason != "tooslow" {
		t.Errorf("of an answer before the reply: %+v", a)
	}
	for i := range 3 * maxAnswered {
		o.resolve(fmt.Sprint(i), answer{started: true})
		o.resolve(fmt.Sprint(i), answer{started: true})
	}
	if n := len(o.answered); n != maxAnswered {
		t.Errorf("%d answers remembered", n)
	}
	open := o.follow("open", time.Hour)
	o.close()
	for _, told := range []<-chan answer{open, o.follow("late", time.Hour)} {
		if a := <-told; a.started || a.reason != opponent.NoAnswer {
			t.Errorf("after the end: %+v", a)
		}
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
			bot := r.start(matchmaking(func(m *Matchmaking) {
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

// What the server says of a challenge that cannot be taken back is its answer.
func TestOutgoingChallenges_Ask(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddUser("alice", "")
	r.AddHuman("bob", lichesstest.Idle())
	r.AnswerChallenges("bob", declining("tooFast"))
	b := New(Options{Client: r.client()})
	canceled := r.Challenge(botName, "alice", blitz)
	if err := b.opts.Client.CancelChallenge(t.Context(), canceled); err != nil {
		t.Fatal(err)
	}
	declined := r.Challenge(botName, "bob", blitz)
	eventually(t, "bob has declined", func() bool { return r.offered("bob").Status == "declined" })
	r.AddHuman("carol", lichesstest.Idle())
	accepted := r.Challenge(botName, "carol", blitz)
	eventually(t, "carol has accepted", func() bool { return r.offered("carol").Status == "accepted" })
	// Without the scope challenge:read only the games in play tell.
	blind := New(Options{Client: r.clientOf(r.AddToken(botName, "bot:play"), nil)})
	for _, tt := range []struct {
		bot  *Bot
		id   string
		want answer
	}{
		{b, canceled, answer{reason: opponent.NoAnswer}},
		{b, declined, answer{reason: "toofast"}},
		{b, accepted, answer{started: true, reason: opponent.NoAnswer}},
		{b, "nonesuch", answer{reason: opponent.NoAnswer}},
		{blind, declined, answer{reason: opponent.NoAnswer}},
		{blind, accepted, answer{started: true, reason: opponent.NoAnswer}},
	} {
		if a := tt.bot.outgoing.queryOutcome(t.Context(), tt.id); a != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.id, a, tt.want)
		}
	}
}

// A token that may not list challenges is asked for them once.
func TestOutgoingChallenges_WithoutScope(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	b := New(Options{Client: r.clientOf(r.AddUser("other", "BOT", "bot:play"), nil)})
	if b.outgoing.loadOpen(t.Context()) {
		t.Error("the list is asked for again")
	}
	b = New(Options{Client: r.client()})
	if !b.outgoing.loadOpen(t.Context()) {
		t.Error("the list is not asked for again")
	}
}

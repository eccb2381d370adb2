package matchmaking

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// Outgoing follows our challenges to their end, whoever sent them: the matchmaker, a
// rematch, or an earlier run that was killed. It alone cancels them. Lichess shows a
// real-time challenge as expired after 20 s without any event, and still allows it to
// be accepted: a game would begin that nobody expects. The event stream reports each
// challenge and each answer, sometimes before the reply that gives the sender the id.
// Each sender that follows its challenge gets one answer.
type Outgoing struct {
	cfg             Config
	changed         chan struct{} // capacity 1: the open challenges have changed
	lookupRequested chan struct{} // capacity 1: the event stream may have missed an open challenge

	mu       sync.Mutex                // for all that follows
	open     map[string]*openChallenge // by id
	answered []closedChallenge         // not followed by a sender, newest last
	canceled []string                  // ids that we sent a cancel for, newest last
	closed   bool                      // Run has ended

	// The challenges that are being sent. The event stream has their ids even when a
	// reply is lost.
	expected []*expectedChallenge
}

// expectedChallenge is a challenge that is being sent.
type expectedChallenge struct {
	opponent string      // id of its receiver
	id       chan string // buffered
}

// openChallenge is an outgoing challenge without an answer.
type openChallenge struct {
	opponent  string        // name; "" if unknown
	due       time.Time     // when to cancel it
	withdrawn bool          // the operator wants it cancelled
	answer    chan<- answer // buffered; nil without a follower
	resolved  chan struct{} // closed when the answer is known
	started   bool          // the answer: it was accepted
}

// answer is the outcome of an outgoing challenge.
type answer struct {
	started bool
	reason  string // why not: Lichess's key in lower case, or one of package opponent's
}

// closedChallenge is a challenge, incoming or outgoing, that ended before it was
// followed.
type closedChallenge struct {
	id string
	answer
}

const (
	// maxAnswered is the number of answers kept for senders that do not know the id yet.
	maxAnswered    = 64
	requestTimeout = 15 * time.Second
)

// NewOutgoing returns an Outgoing that knows of no challenges.
func NewOutgoing(c Config) *Outgoing {
	return &Outgoing{cfg: c, changed: make(chan struct{}, 1), lookupRequested: make(chan struct{}, 1), open: map[string]*openChallenge{}}
}

// Created handles a challenge of ours on the event stream, always its first event.
func (o *Outgoing) Created(c *lichess.Challenge) { o.learn(c, o.cfg.Timing.AnswerTimeout) }

// learn records an outgoing challenge that the server has shown, and tells its id to the
// sender that expects it. A challenge that no sender expects is cancelled after wait.
func (o *Outgoing) learn(c *lichess.Challenge, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.expected, func(e *expectedChallenge) bool { return e.isTo(c.DestUser) })
	if i >= 0 && o.open[c.ID] == nil && o.indexOf(c.ID) < 0 { // it is the one
		o.expected[i].id <- c.ID
		o.expected = slices.Delete(o.expected, i, i+1)
		wait = o.cfg.Timing.AnswerTimeout
	}
	o.record(c, wait)
}

// Canceled handles a challenge on the event stream, incoming or outgoing, that was
// cancelled.
func (o *Outgoing) Canceled(id string) { o.resolve(id, answer{reason: opponent.NoAnswer}) }

// Declined handles a challenge on the event stream, incoming or outgoing, that was
// declined.
func (o *Outgoing) Declined(c *lichess.Challenge) { o.resolve(c.ID, answer{reason: reasonOf(c)}) }

// Started handles a game on the event stream that has started.
func (o *Outgoing) Started(id string) { o.resolve(id, answer{started: true}) }

// add records an outgoing challenge of a sender that is about to follow it.
func (o *Outgoing) add(c *lichess.Challenge) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.record(c, o.cfg.Timing.AnswerTimeout)
}

// record records an outgoing challenge that may wait for a duration until a sender follows
// it. One without a clock does not expire. The caller holds the lock.
func (o *Outgoing) record(c *lichess.Challenge, wait time.Duration) {
	if c.TimeControl.Type != lichess.ClockControl || o.cfg.Slots.IsLive(c.ID) {
		return
	}
	if o.open[c.ID] == nil && o.indexOf(c.ID) < 0 {
		o.open[c.ID] = &openChallenge{opponent: nameOf(c.DestUser), due: o.deadline(wait), resolved: make(chan struct{})}
	}
	signal(o.changed)
}

// endReplaced ends the other open challenges to the user of a new one: Lichess has
// cancelled them, without an event.
func (o *Outgoing) endReplaced(id, user string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for other, c := range o.open {
		if other != id && strings.EqualFold(c.opponent, user) {
			o.end(other, answer{reason: replaced})
		}
	}
}

func nameOf(p *lichess.Player) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// follow sets the timeout of a challenge to an opponent, and returns a channel that
// receives its answer.
func (o *Outgoing) follow(id, opponentName string, timeout time.Duration) <-chan answer {
	result := make(chan answer, 1)
	o.mu.Lock()
	switch i := o.indexOf(id); {
	case i >= 0:
		result <- o.answered[i].answer
		o.answered = slices.Delete(o.answered, i, i+1)
	case o.closed:
		result <- answer{reason: opponent.NoAnswer}
	default:
		c := o.open[id]
		if c == nil {
			c = &openChallenge{resolved: make(chan struct{})}
			o.open[id] = c
		}
		if c.opponent, c.answer = opponentName, result; !c.withdrawn {
			c.due = o.deadline(timeout)
		}
	}
	o.mu.Unlock()
	signal(o.changed)
	return result
}

// indexOf returns the index of a challenge's answer, -1 if there is none.
func (o *Outgoing) indexOf(id string) int {
	return slices.IndexFunc(o.answered, func(a closedChallenge) bool { return a.id == id })
}

// deadline returns when to cancel a challenge that may wait for a duration: at once
// while the bot drains.
func (o *Outgoing) deadline(wait time.Duration) time.Time {
	if o.cfg.isDraining() {
		wait = 0
	}
	return time.Now().Add(wait)
}

// resolve records the answer to a challenge, incoming or outgoing.
func (o *Outgoing) resolve(id string, a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end(id, a)
}

// end ends a challenge with its answer. The caller holds the lock.
func (o *Outgoing) end(id string, a answer) {
	c := o.open[id]
	delete(o.open, id)
	if c != nil {
		if c.withdrawn && a.reason == opponent.NoAnswer {
			a.reason = withdrawn
		}
		c.started = a.started
		close(c.resolved)
	}
	if c != nil && c.answer != nil {
		c.answer <- a
		return
	}
	o.answered = slices.DeleteFunc(o.answered, func(old closedChallenge) bool { return old.id == id })
	o.answered = append(o.answered, closedChallenge{id, a})
	o.answered = slices.Delete(o.answered, 0, max(0, len(o.answered)-maxAnswered))
}

// reasonOf returns the reason of a decline.
func reasonOf(c *lichess.Challenge) string {
	return strings.ToLower(cmp.Or(c.DeclineReasonKey, string(lichess.DeclineGeneric)))
}

package matchmaking

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/retry"
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
	withdrawn bool          // the operator wants it canceled
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
	// cancelAllTimeout bounds the cancels at shutdown.
	cancelAllTimeout = 3 * time.Second
)

// NewOutgoing returns an Outgoing that knows of no challenges.
func NewOutgoing(c Config) *Outgoing {
	return &Outgoing{cfg: c, changed: make(chan struct{}, 1), lookupRequested: make(chan struct{}, 1), open: map[string]*openChallenge{}}
}

// Created handles a challenge of ours on the event stream, always its first event.
func (o *Outgoing) Created(c *lichess.Challenge) {
	o.mu.Lock()
	i := slices.IndexFunc(o.expected, func(e *expectedChallenge) bool { return e.isTo(c.DestUser) })
	if i >= 0 { // it is the one
		o.expected[i].id <- c.ID
		o.expected = slices.Delete(o.expected, i, i+1)
	}
	o.mu.Unlock()
	o.add(c, o.cfg.Timing.AnswerTimeout)
}

// Canceled handles a challenge on the event stream, incoming or outgoing, that was
// canceled.
func (o *Outgoing) Canceled(id string) { o.resolve(id, answer{reason: opponent.NoAnswer}) }

// Declined handles a challenge on the event stream, incoming or outgoing, that was
// declined.
func (o *Outgoing) Declined(c *lichess.Challenge) { o.resolve(c.ID, answer{reason: reasonOf(c)}) }

// Started handles a game on the event stream that has started.
func (o *Outgoing) Started(id string) { o.resolve(id, answer{started: true}) }

// add records an outgoing challenge that may wait for a duration until a sender follows
// it. One without a clock does not expire.
func (o *Outgoing) add(c *lichess.Challenge, wait time.Duration) {
	if c.TimeControl.Type != lichess.ClockControl || o.cfg.Slots.IsLive(c.ID) {
		return
	}
	o.mu.Lock()
	if o.open[c.ID] == nil && o.indexOf(c.ID) < 0 {
		o.open[c.ID] = &openChallenge{opponent: nameOf(c.DestUser), due: o.deadline(wait), resolved: make(chan struct{})}
	}
	o.mu.Unlock()
	signal(o.changed)
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

// RequestLookup requests the list of challenges, for those that the event stream has
// missed.
func (o *Outgoing) RequestLookup() { signal(o.lookupRequested) }

// Run cancels overdue challenges until the context ends; then, and when the bot
// drains, all that are open.
func (o *Outgoing) Run(ctx context.Context) error {
	defer o.close()
	var lookups sync.WaitGroup
	lookups.Go(func() { o.followLookups(ctx) })
	draining := o.cfg.Draining
	next := o.cfg.Timing.Cancel.Start()
	for {
		id, wait := o.nextDue(time.Now())
		var due <-chan time.Time
		if id != "" {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			lookups.Wait()
			o.cancelAll(ctx)
			return ctx.Err()
		case <-draining:
			o.expireAll()
			draining = nil
		case <-o.changed:
		case <-due:
			if err := o.cancel(ctx, id); err != nil {
				o.postpone(id, next.After(err))
			} else {
				next.Reset()
			}
		}
	}
}

// followLookups reads the list of challenges whenever that is requested. It is apart from
// Run, for no cancel may wait for a list.
func (o *Outgoing) followLookups(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.lookupRequested:
			if !o.loadOpen(ctx) {
				return
			}
		}
	}
}

// loadOpen adds the server's open challenges, and retries while the server fails. Those
// of an earlier run are canceled at once, for their games would have no slot. It reports
// whether to ask again: not if the token lacks the scope.
func (o *Outgoing) loadOpen(ctx context.Context) bool {
	var list *lichess.ChallengeList
	permanent := func(err error) bool { return !lichess.IsTemporary(err) }
	err := o.cfg.Timing.Cancel.Do(ctx, o.cfg.Log, "listing the outgoing challenges", permanent, func() (err error) {
		list, err = o.cfg.Client.Challenges(ctx)
		return err
	})
	if err != nil {
		o.cfg.Log.Debug().Err(err).Msg("outgoing challenges not listed")
		return !retry.IsFatal(err)
	}
	for i := range list.Out {
		c, wait := &list.Out[i], time.Duration(0)
		if o.isExpected(c) {
			wait = o.cfg.Timing.AnswerTimeout
		}
		o.add(c, wait)
	}
	return true
}

// isExpected reports whether a challenge may be one that is being sent.
func (o *Outgoing) isExpected(c *lichess.Challenge) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.expected, func(e *expectedChallenge) bool { return e.isTo(c.DestUser) })
}

// nextDue returns the challenge to cancel next, "" if none is open.
func (o *Outgoing) nextDue(now time.Time) (id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for other, c := range o.open {
		if left := c.due.Sub(now); id == "" || left < wait {
			id, wait = other, left
		}
	}
	return id, wait
}

// postpone postpones a cancel that failed.
func (o *Outgoing) postpone(id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.open[id]; c != nil {
		c.due = time.Now().Add(wait)
	}
}

// expireAll makes all challenges due.
func (o *Outgoing) expireAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.open {
		c.due = time.Now()
	}
}

// cancel cancels a challenge, unless it has become a game, which a cancel would
// abort. It returns an error only if a retry may help.
func (o *Outgoing) cancel(ctx context.Context, id string) error {
	if o.cfg.Slots.IsLive(id) {
		o.resolve(id, answer{started: true})
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	o.recordCancel(id)
	err := o.cfg.Client.CancelChallenge(ctx, id)
	log := o.cfg.Log.With().Str("challenge", id).Logger()
	switch {
	case err == nil:
		log.Info().Msg("outgoing challenge not answered: canceled")
		o.resolve(id, answer{reason: opponent.NoAnswer})
	case lichess.IsTemporary(err), ctx.Err() != nil:
		log.Warn().Err(err).Msg("outgoing challenge not canceled")
		return err
	default:
		log.Debug().Err(err).Msg("outgoing challenge was answered")
		o.resolve(id, o.queryOutcome(ctx, id))
	}
	return nil
}

// recordCancel records that we are about to cancel a challenge: if it has just
// become a game, the game is aborted.
func (o *Outgoing) recordCancel(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.canceled, id) {
		o.canceled = append(o.canceled, id)
		o.canceled = slices.Delete(o.canceled, 0, max(0, len(o.canceled)-maxAnswered))
	}
}

// WasCanceled reports whether we sent a cancel for a challenge.
func (o *Outgoing) WasCanceled(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.canceled, id)
}

// queryOutcome asks the server for the outcome of a challenge that could not be
// canceled. Where the server does not show it, or the token lacks the scope
// challenge:read, the list of games in progress shows whether it was accepted.
func (o *Outgoing) queryOutcome(ctx context.Context, id string) answer {
	c, err := o.cfg.Client.ShowChallenge(ctx, id)
	switch {
	case err != nil:
		return answer{started: o.isPlaying(ctx, id), reason: opponent.NoAnswer}
	case c.Status == "declined":
		return answer{reason: reasonOf(c)}
	}
	return answer{started: c.Status == "accepted", reason: opponent.NoAnswer}
}

// isPlaying reports whether a game is listed as in progress.
func (o *Outgoing) isPlaying(ctx context.Context, id string) bool {
	games, err := o.cfg.Client.Playing(ctx)
	return err == nil && slices.ContainsFunc(games, func(g lichess.Game) bool { return g.ID == id })
}

// reasonOf returns the reason of a decline.
func reasonOf(c *lichess.Challenge) string {
	return strings.ToLower(cmp.Or(c.DeclineReasonKey, string(lichess.DeclineGeneric)))
}

// cancelAll cancels all open challenges, whose games nobody would play.
func (o *Outgoing) cancelAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelAllTimeout)
	defer cancel()
	for ctx.Err() == nil {
		id, _ := o.nextDue(time.Now())
		if id == "" {
			return
		}
		if o.cancel(ctx, id) != nil { // which has logged why
			o.resolve(id, answer{reason: opponent.NoAnswer})
		}
	}
}

// close answers all followers, present and future.
func (o *Outgoing) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, c := range o.open {
		close(c.resolved)
		if c.answer != nil {
			c.answer <- answer{reason: opponent.NoAnswer}
		}
	}
	clear(o.open)
}

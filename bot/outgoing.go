package bot

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// outgoingChallenges sees the challenges of ours to their end, whoever sent them: the
// matchmaker, a game's rematch, or an earlier run that was killed. It alone takes
// them back. Lichess shows a real-time challenge as expired after 20 s, says so to
// nobody, and still lets it be accepted: a game would begin that nobody expects.
//
// The event stream tells of each challenge and of each answer; it may be faster
// than the reply that tells the sender the id. Each sender who follows its
// challenge gets one answer.
type outgoingChallenges struct {
	bot             *Bot
	changed         chan struct{} // something is open
	lookupRequested chan struct{} // something may be open that the event stream has not told of

	mu       sync.Mutex
	open     map[string]openChallenge // by id
	answered []closedChallenge        // that nobody followed, the newest last
	canceled []string                 // ids for which we sent a cancel, the newest last
	closed   bool                     // nobody takes anything back any more
}

// openChallenge is a challenge of ours that waits for its answer.
type openChallenge struct {
	due    time.Time     // when to take it back
	answer chan<- answer // buffered; nil if nobody follows it
}

// answer is what became of a challenge of ours.
type answer struct {
	started bool
	reason  string // why not; Lichess's key in lower case, or one of ours
}

// closedChallenge is a challenge, ours or not, that came to its end before anybody
// followed it.
type closedChallenge struct {
	id string
	answer
}

const (
	// maxAnswered is how many answers wait for the sender to know the id.
	maxAnswered = 64
	// cancelAllTimeout bounds what the end of the bot waits for challenges that are
	// open.
	cancelAllTimeout = 3 * time.Second
)

func newOutgoingChallenges(b *Bot) *outgoingChallenges {
	return &outgoingChallenges{bot: b, changed: make(chan struct{}, 1), lookupRequested: make(chan struct{}, 1), open: map[string]openChallenge{}}
}

// add notes a challenge of ours. One without a clock does not expire.
func (o *outgoingChallenges) add(c *lichess.Challenge) {
	if c.TimeControl.Type != lichess.ClockControl || o.bot.slots.inPhase(c.ID, live) {
		return
	}
	o.mu.Lock()
	if _, known := o.open[c.ID]; !known && o.indexOf(c.ID) < 0 {
		o.open[c.ID] = openChallenge{due: o.deadline(o.bot.timing.outgoingTimeout)}
	}
	o.mu.Unlock()
	signal(o.changed)
}

// follow lets a challenge of ours wait for so long, and returns what tells once
// what became of it.
func (o *outgoingChallenges) follow(id string, timeout time.Duration) <-chan answer {
	result := make(chan answer, 1)
	o.mu.Lock()
	switch i := o.indexOf(id); {
	case i >= 0:
		result <- o.answered[i].answer
		o.answered = slices.Delete(o.answered, i, i+1)
	case o.closed:
		result <- answer{reason: refusedNoAnswer}
	default:
		o.open[id] = openChallenge{due: o.deadline(timeout), answer: result}
	}
	o.mu.Unlock()
	signal(o.changed)
	return result
}

// indexOf returns where the answer to a challenge is remembered, -1 if there is none.
func (o *outgoingChallenges) indexOf(id string) int {
	return slices.IndexFunc(o.answered, func(a closedChallenge) bool { return a.id == id })
}

// deadline returns when a challenge is due that may wait for so long. While the bot
// drains, none may.
func (o *outgoingChallenges) deadline(wait time.Duration) time.Time {
	if o.bot.isDraining() {
		wait = 0
	}
	return time.Now().Add(wait)
}

// resolve notes what became of a challenge, ours or not.
func (o *outgoingChallenges) resolve(id string, a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.open[id]
	delete(o.open, id)
	if c.answer != nil {
		c.answer <- a
		return
	}
	if i := o.indexOf(id); i >= 0 {
		o.answered = slices.Delete(o.answered, i, i+1)
	}
	o.answered = append(o.answered, closedChallenge{id, a})
	o.answered = slices.Delete(o.answered, 0, max(0, len(o.answered)-maxAnswered))
}

// requestLookup has the server asked for challenges that the event stream has not told
// of.
func (o *outgoingChallenges) requestLookup() { signal(o.lookupRequested) }

// run takes challenges back until the context ends; at the end, and when the bot
// drains, all that are open.
func (o *outgoingChallenges) run(ctx context.Context) error {
	defer o.close()
	lookup, draining := o.lookupRequested, o.bot.draining
	next := o.bot.timing.retry.start()
	for {
		id, wait := o.nextDue(time.Now())
		var due <-chan time.Time
		if id != "" {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			o.cancelAll(ctx)
			return ctx.Err()
		case <-draining:
			o.expireAll()
			draining = nil
		case <-lookup:
			if !o.loadOpen(ctx) {
				lookup = nil
			}
		case <-o.changed:
		case <-due:
			if err := o.cancel(ctx, id); err != nil {
				o.postpone(id, nextWait(err, next))
			} else {
				next.Reset()
			}
		}
	}
}

// loadOpen notes the challenges that the server has, such as those of an earlier
// run. It reports whether it makes sense to ask again: not if the token is not
// allowed to.
func (o *outgoingChallenges) loadOpen(ctx context.Context) bool {
	list, err := o.bot.opts.Client.Challenges(ctx)
	if err != nil {
		o.bot.log.Debug().Err(err).Msg("own challenges not listed")
		return !fatal(err)
	}
	for i := range list.Out {
		o.add(&list.Out[i])
	}
	return true
}

// nextDue returns the challenge that is due next, "" if none is open.
func (o *outgoingChallenges) nextDue(now time.Time) (id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for other, c := range o.open {
		if left := c.due.Sub(now); id == "" || left < wait {
			id, wait = other, left
		}
	}
	return id, wait
}

// postpone puts off a challenge that could not be taken back.
func (o *outgoingChallenges) postpone(id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c, open := o.open[id]; open {
		c.due = time.Now().Add(wait)
		o.open[id] = c
	}
}

// expireAll makes all challenges due.
func (o *outgoingChallenges) expireAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, c := range o.open {
		c.due = time.Now()
		o.open[id] = c
	}
}

// cancel cancels a challenge, unless it has become a game, which that would
// abort. It fails only where another try may help.
func (o *outgoingChallenges) cancel(ctx context.Context, id string) error {
	if o.bot.slots.inPhase(id, live) {
		o.resolve(id, answer{started: true})
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	o.recordCancel(id)
	err := o.bot.opts.Client.CancelChallenge(ctx, id)
	log := o.bot.log.With().Str("challenge", id).Logger()
	switch {
	case err == nil:
		log.Info().Msg("own challenge not answered: taken back")
		o.resolve(id, answer{reason: refusedNoAnswer})
	case lichess.IsTemporary(err), ctx.Err() != nil:
		log.Warn().Err(err).Msg("own challenge not taken back")
		return err
	default:
		log.Debug().Err(err).Msg("own challenge was answered")
		o.resolve(id, o.queryOutcome(ctx, id))
	}
	return nil
}

// recordCancel remembers that we cancel a challenge, before that is sent: if it has
// just become a game, the game is aborted.
func (o *outgoingChallenges) recordCancel(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.canceled, id) {
		o.canceled = append(o.canceled, id)
		o.canceled = slices.Delete(o.canceled, 0, max(0, len(o.canceled)-maxAnswered))
	}
}

// wasCanceled reports whether we sent a cancel for a challenge.
func (o *outgoingChallenges) wasCanceled(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.canceled, id)
}

// queryOutcome asks the server what became of a challenge that could not be taken back. Only
// its game shows that it was accepted: where the server does not say, or not to a
// token without the scope challenge:read, the games in play do.
func (o *outgoingChallenges) queryOutcome(ctx context.Context, id string) answer {
	c, err := o.bot.opts.Client.ShowChallenge(ctx, id)
	switch {
	case err != nil:
		return answer{started: o.isPlaying(ctx, id), reason: refusedNoAnswer}
	case c.Status == "declined":
		return answer{reason: reasonOf(c)}
	}
	return answer{started: c.Status == "accepted", reason: refusedNoAnswer}
}

// isPlaying reports whether a game is in play, as far as the server tells.
func (o *outgoingChallenges) isPlaying(ctx context.Context, id string) bool {
	games, err := o.bot.opts.Client.Playing(ctx)
	return err == nil && slices.ContainsFunc(games, func(g lichess.Game) bool { return g.ID == id })
}

// reasonOf returns the key of a decline.
func reasonOf(c *lichess.Challenge) string {
	if c.DeclineReasonKey == "" {
		return strings.ToLower(string(lichess.DeclineGeneric))
	}
	return strings.ToLower(c.DeclineReasonKey)
}

// cancelAll leaves no challenge open that nobody would play.
func (o *outgoingChallenges) cancelAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelAllTimeout)
	defer cancel()
	for ctx.Err() == nil {
		id, _ := o.nextDue(time.Now())
		if id == "" {
			return
		}
		if o.cancel(ctx, id) != nil { // which has logged why
			o.resolve(id, answer{reason: refusedNoAnswer})
		}
	}
}

// close answers those who still follow a challenge, and whoever will.
func (o *outgoingChallenges) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, c := range o.open {
		if c.answer != nil {
			c.answer <- answer{reason: refusedNoAnswer}
		}
	}
	clear(o.open)
}

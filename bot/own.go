package bot

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// ownChallenges sees the challenges of ours to their end, whoever sent them: the
// matchmaker, a game's rematch, or an earlier run that was killed. It alone takes
// them back. Lichess shows a real-time challenge as expired after 20 s, says so to
// nobody, and still lets it be accepted: a game would begin that nobody expects.
//
// The event stream tells of each challenge and of each answer; it may be faster
// than the reply that tells the sender the id. Each sender who follows its
// challenge gets one answer.
type ownChallenges struct {
	bot  *Bot
	wake chan struct{} // something is open
	look chan struct{} // something may be open that the event stream has not told of

	mu       sync.Mutex
	open     map[string]outgoing // by id
	answered []answered          // that nobody followed, the newest last
	canceled []string            // ids for which we sent a cancel, the newest last
	closed   bool                // nobody takes anything back any more
}

// outgoing is a challenge of ours that waits for its answer.
type outgoing struct {
	due    time.Time     // when to take it back
	answer chan<- answer // buffered; nil if nobody follows it
}

// answer is what became of a challenge of ours.
type answer struct {
	started bool
	reason  string // why not; Lichess's key in lower case, or one of ours
}

// answered is a challenge, ours or not, that came to its end before anybody
// followed it.
type answered struct {
	id string
	answer
}

const (
	// rememberAnswered is how many answers wait for the sender to know the id.
	rememberAnswered = 64
	// takeBackAtEnd bounds what the end of the bot waits for challenges that are
	// open.
	takeBackAtEnd = 3 * time.Second
)

func newOwnChallenges(b *Bot) *ownChallenges {
	return &ownChallenges{bot: b, wake: make(chan struct{}, 1), look: make(chan struct{}, 1), open: map[string]outgoing{}}
}

// sent notes a challenge of ours. One without a clock does not expire.
func (o *ownChallenges) sent(c *lichess.Challenge) {
	if c.TimeControl.Type != lichess.ClockControl || o.bot.slots.is(c.ID, live) {
		return
	}
	o.mu.Lock()
	if _, known := o.open[c.ID]; !known && o.place(c.ID) < 0 {
		o.open[c.ID] = outgoing{due: o.dueIn(o.bot.pace.expireOwn)}
	}
	o.mu.Unlock()
	wake(o.wake)
}

// follow lets a challenge of ours wait for so long, and returns what tells once
// what became of it.
func (o *ownChallenges) follow(id string, patience time.Duration) <-chan answer {
	tell := make(chan answer, 1)
	o.mu.Lock()
	switch i := o.place(id); {
	case i >= 0:
		tell <- o.answered[i].answer
		o.answered = slices.Delete(o.answered, i, i+1)
	case o.closed:
		tell <- answer{reason: refusedNoAnswer}
	default:
		o.open[id] = outgoing{due: o.dueIn(patience), answer: tell}
	}
	o.mu.Unlock()
	wake(o.wake)
	return tell
}

// place returns where the answer to a challenge is remembered, -1 if there is none.
func (o *ownChallenges) place(id string) int {
	return slices.IndexFunc(o.answered, func(a answered) bool { return a.id == id })
}

// dueIn returns when a challenge is due that may wait for so long. While the bot
// drains, none may.
func (o *ownChallenges) dueIn(wait time.Duration) time.Time {
	if o.bot.isDraining() {
		wait = 0
	}
	return time.Now().Add(wait)
}

// settled notes what became of a challenge, ours or not.
func (o *ownChallenges) settled(id string, a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.open[id]
	delete(o.open, id)
	if c.answer != nil {
		c.answer <- a
		return
	}
	if i := o.place(id); i >= 0 {
		o.answered = slices.Delete(o.answered, i, i+1)
	}
	o.answered = append(o.answered, answered{id, a})
	o.answered = slices.Delete(o.answered, 0, max(0, len(o.answered)-rememberAnswered))
}

// search has the server asked for challenges that the event stream has not told
// of.
func (o *ownChallenges) search() { wake(o.look) }

// run takes challenges back until the context ends; at the end, and when the bot
// drains, all that are open.
func (o *ownChallenges) run(ctx context.Context) error {
	defer o.close()
	look, draining := o.look, o.bot.draining
	next := o.bot.pace.pauses.begin()
	for {
		id, wait := o.first(time.Now())
		var due <-chan time.Time
		if id != "" {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			o.takeBackAll(ctx)
			return ctx.Err()
		case <-draining:
			o.hurry()
			draining = nil
		case <-look:
			if !o.find(ctx) {
				look = nil
			}
		case <-o.wake:
		case <-due:
			if err := o.takeBack(ctx, id); err != nil {
				o.later(id, pauseAfter(err, next))
			} else {
				next.Reset()
			}
		}
	}
}

// find notes the challenges that the server has, such as those of an earlier
// run. It reports whether it makes sense to ask again: not if the token is not
// allowed to.
func (o *ownChallenges) find(ctx context.Context) bool {
	list, err := o.bot.opts.Client.Challenges(ctx)
	if err != nil {
		o.bot.log.Debug().Err(err).Msg("own challenges not listed")
		return !fatal(err)
	}
	for i := range list.Out {
		o.sent(&list.Out[i])
	}
	return true
}

// first returns the challenge that is due next, "" if none is open.
func (o *ownChallenges) first(now time.Time) (id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for other, c := range o.open {
		if left := c.due.Sub(now); id == "" || left < wait {
			id, wait = other, left
		}
	}
	return id, wait
}

// later puts off a challenge that could not be taken back.
func (o *ownChallenges) later(id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c, open := o.open[id]; open {
		c.due = time.Now().Add(wait)
		o.open[id] = c
	}
}

// hurry makes all challenges due.
func (o *ownChallenges) hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, c := range o.open {
		c.due = time.Now()
		o.open[id] = c
	}
}

// takeBack cancels a challenge, unless it has become a game, which that would
// abort. It fails only where another try may help.
func (o *ownChallenges) takeBack(ctx context.Context, id string) error {
	if o.bot.slots.is(id, live) {
		o.settled(id, answer{started: true})
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	o.noteCancel(id)
	err := o.bot.opts.Client.CancelChallenge(ctx, id)
	log := o.bot.log.With().Str("challenge", id).Logger()
	switch {
	case err == nil:
		log.Info().Msg("own challenge not answered: taken back")
		o.settled(id, answer{reason: refusedNoAnswer})
	case lichess.IsTemporary(err), ctx.Err() != nil:
		log.Warn().Err(err).Msg("own challenge not taken back")
		return err
	default:
		log.Debug().Err(err).Msg("own challenge was answered")
		o.settled(id, o.ask(ctx, id))
	}
	return nil
}

// noteCancel remembers that we cancel a challenge, before that is sent: if it has
// just become a game, the game is aborted.
func (o *ownChallenges) noteCancel(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.canceled, id) {
		o.canceled = append(o.canceled, id)
		o.canceled = slices.Delete(o.canceled, 0, max(0, len(o.canceled)-rememberAnswered))
	}
}

// wasCanceled reports whether we sent a cancel for a challenge.
func (o *ownChallenges) wasCanceled(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.canceled, id)
}

// ask asks the server what became of a challenge that could not be taken back. Only
// its game shows that it was accepted: where the server does not say, or not to a
// token without the scope challenge:read, the games in play do.
func (o *ownChallenges) ask(ctx context.Context, id string) answer {
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
func (o *ownChallenges) isPlaying(ctx context.Context, id string) bool {
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

// takeBackAll leaves no challenge open that nobody would play.
func (o *ownChallenges) takeBackAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackAtEnd)
	defer cancel()
	for ctx.Err() == nil {
		id, _ := o.first(time.Now())
		if id == "" {
			return
		}
		if o.takeBack(ctx, id) != nil { // which has logged why
			o.settled(id, answer{reason: refusedNoAnswer})
		}
	}
}

// close answers those who still follow a challenge, and whoever will.
func (o *ownChallenges) close() {
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

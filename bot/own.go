package bot

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// ownChallenges takes back challenges of ours that nobody answered, whoever sent
// them: the matchmaker, a game's rematch, or an earlier run that was killed.
// Lichess shows a real-time challenge as expired after 20 s, says so to nobody,
// and still lets it be accepted: a game would begin that nobody expects.
//
// The event stream tells of each challenge and of each answer. Whoever sends one
// may take it back sooner.
type ownChallenges struct {
	bot  *Bot
	wake chan struct{} // something is open
	look chan struct{} // something may be open that the event stream has not told of

	mu   sync.Mutex
	open map[string]time.Time // when to take back a challenge, by id
}

const (
	// afterWait is how much longer than the matchmaker we wait.
	afterWait = 5 * time.Second
	// takeBackAtEnd bounds what the end of the bot waits for challenges that are
	// open.
	takeBackAtEnd = 3 * time.Second
)

func newOwnChallenges(b *Bot) *ownChallenges {
	return &ownChallenges{bot: b, wake: make(chan struct{}, 1), look: make(chan struct{}, 1), open: map[string]time.Time{}}
}

// sent notes a challenge of ours. One without a clock does not expire.
func (o *ownChallenges) sent(c *lichess.Challenge) {
	if c.TimeControl.Type != lichess.ClockControl || o.bot.slots.is(c.ID, live) {
		return
	}
	wait := o.bot.pace.expireOwn
	if terms := o.bot.settings().Matchmaking; terms.Enabled {
		wait = max(wait, terms.Wait+afterWait)
	}
	o.mu.Lock()
	if _, known := o.open[c.ID]; !known {
		o.open[c.ID] = time.Now().Add(wait)
	}
	o.mu.Unlock()
	wake(o.wake)
}

// settled notes that a challenge was answered, ours or not.
func (o *ownChallenges) settled(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, id)
}

// search has the server asked for challenges that the event stream has not told
// of.
func (o *ownChallenges) search() { wake(o.look) }

// run takes challenges back until the context ends; at the end, and when the bot
// drains, all that are open.
func (o *ownChallenges) run(ctx context.Context) error {
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
			o.takeBackAll(ctx)
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
	for other, due := range o.open {
		if left := due.Sub(now); id == "" || left < wait {
			id, wait = other, left
		}
	}
	return id, wait
}

// later puts off a challenge that could not be taken back.
func (o *ownChallenges) later(id string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, open := o.open[id]; open {
		o.open[id] = time.Now().Add(wait)
	}
}

// takeBack cancels a challenge, unless it has become a game, which that would
// abort. It fails only where another try may help.
func (o *ownChallenges) takeBack(ctx context.Context, id string) error {
	if o.bot.slots.is(id, live) {
		o.settled(id)
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	err := o.bot.opts.Client.CancelChallenge(bounded, id)
	log := o.bot.log.With().Str("challenge", id).Logger()
	switch {
	case err == nil:
		log.Info().Msg("own challenge not answered: taken back")
	case lichess.IsTemporary(err), bounded.Err() != nil:
		log.Warn().Err(err).Msg("own challenge not taken back")
		return err
	default:
		log.Debug().Err(err).Msg("own challenge was answered")
	}
	o.settled(id)
	return nil
}

// takeBackAll leaves no challenge open that nobody would play.
func (o *ownChallenges) takeBackAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackAtEnd)
	defer cancel()
	o.mu.Lock()
	ids := slices.Sorted(maps.Keys(o.open))
	o.mu.Unlock()
	for _, id := range ids {
		if ctx.Err() != nil {
			return
		}
		_ = o.takeBack(ctx, id) // which has logged why
	}
}

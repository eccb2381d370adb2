package matchmaking

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/lichess"
)

// Challenger sends our challenges and follows each to its end, whoever wants it: the plan
// of [Challenger.Plan] or the operator. It alone cancels them, also those of an
// earlier run that was killed. Lichess shows a real-time challenge as expired after 20 s
// without any event, and still allows it to be accepted: a game would begin that nobody
// expects. The event stream reports each challenge and each answer, sometimes before the
// reply that gives the sender the id.
type Challenger struct {
	cfg             Config
	settingsChanged chan struct{} // capacity 1: the settings may have changed
	lookupRequested chan struct{} // capacity 1: the event stream may have missed an open challenge
	calls                         // the operator's challenges

	planner planner // belongs to the goroutine of Plan

	mu    sync.Mutex  // for all that follows
	known []*outgoing // the open ones, and the latest that are closed: a sender may not know the id yet
	// sending are the challenges that are being sent. The event stream has their ids even
	// when a reply is lost.
	sending []*sending
}

// NewChallenger returns a Challenger that knows of no challenges.
func NewChallenger(c Config) *Challenger {
	return &Challenger{
		cfg: c, settingsChanged: make(chan struct{}, 1), lookupRequested: make(chan struct{}, 1),
		calls: newCalls(),
		planner: planner{
			memory: c.Opponents, blocks: c.Blocks,
			random: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 64)), //nolint:gosec // no secret depends on it
		},
	}
}

// Notify makes Plan read the settings again.
func (c *Challenger) Notify() { event.Wake(c.settingsChanged) }

// Run sends the operator's challenges, and reads the list of challenges when that is
// requested, until the context ends.
func (c *Challenger) Run(ctx context.Context) error {
	defer close(c.ended)
	var lookups sync.WaitGroup
	defer lookups.Wait()
	lookups.Go(func() { c.followLookups(ctx) })
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case send := <-c.queue:
			c.cfg.Games.Go(func() { send(ctx) })
		}
	}
}

// Created handles a challenge of ours on the event stream, always its first event.
func (c *Challenger) Created(ctx context.Context, challenge *lichess.Challenge) {
	c.handleShown(ctx, challenge, c.cfg.Timing.AnswerTimeout)
}

// Canceled handles a challenge on the event stream, incoming or outgoing, that was
// cancelled.
func (c *Challenger) Canceled(id string) { c.close(id, outcome{reason: opponent.NoAnswer}) }

// Declined handles a challenge on the event stream, incoming or outgoing, that was
// declined.
func (c *Challenger) Declined(challenge *lichess.Challenge) {
	c.close(challenge.ID, outcome{reason: reasonOf(challenge)})
}

// Started handles a game on the event stream that has started.
func (c *Challenger) Started(id string) { c.close(id, outcome{started: true}) }

// RequestLookup requests the list of challenges, for those that the event stream has
// missed.
func (c *Challenger) RequestLookup() { event.Wake(c.lookupRequested) }

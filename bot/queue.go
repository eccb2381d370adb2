package bot

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/lichess"
)

// decide decides on a challenge by current knowledge and settings.
func (q *challengeQueue) decide(c *challenge) event.Decision {
	b, offer := q.bot, c.offer
	if p := c.Challenger; p != nil && p.ID != "" {
		offer.Listed = b.blocklist.Has(p)
		offer.Today = b.memory.CountStarted(opponent.ID(p), time.Now().Add(-day), b.slots.With(p.ID))
	}
	return b.settings().Policy.Decide(offer)
}

// next dequeues a challenge that can be answered now, with its slot reserved if it
// is to be accepted. If there is none, it returns a channel that fires when to check
// again, nil if the queue is empty. An accepted challenge is decided on again: its
// challenger may have started other games meanwhile, and the settings may have
// changed.
func (q *challengeQueue) next() (c *challenge, recheck <-chan time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropStarted()
	slices.SortStableFunc(q.waiting, q.bot.settings().Policy.Order.compare)
	patience := q.bot.timing.slotWait
	least := patience
	for i, c := range q.waiting {
		if wait := time.Until(c.retryAt); wait > 0 {
			least = min(least, wait)
			continue
		}
		if c.Accept {
			c.Decision = q.decide(c)
		}
		if c.Accept {
			slot, err := q.bot.slots.ReserveFor(c.ID, c.game())
			waited := time.Since(c.receivedAt)
			if err != nil && waited < patience && !errors.Is(err, slots.ErrDraining) || errors.Is(err, slots.ErrKnown) {
				least = min(least, patience-waited)
				continue
			}
			if err != nil {
				c.Decision = decline(lichess.DeclineLater, err.Error())
			}
			c.slot = slot
		}
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return c, nil
	}
	if len(q.waiting) > 0 {
		recheck = time.After(least)
	}
	return nil, recheck
}

// dropStarted drops the challenges whose games have started without our answer: the
// account's owner may have accepted. The caller holds the lock.
func (q *challengeQueue) dropStarted() {
	q.waiting = slices.DeleteFunc(q.waiting, func(c *challenge) bool {
		started := q.bot.slots.Has(c.ID)
		if started {
			q.bot.emit(event.ChallengeClosed{ID: c.ID, Outcome: event.Accepted, Rule: "its game has started"})
		}
		return started
	})
}

// compare orders challenges by priority. Declines come first: they need no slot.
func (o Order) compare(a, b *challenge) int {
	if a.Accept != b.Accept || !a.Accept {
		return cmp.Or(cmp.Compare(boolToInt(a.Accept), boolToInt(b.Accept)), a.receivedAt.Compare(b.receivedAt))
	}
	byTime := a.receivedAt.Compare(b.receivedAt)
	if o == FirstCome {
		return byTime
	}
	return cmp.Or(
		cmp.Compare(boolToInt(a.Challenger.IsBot()), boolToInt(b.Challenger.IsBot())),
		-cmp.Compare(a.Challenger.Rating, b.Challenger.Rating),
		byTime,
	)
}

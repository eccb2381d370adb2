package bot

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// decide decides on a challenge by what is known now.
func (q *challengeQueue) decide(c *challenge) Decision {
	b, offer := q.bot, c.offer
	if p := c.Challenger; p != nil && p.ID != "" {
		offer.Listed = b.blocklist.Has(p)
		offer.Today = b.memory.countStarted(idOf(p), time.Now().Add(-day), b.slots.gamesWith(p.ID))
	}
	return b.settings().Policy.Decide(offer)
}

// next takes a challenge that can be answered now from the queue, its slot
// taken if it is to be accepted. If there is none, it returns a channel that says
// when the oldest has waited for too long, nil if none waits.
//
// A challenge that was good when it came is judged once more: its challenger may
// have begun other games meanwhile, and the settings may have changed.
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
			err := q.bot.slots.reserve(c.ID, c.participant())
			waited := time.Since(c.receivedAt)
			if err != nil && waited < patience && !errors.Is(err, errDraining) || errors.Is(err, errKnown) {
				least = min(least, patience-waited)
				continue
			}
			if err != nil {
				c.Decision = decline(lichess.DeclineLater, err.Error())
			}
		}
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return c, nil
	}
	if len(q.waiting) > 0 {
		recheck = time.After(least)
	}
	return nil, recheck
}

// dropStarted forgets the challenges whose games have begun without our answer: the
// account's owner may have given it. The caller holds the lock.
func (q *challengeQueue) dropStarted() {
	q.waiting = slices.DeleteFunc(q.waiting, func(c *challenge) bool {
		started := q.bot.slots.has(c.ID)
		if started {
			q.bot.emit(ChallengeClosed{c.ID, Accepted, "its game has begun"})
		}
		return started
	})
}

// compare orders challenges by who is answered first. Declines come before all:
// they cost no slot.
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

package bot

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// judge decides on a challenge by what is known now.
func (d *desk) judge(c *challenge) Decision {
	b, offer := d.bot, c.offer
	if p := c.Challenger; p != nil && p.ID != "" {
		offer.Listed = b.blocklist.Has(p)
		offer.Today = b.memory.begun(idOf(p), time.Now().Add(-day), b.slots.with(p.ID))
	}
	return b.settings().Policy.Decide(offer)
}

// next takes a challenge that can be answered now from the queue, its slot
// taken if it is to be accepted. If there is none, it returns a channel that says
// when the oldest has waited for too long, nil if none waits.
//
// A challenge that was good when it came is judged once more: its challenger may
// have begun other games meanwhile, and the settings may have changed.
func (d *desk) next() (c *challenge, again <-chan time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropBegun()
	slices.SortStableFunc(d.waiting, d.bot.settings().Policy.Order.compare)
	patience := d.bot.pace.challengeWait
	least := patience
	for i, c := range d.waiting {
		if wait := time.Until(c.retryAt); wait > 0 {
			least = min(least, wait)
			continue
		}
		if c.Accept {
			c.Decision = d.judge(c)
		}
		if c.Accept {
			err := d.bot.slots.take(c.ID, c.party())
			waited := time.Since(c.came)
			if err != nil && waited < patience && !errors.Is(err, errDraining) || errors.Is(err, errKnown) {
				least = min(least, patience-waited)
				continue
			}
			if err != nil {
				c.Decision = decline(lichess.DeclineLater, err.Error())
			}
		}
		d.waiting = slices.Delete(d.waiting, i, i+1)
		return c, nil
	}
	if len(d.waiting) > 0 {
		again = time.After(least)
	}
	return nil, again
}

// dropBegun forgets the challenges whose games have begun without our answer: the
// account's owner may have given it. The caller holds the lock.
func (d *desk) dropBegun() {
	d.waiting = slices.DeleteFunc(d.waiting, func(c *challenge) bool {
		begun := d.bot.slots.has(c.ID)
		if begun {
			d.bot.tell(ChallengeClosed{c.ID, Accepted, "its game has begun"})
		}
		return begun
	})
}

// compare orders challenges by who is answered first. Declines come before all:
// they cost no slot.
func (o Order) compare(a, b *challenge) int {
	if a.Accept != b.Accept || !a.Accept {
		return cmp.Or(cmp.Compare(rank(a.Accept), rank(b.Accept)), a.came.Compare(b.came))
	}
	byTime := a.came.Compare(b.came)
	if o == FirstCome {
		return byTime
	}
	return cmp.Or(
		cmp.Compare(rank(a.Challenger.IsBot()), rank(b.Challenger.IsBot())),
		-cmp.Compare(a.Challenger.Rating, b.Challenger.Rating),
		byTime,
	)
}

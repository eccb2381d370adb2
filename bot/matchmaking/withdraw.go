package matchmaking

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// Reasons why a challenge of ours ended through ourselves.
const (
	withdrawn = "cancelled by the operator"
	replaced  = "replaced by our next challenge"
)

// isOurs reports whether a challenge ended through ourselves.
func (a answer) isOurs() bool { return a.reason == withdrawn || a.reason == replaced }

// OpenChallenge is an outgoing challenge that nobody has answered.
type OpenChallenge struct {
	ID       string
	Opponent string    // name; "" if unknown
	CancelAt time.Time // unless it is answered before
}

// Open returns the outgoing challenges that nobody has answered, the first to be cancelled
// first.
func (o *Outgoing) Open() []OpenChallenge {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := make([]OpenChallenge, 0, len(o.open))
	for id, c := range o.open {
		list = append(list, OpenChallenge{id, c.opponent, c.due})
	}
	slices.SortFunc(list, func(a, b OpenChallenge) int { return cmp.Or(a.CancelAt.Compare(b.CancelAt), cmp.Compare(a.ID, b.ID)) })
	return list
}

// Withdrawal is a challenge that Withdraw has had cancelled.
type Withdrawal struct {
	ID, Opponent string
	Started      bool // too late: it was accepted
}

// Withdraw has all open challenges cancelled, and waits until they are.
func (o *Outgoing) Withdraw(ctx context.Context) ([]Withdrawal, error) {
	open := o.withdrawAll()
	signal(o.changed)
	var list []Withdrawal
	for _, id := range slices.Sorted(maps.Keys(open)) {
		c := open[id]
		select {
		case <-c.resolved:
		case <-ctx.Done():
			return list, ctx.Err()
		}
		list = append(list, Withdrawal{id, c.opponent, c.started})
	}
	return list, nil
}

// withdrawAll marks all open challenges and returns them by id.
func (o *Outgoing) withdrawAll() map[string]*openChallenge {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.open {
		c.withdrawn, c.due = true, time.Now()
	}
	return maps.Clone(o.open)
}

package soak

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/zhbot/zhbot/internal/sandbox"
	"github.com/zhbot/zhbot/internal/wiring"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// faultInjector lets things go wrong at random until its context ends.
type faultInjector struct {
	server       *lichesstest.Server
	secondClient *lichess.Client // another program with the same token
	disk         *disk
	engine       *panickingEngine
	rng          *rand.Rand
	every        time.Duration // from the end of an outage to the next, on average
	until        time.Time     // when the present outage is over
	counts       map[string]int
}

const (
	// longestOutage bounds what the clocks do not.
	longestOutage = 10 * time.Second
	// shortestOutage is not worth the name.
	shortestOutage = 100 * time.Millisecond
	// detectionTime is what a silent stream costs that is seen to be dead.
	detectionTime = wiring.StreamIdle + 3*time.Second
)

// run switches on the faults. All outages within one turn take no more than half
// of the clock it began with, and a stream is left to fall silent only where
// noticing it takes no more than that.
func (a *faultInjector) run(ctx context.Context, faults *Faults) {
	a.server.Faults.Random(faults.rates())
	a.server.Faults.MinClock(2 * detectionTime)
	kinds := faults.outages()
	defer a.disk.restore()
	for len(kinds) > 0 {
		wait := time.Duration(a.rng.ExpFloat64() * float64(a.every))
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(0, time.Until(a.until)) + wait):
		}
		most, on := a.server.OutageBudget(sandbox.Bot)
		if !on {
			// Nothing is to be disturbed but the way of the next challenge, on which
			// all cuts would gather.
			a.server.Faults.CutStreams(0)
			a.server.Faults.StallStreams(0)
			continue
		}
		if most < shortestOutage {
			continue
		}
		kind := a.pickKind(kinds)
		a.counts[kind]++
		outages[kind].begin(a, most)
	}
}

// pickKind draws a kind by its weight.
func (a *faultInjector) pickKind(kinds []string) string {
	total := 0
	for _, kind := range kinds {
		total += outages[kind].weight
	}
	n := a.rng.IntN(total)
	for _, kind := range kinds {
		if n -= outages[kind].weight; n < 0 {
			return kind
		}
	}
	panic("weights do not add up")
}

// randomDuration draws the duration of an outage, up to a bound.
func (a *faultInjector) randomDuration(most time.Duration) time.Duration {
	most = min(most, longestOutage)
	d := shortestOutage + time.Duration(a.rng.Int64N(int64(most-shortestOutage)+1))
	a.until = time.Now().Add(d)
	return d
}

// stall lets a stream fall silent, if there is the time to see it.
func (a *faultInjector) stall(most time.Duration) {
	if most > detectionTime {
		a.server.Faults.StallStreams(1)
	}
}

// slow cuts a stream and lets those that are opened from now on be slow to begin,
// if there is the time to wait for them: the bot gives up some before.
func (a *faultInjector) slow(most time.Duration) {
	if most /= 3; most > shortestOutage {
		by := a.randomDuration(most)
		a.until = a.until.Add(by)
		a.server.Faults.SlowStreams(by, by)
		a.server.Faults.CutStreams(1)
	}
}

// blackHole swallows connections, if there is the time to see it.
func (a *faultInjector) blackHole(most time.Duration) {
	if most > blackHoleCost {
		a.server.Faults.BlackHole(1)
	}
}

// blackHoleCost is how long a move may hang in a connection that nobody answers.
const blackHoleCost = 3 * time.Second

// limit answers a class of requests with 429 for a while, in one of the forms
// that are known.
func (a *faultInjector) limit(most time.Duration) {
	classes := []string{"move", "command", "chat", "challenge", "account", "game"}
	class := classes[a.rng.IntN(len(classes))]
	style := []lichesstest.LimitStyle{
		lichesstest.LimitPlain, lichesstest.LimitSeconds, lichesstest.LimitRetryAfter, lichesstest.LimitHTML,
	}[a.rng.IntN(4)]
	a.server.Faults.Limit(class, a.randomDuration(most), style)
}

// leave lets the opponent of a game go away: for a moment, or for so long that the
// win can be claimed.
func (a *faultInjector) leave() {
	ids := a.server.Playing(sandbox.Bot)
	if len(ids) == 0 {
		return
	}
	id := ids[a.rng.IntN(len(ids))]
	game, _ := a.server.Game(id)
	opponent, _, _ := sandbox.Outcome(game)
	a.server.Perform(id, opponent, lichesstest.Action{Leave: time.Duration(a.rng.Int64N(int64(3 * claimAfter)))})
}

// gift gives both players of a game 15 s, as a player may.
func (a *faultInjector) gift() {
	if ids := a.server.Playing(sandbox.Bot); len(ids) > 0 {
		a.server.AddTime(ids[a.rng.IntN(len(ids))], 15*time.Second)
	}
}

// secondInstance does what another start of the bot would: its event stream ends
// the first one's, and its stream of a game the first one's of that game.
func (a *faultInjector) secondInstance() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if stream, err := a.secondClient.StreamEvents(ctx); err == nil {
		stream.Close()
	}
	if _, err := a.secondClient.Account(ctx); err != nil { // for the same User-Agent
		return
	}
	if ids := a.server.Playing(sandbox.Bot); len(ids) > 0 { // one is enough
		if stream, err := a.secondClient.StreamGame(ctx, ids[0]); err == nil {
			stream.Close()
		}
	}
}

package soak

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zhbot/zhbot/internal/sandbox"
	"github.com/zhbot/zhbot/internal/wiring"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// faultInjector injects faults at random until its context ends. Its goroutine alone uses
// its fields.
type faultInjector struct {
	server       *lichesstest.Server
	secondClient *lichess.Client // another program with the same token
	disk         *disk
	engine       *panickingEngine
	programs     *programs    // nil without an engine program in this process
	child        *child       // nil if the bot is in this process
	names        *nameServers // of the child; nil if they are the system's
	rng          *rand.Rand
	every        time.Duration // from the end of an outage to the next, on average
	until        time.Time     // when the present outage is over
	killed       time.Time     // the bot, last
	counts       map[string]int
}

const (
	// longestOutage bounds what the clocks do not.
	longestOutage = 10 * time.Second
	// shortestOutage: a shorter one would not be noticed.
	shortestOutage = 100 * time.Millisecond
	// detectionTime is what a silent stream costs until it is known to be dead.
	detectionTime = wiring.StreamIdle + 3*time.Second
	// blackHoleCost is how long a move may hang in a connection that nobody answers.
	blackHoleCost = 3 * time.Second
	// restartCost is what a kill costs until the bot plays again: one of its first calls may
	// hang in a connection that nobody answers.
	restartCost = 6 * time.Second
	// recovery is how long after a kill its cost still reduces what outages may take.
	recovery = 20 * time.Second
)

// run injects faults. All outages within one turn take no more than half of the clock it
// began with, and a stream falls silent only where detecting that takes no longer.
func (f *faultInjector) run(ctx context.Context, faults *Faults) {
	f.server.Faults.Random(faults.rates())
	f.server.Faults.MinClock(2 * detectionTime)
	kinds := faults.outages(f.canHit)
	defer f.disk.restore()
	for len(kinds) > 0 {
		wait := time.Duration(f.rng.ExpFloat64() * float64(f.every))
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(0, time.Until(f.until)) + wait):
		}
		budget, playing := f.server.OutageBudget(sandbox.Bot)
		if !playing {
			// Without a game all cuts would hit the next challenge.
			f.server.Faults.CutStreams(0)
			f.server.Faults.StallStreams(0)
			continue
		}
		if time.Since(f.killed) < recovery { // the server does not know of it
			budget -= restartCost
		}
		if budget < shortestOutage {
			continue
		}
		affordable := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return faultKinds[kind].cost >= budget })
		if len(affordable) == 0 {
			continue
		}
		kind := f.pickKind(affordable)
		f.counts[kind]++
		faultKinds[kind].begin(f, budget)
	}
}

// canHit reports whether there is what a kind of fault hits.
func (f *faultInjector) canHit(t target) bool {
	switch t {
	case hitsProcess:
		return f.child == nil
	case hitsProgram:
		return f.programs != nil
	case hitsChild:
		return f.child != nil
	case hitsNameServers:
		return f.names != nil
	}
	return true
}

// pickKind draws a kind by its weight.
func (f *faultInjector) pickKind(kinds []string) string {
	total := 0
	for _, kind := range kinds {
		total += faultKinds[kind].weight
	}
	n := f.rng.IntN(total)
	for _, kind := range kinds {
		if n -= faultKinds[kind].weight; n < 0 {
			return kind
		}
	}
	panic("weights do not add up")
}

// upTo draws a duration below a bound.
func (f *faultInjector) upTo(bound time.Duration) time.Duration {
	return time.Duration(f.rng.Int64N(int64(bound)))
}

// randomDuration draws the duration of an outage, up to a bound.
func (f *faultInjector) randomDuration(budget time.Duration) time.Duration {
	budget = min(budget, longestOutage)
	d := shortestOutage + f.upTo(budget-shortestOutage+1)
	f.until = time.Now().Add(d)
	return d
}

// slow cuts a stream and delays those that are opened from now on, in which the bot may
// give up on one first.
func (f *faultInjector) slow(budget time.Duration) {
	by := f.randomDuration(budget / 3)
	f.until = f.until.Add(by)
	f.server.Faults.SlowStreams(by, by)
	f.server.Faults.CutStreams(1)
}

// limit answers a class of requests with 429 for a while, in one of the forms
// that are known.
func (f *faultInjector) limit(budget time.Duration) {
	classes := []string{"move", "command", "chat", "challenge", "account", "game"}
	class := classes[f.rng.IntN(len(classes))]
	style := []lichesstest.LimitStyle{
		lichesstest.LimitPlain, lichesstest.LimitSeconds, lichesstest.LimitRetryAfter, lichesstest.LimitHTML,
	}[f.rng.IntN(4)]
	f.server.Faults.Limit(class, f.randomDuration(budget), style)
}

// leave makes the opponent of a game leave: for a moment, or long enough that the win can
// be claimed.
func (f *faultInjector) leave() {
	ids := f.server.Playing(sandbox.Bot)
	if len(ids) == 0 {
		return
	}
	id := ids[f.rng.IntN(len(ids))]
	game, _ := f.server.Game(id)
	f.server.Perform(id, sandbox.OutcomeOf(game).Opponent, lichesstest.Action{Leave: f.upTo(3 * claimAfter)})
}

// gift gives both players of a game 15 s, as a player may.
func (f *faultInjector) gift() {
	if ids := f.server.Playing(sandbox.Bot); len(ids) > 0 {
		f.server.AddTime(ids[f.rng.IntN(len(ids))], 15*time.Second)
	}
}

// secondInstance does what another start of the bot would: its event stream ends
// the first one's, and its stream of a game the first one's of that game.
func (f *faultInjector) secondInstance() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if stream, err := f.secondClient.StreamEvents(ctx); err == nil {
		stream.Close()
	}
	if _, err := f.secondClient.Account(ctx); err != nil { // for the same User-Agent
		return
	}
	if ids := f.server.Playing(sandbox.Bot); len(ids) > 0 { // one is enough
		if stream, err := f.secondClient.StreamGame(ctx, ids[0]); err == nil {
			stream.Close()
		}
	}
}

// kill kills the bot.
func (f *faultInjector) kill() {
	f.killed = time.Now()
	f.until = f.killed.Add(restartCost)
	f.child.kill()
}

// silenceNames has no name server answer for a while in which connections have to be
// opened. A bot that starts in it would know no address.
func (f *faultInjector) silenceNames() {
	d := f.upTo(longestOutage)
	f.until = time.Now().Add(d)
	f.names.second.SetSilent(true)
	time.AfterFunc(d, func() { f.names.second.SetSilent(false) })
	f.server.Faults.CutStreams(1 + f.rng.IntN(3))
}

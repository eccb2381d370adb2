package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/internal/wiring"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Chances of the faults that withhold nothing worth a second, for each line of
// a stream or each request.
const (
	rareFault     = 0.02
	frequentFault = 0.1
)

// mildFaults are those that withhold nothing.
var mildFaults = map[string]func(*lichesstest.Rates){
	"duplicate": func(r *lichesstest.Rates) { r.Duplicate = frequentFault }, // lines that come twice
	"odd":       func(r *lichesstest.Rates) { r.Noise = frequentFault },     // lines unknown or malformed
	"chunk":     func(r *lichesstest.Rates) { r.OneByte = frequentFault },   // lines in packets of one byte
	"lose":      func(r *lichesstest.Rates) { r.Lose = rareFault },          // requests done, replies lost
	"fail":      func(r *lichesstest.Rates) { r.Fail = rareFault },          // a 503 now and then
	"stray":     func(r *lichesstest.Rates) { r.Stray = frequentFault },     // a game's stream or a move refused with a page
	"late":      func(r *lichesstest.Rates) { r.Late = frequentFault },      // a game's first line after a later one
	"early":     func(r *lichesstest.Rates) { r.EarlyClaim = 0.5 },          // claims of the win before their time
}

// costlyFaults come by chance too, but cost time. They spare those who have little.
var costlyFaults = map[string]func(*lichesstest.Rates){
	"miss": func(r *lichesstest.Rates) { r.Miss = frequentFault }, // games' streams that miss a move
}

// outage is a fault that keeps the bot from playing, for a time at most.
type outage struct {
	weight int // how often it comes, compared to others
	begin  func(a *faultInjector, most time.Duration)
}

// outages are the faults that withhold something.
var outages = map[string]outage{
	"cut":   {6, func(a *faultInjector, _ time.Duration) { a.server.Faults.CutStreams(1 + a.rng.IntN(3)) }},
	"stall": {6, (*faultInjector).stall},
	"hole":  {6, (*faultInjector).blackHole},
	"slow":  {4, (*faultInjector).slow},
	"down":  {6, func(a *faultInjector, most time.Duration) { a.server.Faults.Down(a.randomDuration(most)) }},
	"limit": {6, (*faultInjector).limit},
	"gift":  {6, func(a *faultInjector, _ time.Duration) { a.gift() }},
	"disk":  {2, func(a *faultInjector, _ time.Duration) { a.disk.fill(time.Duration(a.rng.Int64N(int64(time.Minute)))) }},
	"stuck": {4, func(a *faultInjector, _ time.Duration) {
		a.disk.block(time.Duration(a.rng.Int64N(int64(longestOutage))))
	}},
	"panic": {4, func(a *faultInjector, _ time.Duration) { a.engine.due.Add(int64(1 + a.rng.IntN(3))) }},
	"leave": {4, func(a *faultInjector, _ time.Duration) { a.leave() }},
	// These cost openings of the event stream, of which there are 30 in 10 minutes.
	"restart": {1, func(a *faultInjector, most time.Duration) { a.server.Restart(a.randomDuration(most)) }},
	"second":  {1, func(a *faultInjector, _ time.Duration) { a.secondInstance() }},
}

// faultSet is a flag value: "all", "mild", "none", or kinds of fault.
type faultSet struct{ kinds []string }

func allFaults() []string {
	kinds := slices.AppendSeq(slices.Collect(maps.Keys(mildFaults)), maps.Keys(costlyFaults))
	kinds = slices.AppendSeq(kinds, maps.Keys(outages))
	slices.Sort(kinds)
	return kinds
}

// Set implements pflag.Value.
func (f *faultSet) Set(text string) error {
	switch text {
	case "all":
		f.kinds = allFaults()
		return nil
	case "mild":
		f.kinds = slices.Sorted(maps.Keys(mildFaults))
		return nil
	case "none":
		f.kinds = nil
		return nil
	}
	known := allFaults()
	f.kinds = strings.Split(text, ",")
	for _, kind := range f.kinds {
		if !slices.Contains(known, kind) {
			return fmt.Errorf("fault %q: want all, mild, none, or some of %s", kind, strings.Join(known, ","))
		}
	}
	return nil
}

// String implements pflag.Value.
func (f *faultSet) String() string {
	switch {
	case len(f.kinds) == 0:
		return "none"
	case slices.Equal(f.kinds, allFaults()):
		return "all"
	case slices.Equal(f.kinds, slices.Sorted(maps.Keys(mildFaults))):
		return "mild"
	}
	return strings.Join(f.kinds, ",")
}

// Type implements pflag.Value.
func (f *faultSet) Type() string { return "faults" }

// rates are the chances of the set's faults that come by chance.
func (f *faultSet) rates() (r lichesstest.Rates) {
	for _, kind := range f.kinds {
		for _, faults := range []map[string]func(*lichesstest.Rates){mildFaults, costlyFaults} {
			if set := faults[kind]; set != nil {
				set(&r)
			}
		}
	}
	return r
}

// outages are the kinds of the set that withhold something.
func (f *faultSet) outages() (kinds []string) {
	for _, kind := range f.kinds {
		if _, known := outages[kind]; known {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

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
func (a *faultInjector) run(ctx context.Context, faults *faultSet) {
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
		most, on := a.server.OutageBudget(demoBot)
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
	ids := a.server.Playing(demoBot)
	if len(ids) == 0 {
		return
	}
	id := ids[a.rng.IntN(len(ids))]
	game, _ := a.server.Game(id)
	opponent, _, _ := outcome(game)
	a.server.Perform(id, opponent, lichesstest.Action{Leave: time.Duration(a.rng.Int64N(int64(3 * claimAfter)))})
}

// gift gives both players of a game 15 s, as a player may.
func (a *faultInjector) gift() {
	if ids := a.server.Playing(demoBot); len(ids) > 0 {
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
	if ids := a.server.Playing(demoBot); len(ids) > 0 { // one is enough
		if stream, err := a.secondClient.StreamGame(ctx, ids[0]); err == nil {
			stream.Close()
		}
	}
}

package soak

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Probabilities of the faults that come by chance, for each line of a stream or each
// request.
const (
	rareFault     = 0.02
	frequentFault = 0.1
)

// faultKind is a kind of fault: one that comes by chance, or an outage.
type faultKind struct {
	mild bool                     // costs no time
	rate func(*lichesstest.Rates) // sets its chance; nil for an outage

	weight int           // how often an outage comes, compared to others
	cost   time.Duration // of the clock, which must be left
	hits   target        // beside server and network
	begin  func(f *faultInjector, budget time.Duration)
}

// target is what a fault hits, if not the server or the network.
type target int

const (
	hitsServer  target = iota
	hitsProcess        // this one, with the bot in it
	hitsProgram        // a process of the engine program
	hitsChild          // the bot as a child
	hitsNameServers
)

var faultKinds = map[string]faultKind{
	"duplicate": {mild: true, rate: func(r *lichesstest.Rates) { r.Duplicate = frequentFault }}, // lines that come twice
	"odd":       {mild: true, rate: func(r *lichesstest.Rates) { r.Noise = frequentFault }},     // lines unknown or malformed
	"chunk":     {mild: true, rate: func(r *lichesstest.Rates) { r.OneByte = frequentFault }},   // lines in packets of one byte
	"lose":      {mild: true, rate: func(r *lichesstest.Rates) { r.Lose = rareFault }},          // requests done, replies lost
	"fail":      {mild: true, rate: func(r *lichesstest.Rates) { r.Fail = rareFault }},          // a 503 now and then
	"stray":     {mild: true, rate: func(r *lichesstest.Rates) { r.Stray = frequentFault }},     // a game's stream or a move refused with a page
	"token":     {mild: true, rate: func(r *lichesstest.Rates) { r.Unauthorized = rareFault }},  // refused with a 401 now and then
	"late":      {mild: true, rate: func(r *lichesstest.Rates) { r.Late = frequentFault }},      // a game's first line after a later one
	"early":     {mild: true, rate: func(r *lichesstest.Rates) { r.EarlyClaim = 0.5 }},          // claims of the win before their time
	// It comes by chance, too, but costs time. A bot that has little is spared.
	"miss": {rate: func(r *lichesstest.Rates) { r.Miss = frequentFault }}, // games' streams that miss a move

	// These are outages. One that keeps the bot from playing lasts for at most budget.
	"cut":   {weight: 6, begin: func(f *faultInjector, _ time.Duration) { f.server.Faults.CutStreams(1 + f.rng.IntN(3)) }},
	"stall": {weight: 6, cost: detectionTime, begin: func(f *faultInjector, _ time.Duration) { f.server.Faults.StallStreams(1) }},
	"hole":  {weight: 6, cost: blackHoleCost, begin: func(f *faultInjector, _ time.Duration) { f.server.Faults.BlackHole(1) }},
	"slow":  {weight: 4, cost: 3 * shortestOutage, begin: (*faultInjector).slow},
	"down":  {weight: 6, begin: func(f *faultInjector, budget time.Duration) { f.server.Faults.Down(f.randomDuration(budget)) }},
	"limit": {weight: 6, begin: (*faultInjector).limit},
	"gift":  {weight: 6, begin: func(f *faultInjector, _ time.Duration) { f.gift() }},
	"disk":  {hits: hitsProcess, weight: 2, begin: func(f *faultInjector, _ time.Duration) { f.disk.fill(f.upTo(time.Minute)) }},
	"stuck": {hits: hitsProcess, weight: 4, begin: func(f *faultInjector, _ time.Duration) { f.disk.block(f.upTo(longestOutage)) }},
	"panic": {hits: hitsProcess, weight: 4, begin: func(f *faultInjector, _ time.Duration) { f.engine.due.Add(int64(1 + f.rng.IntN(3))) }},
	"leave": {weight: 4, begin: func(f *faultInjector, _ time.Duration) { f.leave() }},
	// These hit a process of the engine program.
	"kill":    {hits: hitsProgram, weight: 4, begin: func(f *faultInjector, _ time.Duration) { f.programs.kill(f.rng) }},
	"freeze":  {hits: hitsProgram, weight: 4, begin: func(f *faultInjector, _ time.Duration) { f.programs.freeze(f.rng) }},
	"corrupt": {hits: hitsProgram, weight: 6, begin: func(f *faultInjector, _ time.Duration) { f.programs.corrupt(f.rng) }},
	// These hit the bot as a child.
	"crash": {hits: hitsChild, weight: 2, cost: restartCost, begin: func(f *faultInjector, _ time.Duration) { f.kill() }},
	"start": {hits: hitsChild, weight: 2, cost: restartCost, begin: func(f *faultInjector, _ time.Duration) { f.child.spoilProgram(f.rng); f.kill() }},
	"log":   {hits: hitsChild, weight: 2, begin: func(f *faultInjector, _ time.Duration) { f.child.cutLog() }},
	"names": {hits: hitsNameServers, weight: 4, begin: func(f *faultInjector, _ time.Duration) { f.silenceNames() }},
	// These cost openings of the event stream, of which there are 30 in 10 minutes.
	"restart": {weight: 1, begin: func(f *faultInjector, budget time.Duration) { f.server.Restart(f.randomDuration(budget)) }},
	"second":  {weight: 1, begin: func(f *faultInjector, _ time.Duration) { f.secondInstance() }},
}

// Faults are the kinds of fault that happen. It is a flag value: "all", "mild", "engine",
// "none", or a list of kinds.
type Faults struct{ kinds []string }

// AllFaults returns faults of every kind.
func AllFaults() Faults { return Faults{allKinds()} }

func allKinds() []string { return slices.Sorted(maps.Keys(faultKinds)) }

func mildKinds() []string {
	return slices.DeleteFunc(allKinds(), func(kind string) bool { return !faultKinds[kind].mild })
}

func programKinds() []string {
	return slices.DeleteFunc(allKinds(), func(kind string) bool { return faultKinds[kind].hits != hitsProgram })
}

// Choices returns what Set accepts: a group of kinds, or kinds separated by commas.
func (f *Faults) Choices() []string {
	return append([]string{"all", "mild", "engine", "none"}, allKinds()...)
}

// Set implements pflag.Value.
func (f *Faults) Set(text string) error {
	switch text {
	case "all":
		f.kinds = allKinds()
	case "mild":
		f.kinds = mildKinds()
	case "engine":
		f.kinds = programKinds()
	case "none":
		f.kinds = nil
	default:
		f.kinds = strings.Split(text, ",")
	}
	for _, kind := range f.kinds {
		if _, known := faultKinds[kind]; !known {
			return config.NotOneOf(kind, f.Choices())
		}
	}
	return nil
}

// String implements pflag.Value.
func (f *Faults) String() string {
	switch {
	case len(f.kinds) == 0:
		return "none"
	case slices.Equal(f.kinds, allKinds()):
		return "all"
	case slices.Equal(f.kinds, mildKinds()):
		return "mild"
	case slices.Equal(f.kinds, programKinds()):
		return "engine"
	}
	return strings.Join(f.kinds, ",")
}

// CannotHappen reports whether there is nothing that any of the faults hits.
func (o *Options) CannotHappen() bool {
	missing := map[target]bool{
		hitsProcess: o.Child, hitsProgram: o.Command == "" || o.Child, hitsChild: !o.Child, hitsNameServers: !o.Child,
	}
	return len(o.Faults.kinds) > 0 && !slices.ContainsFunc(o.Faults.kinds, func(kind string) bool { return !missing[faultKinds[kind].hits] })
}

// Type implements pflag.Value.
func (f *Faults) Type() string { return "faults" }

// rates are the chances of those that come by chance.
func (f *Faults) rates() (r lichesstest.Rates) {
	for _, kind := range f.kinds {
		if set := faultKinds[kind].rate; set != nil {
			set(&r)
		}
	}
	return r
}

// outages returns the kinds that are outages, of those that hit what there is.
func (f *Faults) outages(canHit func(target) bool) (kinds []string) {
	for _, kind := range f.kinds {
		if k := faultKinds[kind]; k.begin != nil && canHit(k.hits) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

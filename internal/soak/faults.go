package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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

// costlyFaults come by chance too, but cost time. A bot that has little is spared.
var costlyFaults = map[string]func(*lichesstest.Rates){
	"miss": func(r *lichesstest.Rates) { r.Miss = frequentFault }, // games' streams that miss a move
}

// outage is a fault that keeps the bot from playing, for most at most.
type outage struct {
	weight int // how often it comes, compared to others
	begin  func(f *faultInjector, most time.Duration)
}

// outages are the faults that withhold something.
var outages = map[string]outage{
	"cut":   {6, func(f *faultInjector, _ time.Duration) { f.server.Faults.CutStreams(1 + f.rng.IntN(3)) }},
	"stall": {6, (*faultInjector).stall},
	"hole":  {6, (*faultInjector).blackHole},
	"slow":  {4, (*faultInjector).slow},
	"down":  {6, func(f *faultInjector, most time.Duration) { f.server.Faults.Down(f.randomDuration(most)) }},
	"limit": {6, (*faultInjector).limit},
	"gift":  {6, func(f *faultInjector, _ time.Duration) { f.gift() }},
	"disk":  {2, func(f *faultInjector, _ time.Duration) { f.disk.fill(time.Duration(f.rng.Int64N(int64(time.Minute)))) }},
	"stuck": {4, func(f *faultInjector, _ time.Duration) {
		f.disk.block(time.Duration(f.rng.Int64N(int64(longestOutage))))
	}},
	"panic": {4, func(f *faultInjector, _ time.Duration) { f.engine.due.Add(int64(1 + f.rng.IntN(3))) }},
	"leave": {4, func(f *faultInjector, _ time.Duration) { f.leave() }},
	// These cost openings of the event stream, of which there are 30 in 10 minutes.
	"restart": {1, func(f *faultInjector, most time.Duration) { f.server.Restart(f.randomDuration(most)) }},
	"second":  {1, func(f *faultInjector, _ time.Duration) { f.secondInstance() }},
}

// Faults are the kinds of fault that happen. It is a flag value: "all", "mild", "none", or
// a list of kinds.
type Faults struct{ kinds []string }

// AllFaults are those of every kind.
func AllFaults() Faults { return Faults{allKinds()} }

func allKinds() []string {
	kinds := slices.AppendSeq(slices.Collect(maps.Keys(mildFaults)), maps.Keys(costlyFaults))
	kinds = slices.AppendSeq(kinds, maps.Keys(outages))
	slices.Sort(kinds)
	return kinds
}

// Set implements pflag.Value.
func (f *Faults) Set(text string) error {
	switch text {
	case "all":
		f.kinds = allKinds()
		return nil
	case "mild":
		f.kinds = slices.Sorted(maps.Keys(mildFaults))
		return nil
	case "none":
		f.kinds = nil
		return nil
	}
	known := allKinds()
	f.kinds = strings.Split(text, ",")
	for _, kind := range f.kinds {
		if !slices.Contains(known, kind) {
			return fmt.Errorf("fault %q: want all, mild, none, or some of %s", kind, strings.Join(known, ","))
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
	case slices.Equal(f.kinds, slices.Sorted(maps.Keys(mildFaults))):
		return "mild"
	}
	return strings.Join(f.kinds, ",")
}

// Type implements pflag.Value.
func (f *Faults) Type() string { return "faults" }

// rates are the chances of those that come by chance.
func (f *Faults) rates() (r lichesstest.Rates) {
	for _, kind := range f.kinds {
		for _, faults := range []map[string]func(*lichesstest.Rates){mildFaults, costlyFaults} {
			if set := faults[kind]; set != nil {
				set(&r)
			}
		}
	}
	return r
}

// outages are the kinds that withhold something.
func (f *Faults) outages() (kinds []string) {
	for _, kind := range f.kinds {
		if _, known := outages[kind]; known {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

package lichesstest

import (
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Faults inject failures of the server and of the network, at any time: those of
// [FaultTable], by name. Requests are of these classes: "move", "command", "chat",
// "challenge", "challenges" (their list), "events", "game", "account", "users", "arena".
type Faults struct {
	table []*Fault

	mu      sync.Mutex // guards the fields below
	rng     *rand.Rand
	active  []*injected
	chances map[string]int // how often faults happened by chance
}

// When says when a fault happens: to the next requests, streams or lines, for a time, or by
// chance. The zero value is never.
type When struct {
	Class  string // of requests; by default all that the fault concerns
	Next   int
	For    time.Duration
	Chance float64
	Spare  bool // leaves out games in which the reader's clock has less than twice the fault's cost; by chance always

	Status int // of "fail", instead of 503
	// Text is, of "fail", a JSON error instead of a page; of "mute", what is sent each second; of
	// "limit", its form.
	Text string
	By   time.Duration // of "slow"
}

// injected is a fault that was injected.
type injected struct {
	*Fault
	When
	until  time.Time
	random uint32 // drawn when it happens
}

func newFaults(seed uint64) *Faults {
	return &Faults{table: FaultTable(), rng: rand.New(rand.NewPCG(seed, 404)), chances: map[string]int{}}
}

// Inject makes a fault happen. It replaces an earlier injection of the same fault and class.
func (f *Faults) Inject(name string, w When) {
	i := slices.IndexFunc(f.table, func(fault *Fault) bool { return fault.Name == name })
	if i < 0 {
		panic("lichesstest: no fault " + name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = slices.DeleteFunc(f.active, func(old *injected) bool { return old.Name == name && old.Class == w.Class })
	f.active = append(f.active, &injected{Fault: f.table[i], When: w, until: time.Now().Add(w.For)})
}

// Clear ends all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = nil
}

// ClearNext ends those that still wait for what they are to happen to next.
func (f *Faults) ClearNext() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = slices.DeleteFunc(f.active, func(i *injected) bool { return i.Next > 0 })
}

// ByChance returns how often faults have happened by chance.
func (f *Faults) ByChance() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.chances)
}

// concerns reports whether the fault can happen to a class.
func (i *injected) concerns(class string) bool {
	return i.Class == class || i.Class == "" && (i.classes == nil || slices.Contains(i.classes, class))
}

// happens reports whether the fault happens now to a game in which the reader has this time left.
func (i *injected) happens(rng *rand.Rand, left time.Duration) bool {
	switch {
	case (i.Spare || i.When.Chance > 0) && left < 2*i.Cost:
		return false
	case i.Next > 0:
		i.Next--
		return true
	}
	return time.Now().Before(i.until) || rng.Float64() < i.When.Chance
}

// happening yields the active faults of a class that happen now and for which does is true, in the
// order of the table.
func (f *Faults) happening(class string, left time.Duration, does func(*Fault) bool) iter.Seq[*injected] {
	return func(yield func(*injected) bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, fault := range f.table {
			for _, i := range f.active {
				if i.Fault != fault || !does(fault) || !i.concerns(class) || !i.happens(f.rng, left) {
					continue
				}
				if i.When.Chance > 0 {
					f.chances[i.Name]++
				}
				now := *i
				if now.random = f.rng.Uint32(); !yield(&now) {
					return
				}
			}
		}
	}
}

// check returns a fault if it happens now, else nil.
func (f *Faults) check(name string) *Fault {
	for i := range f.happening("", never, func(fault *Fault) bool { return fault.Name == name }) {
		return i.Fault
	}
	return nil
}

// intercept answers a request by the first fault that happens to its class; without one, execute
// answers it.
func (f *Faults) intercept(w http.ResponseWriter, class string, execute func()) {
	answer := execute
	for i := range f.happening(class, never, func(fault *Fault) bool { return fault.request != nil }) {
		answer = func() { i.request(i, w, execute) }
		break
	}
	answer()
}

// opening applies the faults of a stream that is being opened, whose reader has this time on
// the clock. The caller holds the server's lock.
func (f *Faults) opening(class string, s *subscriber, left time.Duration) {
	for i := range f.happening(class, left, func(fault *Fault) bool { return fault.open != nil }) {
		i.open(i, s)
	}
}

package lichess

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Waits after a 429 that does not say how long.
const (
	firstWait = time.Minute
	lastWait  = 10 * time.Minute
	mostWait  = 24 * time.Hour // no server's word is believed beyond this
)

// botGames is the class of what starts games between bots: it has a daily limit
// of its own, while games with humans go on.
var botGames = endpoint{path: BotGamesLimit}

// everything is the class of all requests but the urgent ones. A 429 that names no
// limit may be about any of them, and Lichess asks to wait a minute then.
var everything = endpoint{path: "everything"}

// gates keep each class of endpoint closed after a 429 until its wait is over.
type gates struct {
	mu sync.Mutex
	of map[endpoint]*gate
}

// gate is closed until its time has come.
type gate struct {
	until time.Time
	step  time.Duration // last wait that the server left to us
	key   string        // what ran out
	ahead chan struct{} // closed when the gate opens before its time
}

func newGates() *gates { return &gates{of: make(map[endpoint]*gate)} }

// admit returns an error if a request may not be sent now.
func (g *gates) admit(r request) error {
	if r.early {
		return nil
	}
	classes := []endpoint{r.endpoint}
	if !r.urgent {
		classes = append(classes, everything)
	}
	if r.opponent == Bot {
		classes = append(classes, botGames)
	}
	for _, class := range classes {
		if wait, key := g.closed(class); wait > 0 {
			return &RateLimitError{Endpoint: r.String(), RetryAfter: wait, Key: key, Local: true}
		}
	}
	return nil
}

// closed returns how much longer a class is closed, and why.
func (g *gates) closed(class endpoint) (time.Duration, string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gate := g.of[class]; gate != nil {
		return time.Until(gate.until), gate.key
	}
	return 0, ""
}

// shut closes a class after a 429 and returns for how long, and where the 429 names
// no limit all others too. A wait of zero means that the server named none.
func (g *gates) shut(class endpoint, wait time.Duration, key string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if wait == 0 {
		wait = g.gate(class).nextStep()
	}
	g.gate(class).shut(wait, key)
	if key == "" {
		g.gate(everything).shut(min(wait, lastWait), key)
	}
	return time.Until(g.gate(class).until)
}

// gate returns the gate of a class. The caller holds the lock.
func (g *gates) gate(class endpoint) *gate {
	if g.of[class] == nil {
		g.of[class] = &gate{ahead: make(chan struct{})}
	}
	return g.of[class]
}

// shut closes the gate for so long at least.
func (g *gate) shut(wait time.Duration, key string) {
	if until := time.Now().Add(wait); until.After(g.until) {
		g.until, g.key = until, key
	}
}

// open reports whether the wait is over.
func (g *gate) open() bool { return !time.Now().Before(g.until) }

// nextStep doubles the wait, but not for a 429 to a request that was under way
// while the gate was shut.
func (g *gate) nextStep() time.Duration {
	switch {
	case g.step == 0:
		g.step = firstWait
	case g.open():
		g.step = min(2*g.step, lastWait)
	}
	return g.step
}

// opened forgets earlier waits after a success, unless that was under way when
// the gate was shut.
func (g *gates) opened(class endpoint) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gate := g.of[class]; gate != nil && gate.open() {
		gate.step = 0
	}
}

// proved opens a class before its time: a request that could not wait has found
// that the server takes it again.
func (g *gates) proved(class endpoint) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gate := g.of[class]; gate != nil && !gate.open() {
		gate.until, gate.step = time.Now(), 0
		close(gate.ahead)
		gate.ahead = make(chan struct{})
	}
}

// wait waits until a class may be open, for so long at most.
func (g *gates) wait(ctx context.Context, class endpoint, most time.Duration) error {
	g.mu.Lock()
	var ahead chan struct{}
	if gate := g.of[class]; gate != nil && !gate.open() {
		ahead = gate.ahead
	}
	g.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ahead:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waitOf returns the wait that a 429 asks for, the longest if it names two, and
// zero if it names none.
func waitOf(h http.Header, l *Limit) time.Duration {
	wait := retryAfter(h.Get("Retry-After"))
	if l != nil && l.Seconds > 0 {
		wait = max(wait, l.Seconds.Duration())
	}
	return min(wait, mostWait)
}

// retryAfter reads the header's two forms, a number of seconds and a date.
func retryAfter(value string) time.Duration {
	if value == "" {
		return 0
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return max(Seconds(n).Duration(), time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), time.Second)
	}
	return 0
}

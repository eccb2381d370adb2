package lichess

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Waits after a 429 that names none.
const (
	minBackoff = time.Minute
	maxBackoff = 10 * time.Minute
	maxWait    = 24 * time.Hour // bounds what the server asks for
)

// botGames is the class of requests that start games between bots. These have a
// daily limit of their own.
var botGames = endpoint{path: BotGamesLimit}

// Blocked returns the classes of requests that are blocked after a 429, such as
// "POST /api/challenge/{user}", and until when.
func (c *Client) Blocked() map[string]time.Time {
	l, blocked := c.limiter, map[string]time.Time{}
	l.mu.Lock()
	defer l.mu.Unlock()
	for class, limit := range l.limits {
		if !limit.expired() {
			blocked[strings.TrimSpace(class.String())] = limit.until.UTC()
		}
	}
	return blocked
}

// everything is the class of all requests but the urgent ones. A 429 that names no
// limit may apply to any of them, and Lichess then asks to wait a minute.
var everything = endpoint{path: "requests but those of games"}

// rateLimiter blocks each class of endpoint after a 429 until the wait is over.
type rateLimiter struct {
	mu     sync.Mutex
	limits map[endpoint]*classLimit
}

// classLimit blocks one class until a time.
type classLimit struct {
	until    time.Time
	backoff  time.Duration // the last wait after a 429 that named none
	key      string        // of the exceeded limit
	reopened chan struct{} // closed when the class is unblocked early
}

func newRateLimiter() *rateLimiter { return &rateLimiter{limits: make(map[endpoint]*classLimit)} }

// admit returns an error if a request may not be sent now.
func (l *rateLimiter) admit(r request) error {
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
		if wait, key := l.blockedFor(class); wait > 0 {
			return &RateLimitError{Endpoint: r.String(), RetryAfter: wait, Key: key, Local: true}
		}
	}
	return nil
}

// blockedFor returns how much longer a class is blocked, and the exceeded limit's
// key.
func (l *rateLimiter) blockedFor(class endpoint) (time.Duration, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := l.limits[class]; limit != nil {
		return time.Until(limit.until), limit.key
	}
	return 0, ""
}

// block blocks a class after a 429 and returns for how long. A wait of zero means that
// the server named none. If the 429 names no limit, it blocks everything else too, for a
// minute or as long as the server asks.
func (l *rateLimiter) block(class endpoint, wait time.Duration, key string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	others := min(wait, maxBackoff)
	switch {
	case wait == 0:
		wait, others = l.limitFor(class).nextBackoff(), minBackoff
	case class == endpointEvents: // without which the bot is off: try again from time to time
		wait = others
	}
	l.limitFor(class).block(wait, key)
	if key == "" {
		l.limitFor(everything).block(others, key)
	}
	return time.Until(l.limitFor(class).until)
}

// limitFor returns the limit of a class. The caller holds the lock.
func (l *rateLimiter) limitFor(class endpoint) *classLimit {
	if l.limits[class] == nil {
		l.limits[class] = &classLimit{reopened: make(chan struct{})}
	}
	return l.limits[class]
}

// block blocks the class for at least this long.
func (c *classLimit) block(wait time.Duration, key string) {
	if until := time.Now().Add(wait); until.After(c.until) {
		c.until, c.key = until, key
	}
}

// expired reports whether the class is no longer blocked.
func (c *classLimit) expired() bool { return !time.Now().Before(c.until) }

// nextBackoff doubles the wait, unless the 429 was to a request sent before the
// class was blocked.
func (c *classLimit) nextBackoff() time.Duration {
	switch {
	case c.backoff == 0:
		c.backoff = minBackoff
	case c.expired():
		c.backoff = min(2*c.backoff, maxBackoff)
	}
	return c.backoff
}

// succeeded resets the backoff after a success, unless that request was sent before
// the class was blocked.
func (l *rateLimiter) succeeded(class endpoint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := l.limits[class]; limit != nil && limit.expired() {
		limit.backoff = 0
	}
}

// unblock ends a wait early, after a request that could not wait has succeeded.
func (l *rateLimiter) unblock(class endpoint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := l.limits[class]; limit != nil && !limit.expired() {
		limit.until = time.Now()
		close(limit.reopened)
		limit.reopened = make(chan struct{})
	}
}

// wait waits until a class may be unblocked, at most maxDelay.
func (l *rateLimiter) wait(ctx context.Context, class endpoint, maxDelay time.Duration) error {
	l.mu.Lock()
	var reopened chan struct{}
	if limit := l.limits[class]; limit != nil && !limit.expired() {
		reopened = limit.reopened
	}
	l.mu.Unlock()
	select {
	case <-time.After(maxDelay):
	case <-reopened:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// requestedWait returns the wait that a 429 asks for, the longer one if it names two, zero
// if it names none. now is by the server's clock.
func requestedWait(h http.Header, l *Limit, now time.Time) time.Duration {
	wait := retryAfter(h.Get("Retry-After"), now)
	if l != nil && l.Seconds > 0 {
		wait = max(wait, l.Seconds.Duration())
	}
	return min(wait, maxWait)
}

// retryAfter parses the header's two forms, a number of seconds, which may have a fraction,
// and a date; 0 if it is neither.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
		return time.Duration(min(max(n, 1), maxWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), time.Second)
	}
	return 0
}

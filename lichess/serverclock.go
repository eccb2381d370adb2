package lichess

import (
	"net/http"
	"sync/atomic"
	"time"
)

// maxClockError is how far this machine's clock may be off before times from the server are
// converted. The server's time in a response is imprecise: it has whole seconds, and the
// response has taken some time to arrive.
const maxClockError = 30 * time.Second

// serverClock is the server's clock by its last response; this machine's may be hours off.
// It is safe for concurrent use.
type serverClock struct{ ahead atomic.Int64 } // of this machine's, in nanoseconds

// read reads the server's clock from the header of a response.
func (c *serverClock) read(h http.Header) {
	if now, err := http.ParseTime(h.Get("Date")); err == nil {
		c.ahead.Store(int64(time.Until(now)))
	}
}

// offset returns how far the server's clock is ahead of this machine's, 0 if they agree.
func (c *serverClock) offset() time.Duration {
	if ahead := time.Duration(c.ahead.Load()); ahead.Abs() > maxClockError {
		return ahead
	}
	return 0
}

// now returns the time by the server's clock.
func (c *serverClock) now() time.Time { return time.Now().Add(c.offset()) }

// convert returns the time by this machine's clock at a time by the server's.
func (c *serverClock) convert(at time.Time) time.Time { return at.Add(-c.offset()) }

// ClockOffset returns how far the server's clock is ahead of this machine's, 0 if they agree
// or no response has shown it.
func (c *Client) ClockOffset() time.Duration { return c.clock.offset() }

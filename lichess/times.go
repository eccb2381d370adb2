package lichess

import (
	"math"
	"time"
)

// Millis is a duration or a Unix time in milliseconds, the unit of game streams.
type Millis int64

// Duration converts to a time.Duration, saturating on overflow.
func (m Millis) Duration() time.Duration { return scale(int64(m), time.Millisecond) }

// Seconds is a duration in seconds, the unit of challenges.
type Seconds int64

// Duration converts to a time.Duration, saturating on overflow.
func (s Seconds) Duration() time.Duration { return scale(int64(s), time.Second) }

// scale multiplies with saturation: the number comes from the network.
func scale(n int64, unit time.Duration) time.Duration {
	limit := int64(math.MaxInt64) / int64(unit)
	return time.Duration(min(max(n, -limit), limit)) * unit
}

package lichess

import (
	"math"
	"time"
)

// Millis is a time in milliseconds, as the clocks of game streams are sent.
type Millis int64

// Duration returns the same time as a duration, the longest if it exceeds that.
func (m Millis) Duration() time.Duration { return scale(int64(m), time.Millisecond) }

// Seconds is a time in seconds, as the clocks of challenges are sent.
type Seconds int64

// Duration returns the same time as a duration, the longest if it exceeds that.
func (s Seconds) Duration() time.Duration { return scale(int64(s), time.Second) }

// scale multiplies without overflow, since the number came over the network.
func scale(n int64, unit time.Duration) time.Duration {
	most := int64(math.MaxInt64) / int64(unit)
	return time.Duration(min(max(n, -most), most)) * unit
}

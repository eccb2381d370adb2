package gamestream

import (
	"errors"
	"io"
	"time"

	"github.com/zhbot/zhbot/bot/duplicate"
	"github.com/zhbot/zhbot/bot/retry"
)

// duplicateDetector recognises another program that plays one of our games with
// our token.
type duplicateDetector struct {
	detector duplicate.Detector
	endedAt  time.Time     // when our stream ended cleanly; zero if it did not
	holdOff  time.Duration // how long to wait after the next clean end
}

func newDuplicateDetector(b retry.Backoff) duplicateDetector {
	return duplicateDetector{detector: duplicate.Detector{Backoff: b, Tolerated: 2}}
}

// reopenTimeout is how soon a healthy server answers the next opening.
const reopenTimeout = 2 * time.Second

// streamEnded records how our stream has ended or could not be opened, and returns
// how long to leave it to the other program.
func (d *duplicateDetector) streamEnded(err error, now time.Time) time.Duration {
	d.endedAt = time.Time{}
	if !errors.Is(err, io.EOF) {
		return 0
	}
	d.endedAt = now
	return d.holdOff
}

// streamOpened records that the stream is open again, and reports whether another
// program caused the previous end.
func (d *duplicateDetector) streamOpened(now time.Time) (duplicate bool) {
	if d.endedAt.IsZero() || now.Sub(d.endedAt) > reopenTimeout+d.holdOff {
		return false
	}
	d.holdOff = d.detector.StreamEnded(now)
	d.endedAt = time.Time{}
	return d.holdOff > 0
}

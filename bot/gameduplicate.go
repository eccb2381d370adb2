package bot

import (
	"errors"
	"io"
	"time"

	"github.com/zhbot/zhbot/bot/event"
)

// gameDuplicateDetector recognises another program that plays one of our games with
// our token.
type gameDuplicateDetector struct {
	detector duplicateDetector
	endedAt  time.Time     // when our stream ended cleanly; zero if it did not
	holdOff  time.Duration // how long to wait after the next clean end
}

// reopenTimeout is how soon a healthy server answers the next opening.
const reopenTimeout = 2 * time.Second

// streamEnded records how our stream has ended or could not be opened, and returns
// how long to leave it to the other program.
func (r *gameDuplicateDetector) streamEnded(err error, now time.Time) time.Duration {
	r.endedAt = time.Time{}
	if !errors.Is(err, io.EOF) {
		return 0
	}
	r.endedAt = now
	return r.holdOff
}

// streamOpened records that the stream is open again, and reports whether another
// program caused the previous end.
func (r *gameDuplicateDetector) streamOpened(now time.Time) (duplicate bool) {
	if r.endedAt.IsZero() || now.Sub(r.endedAt) > reopenTimeout+r.holdOff {
		return false
	}
	r.holdOff = r.detector.streamEnded(now)
	r.endedAt = time.Time{}
	return r.holdOff > 0
}

// reportGameDuplicate reports that another program plays our games, too.
func (b *Bot) reportGameDuplicate() {
	b.duplicates.Do(func() {
		b.log.Error().Msg("another program uses this token: its streams of our games end ours; stop it, or give it a token of its own")
		b.emit(event.SecondInstance{})
	})
}

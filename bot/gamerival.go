package bot

import (
	"errors"
	"io"
	"time"
)

// gameRival recognises another program that plays one of our games with our token.
type gameRival struct {
	ends  rivalry
	ended time.Time     // when our stream ended in good order; zero if it did not
	leave time.Duration // for how long to leave the next such end alone
}

// answersWithin is how soon a server that is well answers the next opening.
const answersWithin = 2 * time.Second

// lost notes how our stream has ended or could not be opened, and returns for how
// long to leave it to the other program.
func (r *gameRival) lost(err error, now time.Time) time.Duration {
	r.ended = time.Time{}
	if !errors.Is(err, io.EOF) {
		return 0
	}
	r.ended = now
	return r.leave
}

// answered notes that the stream is open again, and reports whether another
// program is behind the end of the one before.
func (r *gameRival) answered(now time.Time) (rival bool) {
	if r.ended.IsZero() || now.Sub(r.ended) > answersWithin+r.leave {
		return false
	}
	r.leave = r.ends.ended(now)
	r.ended = time.Time{}
	return r.leave > 0
}

// duplicateInGame says that another program plays our games, too.
func (b *Bot) duplicateInGame() {
	b.duplicates.Do(func() {
		b.log.Error().Msg("another program uses this token: its streams of our games end ours; stop it, or give it a token of its own")
		b.tell(SecondInstance{})
	})
}

package bot

import (
	"context"
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// connection is one opening of a game's stream and all that comes of it.
type connection struct {
	cancel context.CancelFunc
	due    time.Time // when it is to be asked for
	begun  time.Time // when it was asked for; set before the first report

	// What follows belongs to the feed.
	open   bool // the server has answered
	parked bool // ended on purpose
}

// waits reports whether the connection is not asked for yet.
func (c *connection) waits(now time.Time) bool { return now.Before(c.due) }

// report is what a connection tells the feed.
type report struct {
	from     *connection
	answered bool  // the server's answer has begun
	word     word  // or what it brought
	err      error // or why it has ended
}

// connect opens the next connection after a pause; urgent means although a 429
// asks to wait.
func (f *feed) connect(ctx context.Context, wait time.Duration, urgent bool) {
	own, cancel := context.WithCancel(ctx)
	c := &connection{cancel: cancel, due: time.Now().Add(wait)}
	f.opening = c
	f.without.wanted(time.Now())
	noClock := f.opened && f.flagTime().IsZero()
	o := lichess.StreamOptions{FirstByte: f.pacing.firstByte, Early: urgent, Patient: noClock}
	f.readers.Add(1)
	f.spawn(func() {
		defer f.readers.Done()
		defer cancel()
		err := f.await(own, wait)
		if err == nil {
			c.begun = time.Now()
			err = f.read(ctx, own, c, o)
		}
		f.send(ctx, report{from: c, err: err})
	})
}

// read opens a connection and reports what it brings until it ends. What was read
// is reported even if the connection was given up meanwhile: it may be the last
// line of the game.
func (f *feed) read(ctx, own context.Context, c *connection, o lichess.StreamOptions) error {
	stream, err := f.open(own, o)
	if err != nil {
		return err
	}
	defer stream.Close()
	f.send(ctx, report{from: c, answered: true})
	for {
		event, err := stream.Next()
		var bad *lichess.LineError
		switch {
		case errors.As(err, &bad):
			f.log.Warn().Err(err).Msg("line of game stream not read")
		case err != nil:
			return err
		}
		f.send(ctx, report{from: c, word: word{event: event, came: time.Now(), opened: c.begun}})
	}
}

func (f *feed) send(ctx context.Context, r report) {
	select {
	case f.reports <- r:
	case <-ctx.Done():
	}
}

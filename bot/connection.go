package bot

import (
	"context"
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// connection is one opening of a game's stream.
type connection struct {
	cancel    context.CancelFunc
	due       time.Time // when it is to be opened
	startedAt time.Time // when it was requested; set before the first report

	// What follows belongs to the feed.
	open   bool // the server has answered
	parked bool // ended on purpose
}

// isPending reports whether the connection has not been requested yet.
func (c *connection) isPending(now time.Time) bool { return now.Before(c.due) }

// report is a message from a connection to the feed: one of the three below.
type report struct {
	from   *connection
	opened bool       // the response has started
	item   streamItem // an item of the stream
	err    error      // why the connection has ended
}

// connect opens the next connection after a pause; urgent overrides a rate limit.
func (f *feed) connect(ctx context.Context, wait time.Duration, urgent bool) {
	own, cancel := context.WithCancel(ctx)
	c := &connection{cancel: cancel, due: time.Now().Add(wait)}
	f.opening = c
	f.downtime.start(time.Now())
	noClock := f.wasOpen && f.flagTime().IsZero()
	o := lichess.StreamOptions{FirstByte: f.backoff.firstByte, Early: urgent, Deferrable: noClock}
	f.readers.Add(1)
	f.spawn(func() {
		defer f.readers.Done()
		defer cancel()
		err := f.wait(own, wait)
		if err == nil {
			c.startedAt = time.Now()
			err = f.read(ctx, own, c, o)
		}
		f.send(ctx, report{from: c, err: err})
	})
}

// read opens a connection and reports its items until it ends. Items are reported
// even if the connection was superseded meanwhile: one may be the last line of the
// game.
func (f *feed) read(ctx, own context.Context, c *connection, o lichess.StreamOptions) error {
	stream, err := f.open(own, o)
	if err != nil {
		return err
	}
	defer stream.Close()
	f.send(ctx, report{from: c, opened: true})
	for {
		e, err := stream.Next()
		var bad *lichess.LineError
		switch {
		case errors.As(err, &bad):
			f.log.Warn().Err(err).Msg("invalid line in game stream")
		case err != nil:
			return err
		}
		f.send(ctx, report{from: c, item: streamItem{event: e, receivedAt: time.Now(), connectedAt: c.startedAt}})
	}
}

func (f *feed) send(ctx context.Context, r report) {
	select {
	case f.reports <- r:
	case <-ctx.Done():
	}
}

package gamestream

import (
	"context"
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Source opens the connections of a game's stream.
type Source interface {
	// Wait waits before the stream is opened: at most so long, less when streams may
	// be opened again after a rate limit.
	Wait(ctx context.Context, limit time.Duration) error
	// Open opens the stream, until the context ends.
	Open(ctx context.Context, o lichess.StreamOptions) (Connection, error)
}

// Connection is one connection of the stream, such as a [*lichess.GameStream].
type Connection interface {
	Next() (lichess.GameEvent, error)
	Close()
}

// FromLichess returns the source of a game's stream on a server.
func FromLichess(client *lichess.Client, game string) Source { return lichessSource{client, game} }

type lichessSource struct {
	client *lichess.Client
	game   string
}

func (l lichessSource) Wait(ctx context.Context, limit time.Duration) error {
	return l.client.WaitGameStreams(ctx, limit)
}

func (l lichessSource) Open(ctx context.Context, o lichess.StreamOptions) (Connection, error) {
	stream, err := l.client.StreamGameWith(ctx, l.game, o)
	if err != nil {
		return nil, err
	}
	return stream, nil
}

// connection is one opening of the stream. Its goroutine only waits, reads, decodes
// and reports; the fields belong to Run.
type connection struct {
	cancel    context.CancelFunc
	startedAt time.Time // when it was requested; zero during the pause before
	open      bool      // the server has answered
}

// report is a message from a connection: one of the four below.
type report struct {
	from    *connection
	started time.Time // when the pause was over
	opened  bool      // the response has started
	item    Item      // an item of the stream
	err     error     // why the connection has ended
}

// connect opens the next connection after a pause; urgent overrides a rate limit.
func (s *Stream) connect(ctx context.Context, wait time.Duration, urgent bool) {
	own, cancel := context.WithCancel(ctx)
	c := &connection{cancel: cancel}
	s.next = c
	if wait == 0 {
		s.start(c, time.Now())
	} else if s.state = backingOff; s.current != nil {
		s.state = retrying
	}
	s.downtime.start(time.Now())
	noClock := s.wasOpen && s.wanted.flagTime().IsZero()
	o := lichess.StreamOptions{FirstByte: s.backoff.firstByte, Early: urgent, Deferrable: noClock}
	s.readers.Add(1)
	startedAt := c.startedAt
	s.o.Go(func() {
		defer s.readers.Done()
		defer cancel()
		var err error
		if wait > 0 {
			if err = s.o.Reachability.wait(own, s.o.Source, wait); err == nil {
				startedAt = time.Now()
				s.send(ctx, report{from: c, started: startedAt})
			}
		}
		if err == nil {
			err = s.read(ctx, own, c, startedAt, o)
		}
		s.send(ctx, report{from: c, err: err})
	})
}

// start records that a connection is requested.
func (s *Stream) start(c *connection, at time.Time) {
	c.startedAt = at
	if s.state = connecting; s.current != nil {
		s.state = reopening
	}
}

// read opens a connection and reports its items until it ends. Items are reported
// even if the connection was superseded meanwhile: one may be the last line of the
// game.
func (s *Stream) read(ctx, own context.Context, c *connection, startedAt time.Time, o lichess.StreamOptions) error {
	stream, err := s.o.Source.Open(own, o)
	if err != nil {
		return err
	}
	defer stream.Close()
	s.send(ctx, report{from: c, opened: true})
	for {
		e, err := stream.Next()
		var bad *lichess.LineError
		switch {
		case errors.As(err, &bad):
			s.o.Log.Warn().Err(err).Msg("invalid line in game stream")
		case err != nil:
			return err
		}
		s.send(ctx, report{from: c, item: Item{Event: e, ReceivedAt: time.Now(), ConnectedAt: startedAt}})
	}
}

func (s *Stream) send(ctx context.Context, r report) {
	select {
	case s.reports <- r:
	case <-ctx.Done():
	}
}

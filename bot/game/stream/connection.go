package stream

import (
	"context"
	"errors"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Source opens the connections of a game's stream.
type Source interface {
	// Wait waits before the stream is opened: at most this long, or less if streams may
	// be opened earlier after a rate limit.
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
	return l.client.StreamGameWith(ctx, l.game, o)
}

// connection is one opening of the stream. Its goroutine only waits, reads, decodes
// and reports to Run, which owns the fields.
type connection struct {
	cancel    context.CancelFunc
	startedAt time.Time // when it was requested; zero during the pause before
	open      bool      // the server has answered
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
	noClock := s.wasOpen && s.target.flag.IsZero()
	o := lichess.StreamOptions{FirstByte: s.backoff.firstByte, Early: urgent, Deferrable: noClock}
	s.readers.Add(1)
	s.o.Go(func() {
		defer s.readers.Done()
		defer cancel()
		err := s.follow(ctx, own, c, wait, o)
		s.report(ctx, func() { s.handleEnd(ctx, c, err) })
	})
}

// start records that the next connection is requested.
func (s *Stream) start(c *connection, at time.Time) {
	if c != s.next {
		return // it was cancelled
	}
	c.startedAt = at
	if s.state = connecting; s.current != nil {
		s.state = reopening
	}
}

// follow opens a connection after a pause, and reports its items until it ends. Items
// are reported even if the connection was superseded meanwhile: one may be the last
// line of the game.
func (s *Stream) follow(ctx, own context.Context, c *connection, wait time.Duration, o lichess.StreamOptions) error {
	if wait > 0 {
		if err := s.o.Reachability.wait(own, s.o.Source, wait); err != nil {
			return err
		}
		now := time.Now()
		s.report(ctx, func() { s.start(c, now) })
	}
	stream, err := s.o.Source.Open(own, o)
	if err != nil {
		return err
	}
	defer stream.Close()
	s.report(ctx, func() { s.handleOpened(c) })
	for {
		e, err := stream.Next()
		var bad *lichess.LineError
		switch {
		case errors.As(err, &bad):
			s.o.Log.Warn().Err(err).Msg("invalid line in game stream")
		case err != nil:
			return err
		}
		now := time.Now()
		s.report(ctx, func() { s.handleItem(ctx, c, Item{Event: e, ReceivedAt: now, ConnectedAt: c.startedAt}) })
	}
}

// report has Run handle what has happened to a connection.
func (s *Stream) report(ctx context.Context, handle func()) {
	select {
	case s.reports <- handle:
	case <-ctx.Done():
	}
}

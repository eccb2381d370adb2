package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// Source opens the connections of a game's stream.
type Source struct {
	// Wait waits before the stream is opened: at most this long, or less if streams may
	// be opened earlier after a rate limit.
	Wait func(ctx context.Context, limit time.Duration) error
	// Open opens the stream, until the context ends.
	Open func(ctx context.Context, o lichess.StreamOptions) (Connection, error)
}

// Connection is one connection of the stream, such as a [*lichess.GameStream].
type Connection interface {
	Next() (lichess.GameEvent, error)
	Close()
}

// FromLichess returns the source of a game's stream on a server.
func FromLichess(client *lichess.Client, game string) Source {
	return Source{client.WaitGameStreams, func(ctx context.Context, o lichess.StreamOptions) (Connection, error) {
		return client.StreamGameWith(ctx, game, o)
	}}
}

// connection is one opening of the stream. Its goroutine only waits, reads, decodes
// and reports; the fields belong to the stream's.
type connection struct {
	cancel    context.CancelFunc
	startedAt time.Time   // when it was requested; zero during the pause before
	overdue   *time.Timer // ends it unless its first event comes in time; nil before it was requested
	open      bool        // the server has answered
}

// connect opens the next connection after a pause; urgent overrides a rate limit.
func (s *Stream) connect(wait time.Duration, urgent bool) {
	ctx, cancel := context.WithCancel(s.ctx)
	c := &connection{cancel: cancel}
	if wait == 0 {
		c.startedAt = time.Now()
	}
	s.next = c
	noClock := s.hasFull && s.flag.IsZero()
	o := lichess.StreamOptions{FirstLine: s.backoff.patience(s.flag, time.Now()), Early: urgent, Deferrable: noClock}
	s.o.Go(func() {
		defer cancel()
		err := s.follow(ctx, c, wait, o)
		s.report(func() *Item { return s.handleEnd(c, err) })
	})
}

// follow opens a connection after a pause, and reports its items until it ends. Items
// are reported even if the connection was superseded meanwhile: one may be the last
// line of the game.
func (s *Stream) follow(ctx context.Context, c *connection, wait time.Duration, o lichess.StreamOptions) error {
	if wait > 0 {
		if err := s.o.Reachability.wait(ctx, s.o.Source, wait); err != nil {
			return err
		}
		now := time.Now()
		s.report(func() *Item { c.startedAt = now; return nil })
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	c.overdue = time.AfterFunc(o.FirstLine, func() {
		giveUp(fmt.Errorf("%w: no first event in %s", lichess.ErrStalled, o.FirstLine))
	})
	defer c.overdue.Stop()
	stream, err := s.o.Source.Open(ctx, o)
	if err != nil {
		return err
	}
	defer stream.Close()
	invalid := event.InvalidLines{Log: s.o.Log, Message: "invalid line in game stream"}
	defer invalid.Close()
	s.report(func() *Item { s.handleOpened(c); return nil })
	for {
		e, err := stream.Next()
		switch {
		case errors.As(err, new(*lichess.LineError)):
			invalid.Add(err)
		case err != nil:
			return err
		}
		if state := stateOf(e); state != nil && state.Status.IsUnknown() && state.Winner != "" {
			state.Status = lichess.StatusUnknownFinish
		}
		now := time.Now()
		s.report(func() *Item { return s.handleItem(c, Item{Event: e, ReceivedAt: now, ConnectedAt: c.startedAt}) })
	}
}

// report has the stream's goroutine handle what has happened to a connection.
func (s *Stream) report(handle func() *Item) {
	handleNext := func() *Item {
		if s.ctx.Err() != nil {
			return nil
		}
		defer s.proceed()
		return handle()
	}
	select {
	case s.reports <- handleNext:
	case <-s.ctx.Done():
	}
}

// stateOrder finds which of two states is newer. The server reads the game for the
// first event of a connection before it subscribes to its moves, and ends the older
// connection in between: a line that arrived after the new connection was requested
// may be newer than its first event.
type stateOrder struct {
	latest     *lichess.GameState // delivered; nil if none
	receivedAt time.Time          // when it did
}

// admit reports whether an event is to be delivered. The first event of a connection
// gets the newest state if its own is older; an event of a superseded connection is
// delivered only if it goes beyond the newest state. Nothing is newer than the end.
func (o *stateOrder) admit(item *Item, superseded bool) bool {
	s := stateOf(item.Event)
	switch {
	case s == nil:
		return true
	case s.Status.Over() || o.latest == nil:
	case superseded:
		if !extends(s.Moves, o.latest.Moves) {
			return false
		}
	default:
		older := o.latest.Status.Over() || !item.ConnectedAt.After(o.receivedAt) && extends(o.latest.Moves, s.Moves)
		if full, first := item.Event.(*lichess.GameFull); first && older {
			newest := *full
			newest.State = *o.latest
			item.Event, item.ReceivedAt = &newest, o.receivedAt
			return true
		}
	}
	o.latest, o.receivedAt = s, item.ReceivedAt
	return true
}

// extends reports whether a move list continues another.
func extends(moves, before string) bool {
	rest, found := strings.CutPrefix(moves, before)
	return found && rest != "" && (before == "" || rest[0] == ' ')
}

// stateOf returns the state that an event contains, nil if none.
func stateOf(e lichess.GameEvent) *lichess.GameState {
	switch e := e.(type) {
	case *lichess.GameFull:
		return &e.State
	case *lichess.GameState:
		return e
	}
	return nil
}

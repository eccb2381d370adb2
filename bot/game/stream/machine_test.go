package stream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// fakeSource is a source whose connections do what a test says, end when they stall, and
// do nothing when they are cancelled.
type fakeSource struct {
	opened   []*fakeConnection
	patience time.Duration // of the newest
	ended    chan struct{} // closed at the end of the test
}

func (f *fakeSource) Wait(ctx context.Context, limit time.Duration) error {
	return lichess.Sleep(ctx, limit)
}

func (f *fakeSource) Open(ctx context.Context, o lichess.StreamOptions) (Connection, error) {
	f.patience = o.FirstLine
	c := &fakeConnection{answer: make(chan error), events: make(chan lichess.GameEvent), ended: f.ended,
		stalled: make(chan error)}
	f.opened = append(f.opened, c)
	context.AfterFunc(ctx, func() {
		if err := context.Cause(ctx); errors.Is(err, lichess.ErrStalled) {
			c.stalled <- err
		}
	})
	select {
	case err := <-c.stalled:
		c.answered = true
		return nil, err
	case err := <-c.answer:
		c.answered, c.open = true, err == nil
		return c, err
	case <-f.ended:
		return nil, io.EOF
	}
}

type fakeConnection struct {
	answer         chan error
	events         chan lichess.GameEvent // nil is the end
	ended          chan struct{}
	stalled        chan error
	answered, open bool
}

func (c *fakeConnection) Close() { c.open = false }

func (c *fakeConnection) Next() (lichess.GameEvent, error) {
	select {
	case e := <-c.events:
		switch e.(type) {
		case nil:
			return nil, io.EOF
		case garbled:
			return nil, new(lichess.LineError)
		}
		return e, nil
	case err := <-c.stalled:
		return nil, err
	case <-c.ended:
		return nil, io.EOF
	}
}

// garbled is an invalid line.
type garbled struct{ lichess.GameEvent }

// walk is a stream that a test leads from state to state.
type walk struct {
	t      *testing.T
	stream *Stream
	source *fakeSource
	got    []Item
}

// newest returns the newest connection for which that holds.
func (w *walk) newest(holds func(*fakeConnection) bool) *fakeConnection {
	for _, c := range slices.Backward(w.source.opened) {
		if holds(c) {
			return c
		}
	}
	w.t.Fatal("there is no such connection")
	return nil
}

func (w *walk) do(what string) {
	opening := func(c *fakeConnection) bool { return !c.answered }
	open := func(c *fakeConnection) bool { return c.open }
	started := lichess.GameState{Status: lichess.StatusStarted}
	switch what {
	case "open":
		c := w.newest(opening)
		c.answer <- nil
		c.events <- &lichess.GameFull{State: started}
	case "answer": // without a line yet
		w.newest(opening).answer <- nil
	case "full":
		w.newest(open).events <- &lichess.GameFull{State: started}
	case "finished":
		w.newest(open).events <- &lichess.GameFull{State: lichess.GameState{Status: lichess.StatusMate}}
	case "fail":
		w.newest(opening).answer <- &lichess.NetworkError{Err: io.ErrUnexpectedEOF}
	case "refused":
		w.newest(opening).answer <- &lichess.APIError{StatusCode: http.StatusNotFound, Explained: true}
	case "unauthorized":
		w.newest(opening).answer <- lichess.ErrUnauthorized
	case "end":
		w.newest(open).events <- nil
	case "final":
		w.newest(open).events <- &lichess.GameState{Status: lichess.StatusMate}
	case "state":
		w.newest(open).events <- &started
	case "chat":
		w.newest(open).events <- new(lichess.ChatLine)
	case "garbled":
		w.newest(open).events <- garbled{}
	case "pause":
		time.Sleep(pause)
	case "stall":
		time.Sleep(3 * time.Second)
	case "reopen":
		time.Sleep(time.Millisecond)
		w.stream.Reopen()
	case "impatient":
		if w.source.patience != 3*time.Second {
			w.t.Errorf("waits for %s for a first event", w.source.patience)
		}
	case "clock": // of a minute
		w.stream.report(func() *Item { // in the goroutine that owns the stream
			w.stream.SetFlagTime(time.Now().Add(time.Minute))
			return nil
		})
	default:
		w.t.Fatalf("what is %q?", what)
	}
	synctest.Wait()
}

// state is what a stream is doing; the package's documentation has the transitions.
type state string

const (
	connecting state = "connecting"
	backingOff state = "backing off"
	reading    state = "reading"
	reopening  state = "reopening"
	retrying   state = "retrying"
	over       state = "over"
)

// stateOfStream returns the state that follows from a stream's connections.
func stateOfStream(s *Stream) state {
	requested := s.next != nil && !s.next.startedAt.IsZero()
	switch {
	case s.ctx.Err() != nil:
		return over
	case s.next != nil && s.current == nil && requested:
		return connecting
	case s.next != nil && s.current == nil:
		return backingOff
	case s.next != nil && requested:
		return reopening
	case s.next != nil:
		return retrying
	}
	return reading
}

// pause is longer than the pauses at first, and shorter than what a first event may take.
const pause = 2 * time.Second

// TestStream_States walks the table in the package's documentation.
func TestStream_States(t *testing.T) {
	for _, tt := range []struct {
		walk string
		want state
	}{
		{"", connecting},
		{"open", reading},
		{"fail", backingOff},
		{"fail pause", connecting},
		{"fail pause open", reading},
		{"open reopen", reopening},
		{"stall", backingOff},
		{"stall pause open", reading},
		{"open end", backingOff},
		{"open end pause", connecting},
		{"open reopen open", reading},
		{"open reopen open end", backingOff},
		{"open reopen fail", retrying},
		{"open reopen end", connecting},
		{"open reopen fail pause", reopening},
		{"open reopen fail pause open", reading},
		{"open reopen fail end", backingOff},
		{"open reopen fail end pause open", reading},

		// While our clock runs, neither dead connections nor another program keep us away for long.
		{"clock stall pause stall pause impatient", connecting},
		{"open end pause open end pause open end pause open end pause pause", backingOff},
		{"open clock end pause open end pause open end pause open end pause pause", connecting},

		// What it is told meanwhile waits, and is done once.
		{"reopen", connecting},
		{"reopen open", reopening},
		{"fail reopen", backingOff},
		{"fail reopen pause open", reading},
		{"open reopen reopen open", reopening},
		{"open reopen reopen open open", reading},

		{"open final", over},
		{"open reopen final", over},
		{"unauthorized", over},
		{"refused pause refused pause refused", over},
		{"open reopen refused pause refused pause refused", retrying},

		// The game cannot be concluded without a gameFull.
		{"answer final", connecting},
		{"answer final full", over},
		{"answer final end", backingOff},
		{"answer final end pause answer finished", over},

		// A connection that shows nothing of the game is given up, or replaced.
		{"answer", connecting},
		{"answer end", backingOff},
		{"answer stall", backingOff},
		{"answer chat stall", backingOff},
		{"answer garbled stall", backingOff},
		{"answer state stall", backingOff},
		{"answer chat full stall", reading},
		{"answer reopen open", reading},
		{"answer reopen end", connecting},
		{"open reopen answer chat garbled", reopening},
		{"open reopen answer stall", retrying},
		{"open reopen answer chat stall pause open", reading},
		{"open reopen answer state stall", reading},
		{"open reopen answer reopen open", reading},
		{"open reopen answer chat reopen open stall", reading},
	} {
		t.Run(tt.walk, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &walk{t: t, source: &fakeSource{ended: make(chan struct{})}}
				timing := LichessTiming()
				timing.RefusalGap = pause
				w.stream = New(Options{
					Game: "abcd1234", Source: Source{w.source.Wait, w.source.Open}, Reachability: NewReachability(),
					Timing: timing, Log: zerolog.Nop(),
					Emit: func(event.Event) {}, OnDuplicate: func() {}, Go: func(f func()) { go f() },
				})
				ctx, cancel := context.WithCancel(t.Context())
				w.stream.Start(ctx)
				done := make(chan struct{})
				go func() {
					for {
						select {
						case report := <-w.stream.Reports():
							if item := report(); item != nil {
								w.got = append(w.got, *item)
							}
						case <-done:
							return
						}
					}
				}()
				defer close(done)
				defer cancel()
				synctest.Wait()
				for what := range strings.FieldsSeq(tt.walk) {
					w.do(what)
				}
				if got := stateOfStream(w.stream); got != tt.want {
					t.Errorf("%s, want %s", got, tt.want)
				}
				w.checkEnd()
				close(w.source.ended)
			})
		})
	}
}

// checkEnd fails unless a stream that is over has delivered why.
func (w *walk) checkEnd() {
	w.t.Helper()
	if stateOfStream(w.stream) != over {
		return
	}
	last := w.got[len(w.got)-1]
	if s := stateOf(last.Event); last.Err == nil && (s == nil || !s.Status.Over()) {
		w.t.Errorf("the last item is %+v", last)
	}
}

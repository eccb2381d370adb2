package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/fixture"
)

// feed returns a handler that flushes a stream chunk by chunk.
func feed(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		flush := http.NewResponseController(w).Flush
		w.Header().Set("Content-Type", "application/x-ndjson")
		_ = flush()
		for _, piece := range pieces {
			_, _ = io.WriteString(w, piece)
			_ = flush()
		}
	}
}

// drain reads a stream to its end and returns the events, the invalid lines and the
// final error.
func drain[E any](s *Stream[E]) (events []E, bad []string, end error) {
	for {
		event, err := s.Next()
		var line *LineError
		switch {
		case errors.As(err, &line):
			bad = append(bad, err.Error())
		case err != nil:
			return events, bad, err
		default:
			events = append(events, event)
		}
	}
}

func TestClient_StreamEvents(t *testing.T) {
	lines := fixture.Read(t, "testdata/events.ndjson")
	for name, pieces := range map[string][]string{
		"at once":        {lines},
		"byte by byte":   strings.Split(lines, ""),
		"keep-alives":    {"\n\r\n" + strings.ReplaceAll(lines, "\n", "\n\n \n")},
		"no last LF":     {strings.TrimSpace(lines)},
		"with bad lines": {"{\n" + strings.ReplaceAll(lines, "\n", "\nnull\n{\"type\":5}\n{\"type\":\"gameStart\"}\n")},
	} {
		t.Run(name, func(t *testing.T) {
			stream, err := testClient(t, feed(pieces...)).StreamEvents(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			bad := checkEvents(t, stream, "testdata/events.decoded")
			if (len(bad) != 0) != (name == "with bad lines") || stream.IsEmpty() {
				t.Errorf("bad lines %q, empty: %t", bad, stream.IsEmpty())
			}
			if _, err := stream.Next(); err != io.EOF {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

func TestClient_StreamGame(t *testing.T) {
	stream, err := testClient(t, feed(fixture.Read(t, "testdata/game.ndjson"))).StreamGame(t.Context(), "zH4kQ2ab")
	if err != nil {
		t.Fatal(err)
	}
	if bad := checkEvents(t, stream, "testdata/game.decoded"); bad != nil {
		t.Errorf("bad lines %q", bad)
	}
}

// checkEvents reads a stream to its end, compares the events with a file of their types and
// values, and returns the invalid lines.
func checkEvents[E any](t *testing.T, s *Stream[E], file string) (bad []string) {
	t.Helper()
	events, bad, end := drain(s)
	var got strings.Builder
	for _, event := range events {
		value, err := json.Marshal(event)
		fmt.Fprintf(&got, "%T %s\n", event, value)
		if err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(fixture.Read(t, file), got.String()); diff != "" || end != io.EOF {
		t.Errorf("end %v, events (-want +got):\n%s", end, diff)
	}
	return bad
}

func TestStream_UnknownEvents(t *testing.T) {
	lines := fixture.Read(t, "testdata/unknown.ndjson") + `{"type":"tournamentInvite","x":[1,{}]}`
	events, bad, end := drain(openString(t, lines))
	want := []Event{
		&UnknownEvent{Raw: []byte(`{"done":"accepted"}`)},
		&UnknownEvent{Type: "tournamentInvite", Raw: []byte(`{"type":"tournamentInvite","x":[1,{}]}`)},
	}
	if diff := cmp.Diff(want, events); diff != "" || bad != nil || end != io.EOF {
		t.Errorf("bad %q, end %v, events (-want +got):\n%s", bad, end, diff)
	}
}

func openString(t *testing.T, lines string) *EventStream {
	t.Helper()
	stream, err := testClient(t, feed(lines)).StreamEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Close)
	return stream
}

func TestStream_LongLine(t *testing.T) {
	long := `{"type":"` + strings.Repeat("x", maxLine) + `"}`
	events, bad, end := drain(openString(t, long+"\n"+`{"type":"y"}`+"\n"+long))
	if len(events) != 1 || events[0].(*UnknownEvent).Type != "y" || !errors.Is(end, io.ErrUnexpectedEOF) {
		t.Errorf("events %v, end %v", events, end)
	}
	if len(bad) != 1 || !strings.Contains(bad[0], "line too long") || len(bad[0]) > 300 {
		t.Errorf("bad lines %q", bad)
	}
}

func TestStream_IsEmpty(t *testing.T) {
	for lines, want := range map[string]bool{"": true, " ": true, "\n": false, "{}": false} {
		stream := openString(t, lines)
		if _, _, end := drain(stream); end != io.EOF || stream.IsEmpty() != want {
			t.Errorf("%q: %v, empty: %t", lines, end, !want)
		}
	}
	for line, want := range map[string]bool{"<html>": false, "null": true, `{"type":"game`: false, `{"type":5}`: true} {
		_, err := openString(t, line+"\n").Next()
		if bad, ok := errors.AsType[*LineError](err); !ok || bad.JSON != want {
			t.Errorf("%q: %v, JSON: %t", line, err, !want)
		}
	}
}

// A stream that ends within a line is cut by the network, or by the server.
func TestStream_Truncated(t *testing.T) {
	stream, err := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		feed("{\"type\":\"a\"}\n{\"type\":\"game")(w, r)
		closeConn(w, r)
	})).StreamEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	events, bad, end := drain(stream)
	if len(events) != 1 || bad != nil || !errors.As(end, new(*NetworkError)) || !IsTemporary(end) {
		t.Errorf("events %v, bad lines %q, end %v", events, bad, end)
	}
	if _, _, end := drain(openString(t, `{"type":"game`)); !errors.Is(end, io.ErrUnexpectedEOF) {
		t.Errorf("ended by the server within a line: %v", end)
	}
}

func TestStream_KeepAlivesAndStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			feed()(w, r)
			for range 100 { // 700 s of nothing but keep-alives
				time.Sleep(7 * time.Second)
				feed("\n")(w, r)
			}
			feed(`{"type":"alive"}`+"\n")(w, r)
			neverRespond(w, r)
		}))
		began := time.Now()
		stream, err := c.StreamEvents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if event, err := stream.Next(); err != nil || event.(*UnknownEvent).Type != "alive" {
			t.Fatalf("event %v, error %v", event, err)
		}
		time.Sleep(time.Hour) // a slow caller
		began = began.Add(time.Hour)
		_, err = stream.Next()
		if took := time.Since(began); !errors.Is(err, ErrStalled) || !IsTemporary(err) || took != 720*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

// A game stream must start at once or be opened again: our clock may be running.
func TestClient_StreamOpenTimeout(t *testing.T) {
	thenSilent := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			feed(text)(w, r)
			neverRespond(w, r)
		}
	}
	openEvents := func(c *Client) error { return second(c.StreamEvents(context.Background())) }
	for name, tt := range map[string]struct {
		server http.HandlerFunc
		open   func(*Client) error
		want   time.Duration
	}{
		"game, not even a head":     {neverRespond, openGame, 3 * time.Second},
		"game, only a head":         {thenSilent(""), openGame, 3 * time.Second},
		"game, single bytes":        {dribble(""), openGame, 3 * time.Second},
		"game, blank, single bytes": {dribble("\n"), openGame, 9 * time.Second},
		"game, only a blank":        {thenSilent("\n"), openGame, 9 * time.Second},
		"events":                    {neverRespond, openEvents, slowAnswer},
	} {
		inBubble(t, name, func(t *testing.T) {
			c := bubbleClient(t, tt.server, func(o *Options) { o.StreamIdle = 9 * time.Second })
			began := time.Now()
			err := tt.open(c)
			if took := time.Since(began); !errors.Is(err, ErrStalled) || took != tt.want {
				t.Errorf("after %s: %v", took, err)
			}
		})
	}
}

// dribble returns a handler that sends a byte each second that ends no line.
func dribble(first string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		feed(first)(w, r)
		for range 60 {
			_ = Sleep(r.Context(), time.Second)
			feed(" ")(w, r)
		}
	}
}

// openGame opens a game's stream and waits for its first event.
func openGame(c *Client) error {
	stream, err := c.StreamGame(context.Background(), "zH4kQ2ab")
	if err == nil {
		_, err = stream.Next()
	}
	return err
}

func TestStream_Ends(t *testing.T) {
	for name, end := range map[string]func(context.CancelFunc, *EventStream){
		"with its context": func(cancel context.CancelFunc, _ *EventStream) { cancel() },
		"closed":           func(_ context.CancelFunc, s *EventStream) { s.Close() },
	} {
		inBubble(t, name, func(t *testing.T) {
			gone := false
			c := bubbleClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				feed("\n")(w, r)
				neverRespond(w, r)
				gone = true
			}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stream, err := c.StreamEvents(ctx)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error)
			go func() { ended <- second(stream.Next()) }()
			synctest.Wait()
			began := time.Now()
			end(cancel, stream)
			if err := <-ended; name == "with its context" && !errors.Is(err, context.Canceled) || err == io.EOF ||
				IsTemporary(err) {
				t.Errorf("ended with %v", err)
			}
			synctest.Wait()
			if !gone || time.Since(began) != 0 {
				t.Errorf("connection gone: %t, after %s", gone, time.Since(began))
			}
		})
	}
}

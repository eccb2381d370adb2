package lichess

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/file/filetest"
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
	lines := filetest.Read(t, "testdata/events.ndjson")
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
			events, bad, end := drain(stream)
			if end != io.EOF || stream.IsEmpty() {
				t.Errorf("ended with %v, empty: %t", end, stream.IsEmpty())
			}
			if (len(bad) != 0) != (name == "with bad lines") {
				t.Errorf("bad lines %q", bad)
			}
			checkSampleEvents(t, events)
			if _, err := stream.Next(); err != io.EOF {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

// checkSampleEvents checks the events of the sample lines.
func checkSampleEvents(t *testing.T, events []Event) {
	t.Helper()
	if len(events) != 5 {
		t.Fatalf("%d events, want 5", len(events))
	}
	created := events[0].(*ChallengeCreated)
	want := Challenge{
		ID: "zH4kQ2ab", URL: "https://lichess.org/zH4kQ2ab", Status: "created",
		Challenger: &Player{ID: "dropfan", Name: "DropFan", Rating: 2011, Online: true},
		DestUser:   &Player{ID: "zhbot", Name: "zhbot", Rating: 2350, Title: "BOT", Provisional: true, Online: true},
		Variant:    Variant{Key: Crazyhouse, Name: "Crazyhouse", Short: "Crazy"},
		Rated:      true, Speed: Blitz,
		TimeControl: TimeControl{Type: ClockControl, Clock: Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}},
		Color:       RandomColor,
	}
	if diff := cmp.Diff(want, created.Challenge); diff != "" {
		t.Errorf("challenge (-want +got):\n%s", diff)
	}
	if !created.Compat.Bot || created.Challenge.Challenger.IsBot() || !created.Challenge.DestUser.IsBot() {
		t.Errorf("challenge %+v", created)
	}
	if id := events[1].(*ChallengeCanceled).Challenge.ID; id != "cA7xW1pq" {
		t.Errorf("cancelled %s", id)
	}
	if key := events[2].(*ChallengeDeclined).Challenge.DeclineReasonKey; key != "toofast" {
		t.Errorf("declined for %s", key)
	}
	start := events[3].(*GameStart).Game
	if start.ID != "zH4kQ2ab" || start.Status != StatusStarted || !start.IsMyTurn || *start.SecondsLeft != 180 {
		t.Errorf("start %+v", start)
	}
	finish := events[4].(*GameFinish).Game
	if finish.Status != StatusMate || finish.Winner != White || *finish.RatingDiff != 3 || *finish.Opponent.RatingDiff != -2 {
		t.Errorf("finish %+v", finish)
	}
}

func TestClient_StreamGame(t *testing.T) {
	stream, err := testClient(t, feed(filetest.Read(t, "testdata/game.ndjson"))).StreamGame(t.Context(), "zH4kQ2ab")
	if err != nil {
		t.Fatal(err)
	}
	events, bad, end := drain(stream)
	if end != io.EOF || bad != nil || len(events) != 8 {
		t.Fatalf("%d events, bad lines %q, end %v", len(events), bad, end)
	}
	full := events[0].(*GameFull)
	want := &GameFull{
		ID: "zH4kQ2ab", Variant: Variant{Key: Crazyhouse, Name: "Crazyhouse", Short: "Crazy"}, Speed: Blitz,
		Rated: true, CreatedAt: 1787400000000, InitialFEN: "startpos",
		White: Player{ID: "zhbot", Name: "zhbot", Title: "BOT", Rating: 2350, Provisional: true},
		Black: Player{ID: "dropfan", Name: "DropFan", Rating: 2011},
		Clock: Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
		State: GameState{WhiteTime: 180000, BlackTime: 180000, WhiteIncrement: 2000, BlackIncrement: 2000, Status: StatusStarted},
	}
	if diff := cmp.Diff(want, full); diff != "" {
		t.Errorf("gameFull (-want +got):\n%s", diff)
	}
	if line := *events[1].(*ChatLine); line != (ChatLine{PlayerRoom, "DropFan", "glhf"}) {
		t.Errorf("chat %+v", line)
	}
	if s := events[2].(*GameState); !s.BlackDraw || s.WhiteDraw || len(s.MoveList()) != 8 || s.BlackTime.Duration() != 181370*time.Millisecond {
		t.Errorf("state %+v", s)
	}
	if s := events[3].(*GameState); !s.BlackTakeback {
		t.Errorf("state %+v", s)
	}
	if g := events[4].(*OpponentGone); !g.Gone || *g.ClaimWinIn != 25 {
		t.Errorf("gone %+v", g)
	}
	if g := events[5].(*OpponentGone); g.Gone || g.ClaimWinIn != nil {
		t.Errorf("back %+v", g)
	}
	if s := events[6].(*GameState); s.Status != StatusMate || s.Winner != White || !s.Status.Over() {
		t.Errorf("state %+v", s)
	}
	if s := events[7].(*GameState); s.Status != StatusAborted || s.Winner != "" {
		t.Errorf("state %+v", s)
	}
}

func TestStream_UnknownEvents(t *testing.T) {
	lines := filetest.Read(t, "testdata/unknown.ndjson") + `{"type":"tournamentInvite","x":[1,{}]}`
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

func TestStream_Truncated(t *testing.T) {
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		feed("{\"type\":\"a\"}\n{\"type\":\"game")(w, r)
		closeConn(w, r)
	})
	stream, err := testClient(t, server).StreamEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	events, bad, end := drain(stream)
	var network *NetworkError
	if len(events) != 1 || bad != nil || !errors.As(end, &network) || !IsTemporary(end) {
		t.Errorf("events %v, bad lines %q, end %v", events, bad, end)
	}
	if _, _, end := drain(openString(t, `{"type":"game`)); !errors.Is(end, io.ErrUnexpectedEOF) {
		t.Errorf("ended by the server within a line: %v", end)
	}
}

func TestClient_StreamRefused(t *testing.T) {
	c := testClient(t, answerWith(429, http.Header{"Retry-After": {"100"}}, `{"error":"Please don't poll this endpoint"}`))
	for _, local := range []bool{false, true} {
		_, err := c.StreamEvents(t.Context())
		var limited *RateLimitError
		if !errors.As(err, &limited) || limited.Local != local || limited.RetryAfter.Round(time.Second) != 100*time.Second {
			t.Errorf("error %v, want one with Local %t", err, local)
		}
	}
	c = testClient(t, respond(404, `{"error":"No such game"}`))
	if _, err := c.StreamGame(t.Context(), "aaaaaaaa"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "No such game") {
		t.Errorf("error %v", err)
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
	for name, tt := range map[string]struct {
		server http.HandlerFunc
		open   func(*Client) error
		want   time.Duration
	}{
		"game, not even a head": {neverRespond, openGame, 3 * time.Second},
		"game, only a head":     {func(w http.ResponseWriter, r *http.Request) { feed()(w, r); neverRespond(w, r) }, openGame, 3 * time.Second},
		"game, single bytes":    {dribble(""), openGame, 3 * time.Second},
		"then single bytes":     {dribble("\n"), openGame, 9 * time.Second},
		"game, only a blank":    {func(w http.ResponseWriter, r *http.Request) { feed("\n")(w, r); neverRespond(w, r) }, openGame, 9 * time.Second},
		"events": {neverRespond, func(c *Client) error {
			_, err := c.StreamEvents(context.Background())
			return err
		}, 9 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := bubbleClient(t, tt.server, func(o *Options) { o.StreamIdle = 9 * time.Second })
				began := time.Now()
				err := tt.open(c)
				if took := time.Since(began); !errors.Is(err, ErrStalled) || took != tt.want {
					t.Errorf("after %s: %v", took, err)
				}
			})
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
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
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
				if err := <-ended; name == "with its context" && !errors.Is(err, context.Canceled) || err == io.EOF || IsTemporary(err) {
					t.Errorf("ended with %v", err)
				}
				synctest.Wait()
				if !gone || time.Since(began) != 0 {
					t.Errorf("connection gone: %t, after %s", gone, time.Since(began))
				}
			})
		})
	}
}

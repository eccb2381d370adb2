package lichess

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

func TestToken_CannotBePrinted(t *testing.T) {
	token, err := NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	hiddenInside := struct{ token Token }{token}
	var shown bytes.Buffer
	for _, v := range []any{
		token, &token, Options{Token: token}, &Options{Token: token}, hiddenInside, &hiddenInside, c, *c.calls,
		*c.streams,
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&shown, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&shown, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&shown, nil)).Info("x", "v", v)
		if b, err := json.Marshal(v); err == nil {
			shown.Write(b)
		}
	}
	shown.WriteString(token.String())
	checkNoSecret(t, "printing", shown.String())
	if !strings.Contains(fmt.Sprint(Options{Token: token}), tokenPlaceholder) {
		t.Error("no placeholder")
	}
}

// checkNoSecret searches for the token in plain text, in hexadecimal, and for long
// parts of it.
func checkNoSecret(t *testing.T, where, shown string) {
	t.Helper()
	for _, leak := range []string{secret, "secretKX3", "Qm7vTZ0", fmt.Sprintf("%x", secret)} {
		if strings.Contains(shown, leak) {
			t.Errorf("%s shows the token: %s", where, shown)
		}
	}
}

func TestNewToken(t *testing.T) {
	for _, bad := range []string{"", " \n", "lip_Qm7v TZ0secretKX3", "lip_Qm7vTZ0\nsecretKX3", secret + "é"} {
		_, err := NewToken(bad)
		if err == nil {
			t.Errorf("%q was taken", bad)
			continue
		}
		checkNoSecret(t, "the error", err.Error())
	}
	if token, err := NewToken(strings.Repeat("a", 2000)); err != nil || token.IsZero() {
		t.Errorf("a long token: %v", err)
	}
}

// failures are failing servers that echo the token wherever possible.
var failures = map[string]http.HandlerFunc{
	"text":      answerWith(400, echo, `{"error":"bad `+secret+`"}`),
	"object":    answerWith(400, echo, `{"error":{"`+secret+`":["`+secret+`"]}}`),
	"page":      answerWith(500, echo, secret),
	"no auth":   answerWith(401, echo, `{"error":"No such token `+secret+`"}`),
	"no scope":  answerWith(403, echo, `{"error":"Missing scope: `+secret+`"}`),
	"not found": answerWith(404, echo, "<html>"+secret),
	"limited":   answerWith(429, echo, `{"error":"`+secret+`","ratelimit":{"key":"`+secret+`","seconds":1}}`),
	"redirect":  answerWith(302, echo, secret),
	"nonsense":  answerWith(200, echo, secret),
	"bad types": answerWith(200, echo,
		`{"type":"gameStart","game":"`+secret+`","id":"`+secret+`","nowPlaying":"`+secret+`"}`),
	"huge":            answerWith(200, echo, strings.Repeat(secret, maxBody/len(secret)+1)),
	"cut":             closeConn,
	"bad status line": sendRaw("HTTP/1.1 " + secret + "\r\n\r\n"),
	"bad header":      sendRaw("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + secret + "\r\n" + secret + "\r\n\r\n"),
}

// sendRaw returns a handler that sends what may be no HTTP response.
func sendRaw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}
}

var echo = http.Header{
	"Location":                {"https://" + secret + ".example/" + secret},
	"X-Oauth-Scopes":          {secret},
	"X-Accepted-Oauth-Scopes": {secret},
	"Retry-After":             {secret},
}

// TestClient_NeverShowsTheToken calls every endpoint with every failure and searches
// all errors, observations and logs for the token.
func TestClient_NeverShowsTheToken(t *testing.T) {
	logged := captureLogs(t)
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(failure)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.Start()
			t.Cleanup(server.Close)
			calls := apiCalls
			if name == "huge" {
				calls = calls[:5] // which read an answer, entries, or neither
			}
			checkFailures(t, server.URL, calls)
		})
	}
	t.Run("no server", func(t *testing.T) {
		server := httptest.NewServer(nil)
		server.Close()
		checkFailures(t, server.URL, apiCalls)
	})
	checkNoSecret(t, "the log", logged())
}

// checkFailures makes calls, each with a client of its own.
func checkFailures(t *testing.T, url string, calls []apiCall) {
	t.Helper()
	var mu sync.Mutex
	watch := func(o *Options) {
		noRetry(o)
		o.Observe = func(o Observation) {
			mu.Lock()
			defer mu.Unlock()
			checkNoSecret(t, "an observation", fmt.Sprintf("%v %+v %s", o, o, o.Err))
		}
	}
	for _, tc := range calls {
		if tc.method == "Move" {
			continue // checked below: its timeout is longer
		}
		_, err := tc.call(t.Context(), clientOf(t, url, watch))
		checkErrors(t, tc.method, err)
	}
	c := clientOf(t, url, watch)
	p := &moveAttempt{client: c, move: e4}
	checkErrors(t, "Move", p.post(t.Context(), false))
	checkErrors(t, "Move, settled", p.handleRejection(t.Context(), errors.New("refused")))

	events, err := c.StreamEvents(t.Context())
	checkErrors(t, "StreamEvents", err)
	drainErrors(t, events)
	game, err := c.StreamGame(t.Context(), "a")
	checkErrors(t, "StreamGame", err)
	drainErrors(t, game)
}

// drainErrors reads a stream to its end and checks its errors.
func drainErrors[E any](t *testing.T, s *Stream[E]) {
	t.Helper()
	if s == nil {
		return
	}
	_, bad, end := drain(s)
	checkErrors(t, "the stream", end)
	checkNoSecret(t, "bad lines", fmt.Sprint(bad))
}

// checkErrors checks an error and all that it wraps, in every format.
func checkErrors(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	b, _ := json.Marshal(err)
	checkNoSecret(t, name, fmt.Sprintf("%v\n%+v\n%#v\n%s", err, err, err, b))
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		checkErrors(t, name, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			checkErrors(t, name, inner)
		}
	}
}

// captureLogs captures the standard logger and standard error. The returned function
// returns what was captured.
func captureLogs(t *testing.T) func() string {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = writer
	log.SetOutput(writer)
	text := make(chan string)
	go func() {
		b, _ := io.ReadAll(reader)
		text <- string(b)
	}()
	return func() string {
		os.Stderr = stderr
		log.SetOutput(stderr)
		_ = writer.Close()
		return <-text
	}
}

package app

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// notifyWriter is a text that says when it grows.
type notifyWriter struct {
	mu    sync.Mutex
	text  strings.Builder
	grown chan struct{} // has room for one
}

func (w *notifyWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.grown <- struct{}{}:
	default:
	}
	return w.text.Write(p)
}

// find waits until the text has a match.
func (w *notifyWriter) find(t *testing.T, pattern string) []string {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		w.mu.Lock()
		found := regexp.MustCompile(pattern).FindStringSubmatch(w.text.String())
		w.mu.Unlock()
		if found != nil {
			return found
		}
		select {
		case <-w.grown:
		case <-timeout:
			t.Fatalf("no %q in %s", pattern, &w.text)
		}
	}
}

// The server says how to play there, challenges whoever connects, and ends with the
// context.
func TestServeSandbox(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out := &notifyWriter{grown: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	go func() {
		ended <- ServeSandbox(ctx, ":0", lichess.Clock{Initial: time.Minute, Increment: time.Second}, 1, out)
	}()
	invitation := out.find(t, `ZHBOT_LICHESS_URL=(\S+) ZHBOT_LICHESS_TOKEN=(\S+) zhbot run`)
	if !strings.HasPrefix(invitation[1], "http://127.0.0.1:") {
		t.Errorf("served at %s", invitation[1])
	}
	token, err := lichess.NewToken(invitation[2])
	if err != nil {
		t.Fatal(err)
	}
	client, err := lichess.New(lichess.Options{URL: invitation[1], Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	events, err := client.StreamEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	e, err := events.Next()
	if c, ok := e.(*lichess.ChallengeCreated); !ok || err != nil || c.Challenge.TimeControl.Clock.Initial != time.Minute {
		t.Errorf("the bot gets %+v, %v, want a challenge", e, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestPlayUnlessRefused(t *testing.T) {
	refused := fmt.Errorf("start: %w", bot.ErrNotBot)
	broken := errors.New("out of memory")
	for _, tt := range []struct {
		name    string
		retry   time.Duration
		ends    []error // of each try
		stopped bool    // while it waits for the next one
		want    error
		lasted  time.Duration
	}{
		{name: "played", retry: time.Hour, ends: []error{nil}},
		{name: "ends", ends: []error{refused}, want: refused},
		{name: "failed", retry: time.Hour, ends: []error{broken}, want: broken},
		{name: "accepted again", retry: time.Hour, ends: []error{refused, refused, refused, nil}, lasted: 3 * time.Hour},
		{name: "stopped", retry: time.Hour, ends: []error{refused}, stopped: true, lasted: time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if tt.stopped {
					time.AfterFunc(time.Minute, stop)
				}
				var log bytes.Buffer
				began, tries := time.Now(), 0
				err := retryWhileRefused(ctx, tt.retry, zerolog.New(&log), func() error {
					tries++
					return tt.ends[tries-1]
				})
				if !errors.Is(err, tt.want) || tries != len(tt.ends) || time.Since(began) != tt.lasted {
					t.Errorf("%d tries in %s, %v; want %d in %s, %v", tries, time.Since(began), err, len(tt.ends), tt.lasted, tt.want)
				}
				if n := strings.Count(log.String(), `"level":"error"`); n > 1 {
					t.Errorf("%d errors logged:\n%s", n, log.String())
				}
			})
		})
	}
}

// A bot whose account is closed while it plays stays up if it is to, alive but not
// ready, and asks for nothing.
func TestRun_StaysUpWhileRefused(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	address := freeAddress(t)
	p := startProcess(t, []string{
		"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddBot("zhbot"), "ZHBOT_RECORDS_DIR=" + t.TempDir(),
		"ZHBOT_ENGINE_HASH_MB=16", "ZHBOT_WEB_LISTEN=" + address, "ZHBOT_LICHESS_RETRY_REFUSED=1h",
	}, "run")
	status := func(path string) int {
		r, err := http.Get("http://" + address + path)
		if err != nil {
			return 0
		}
		defer r.Body.Close()
		return r.StatusCode
	}
	waitFor(t, "the bot is ready", func() bool { return status("/readyz") == http.StatusOK })
	s.CloseAccount("zhbot")
	waitFor(t, "it stops playing", func() bool {
		return strings.Contains(p.output(), "Lichess refuses the token or the account: not playing")
	})
	if ready, alive := status("/readyz"), status("/healthz"); ready != http.StatusServiceUnavailable || alive != http.StatusOK {
		t.Errorf("ready: %d, alive: %d", ready, alive)
	}
	if err := p.signalAndWait(t, syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v:\n%s", err, p.output())
	}
}

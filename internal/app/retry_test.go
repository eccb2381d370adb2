package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
)

func TestRetryWhileRefused(t *testing.T) {
	refused := fmt.Errorf("start: %w", &bot.Refusal{})
	broken := errors.New("out of memory")
	for _, tt := range []struct {
		name    string
		retry   time.Duration
		ends    []error // of each try
		drained bool    // in the last try
		stopped bool    // while it waits for the next one
		want    error
		lasted  time.Duration
	}{
		{name: "played", retry: time.Hour, ends: []error{nil}},
		{name: "ends", ends: []error{refused}, want: refused},
		{name: "failed", retry: time.Hour, ends: []error{broken}, want: broken},
		{name: "accepted again", retry: time.Hour, ends: []error{refused, refused, refused, nil}, lasted: 3 * time.Hour},
		{name: "drained", retry: time.Hour, ends: []error{refused, refused}, drained: true, want: refused, lasted: time.Hour},
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
				err := retryWhileRefused(ctx, tt.retry, zerolog.New(&log), func() (bool, error) {
					tries++
					return tt.drained && tries == len(tt.ends), tt.ends[tries-1]
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

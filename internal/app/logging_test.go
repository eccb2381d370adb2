package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

var plainLine = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INF loud\n$`)

// Elsewhere than on a terminal the log is JSON, unless the settings say so.
func TestNewLogger(t *testing.T) {
	for _, tt := range []struct {
		format, level string
		json, debug   bool
	}{
		{"auto", "info", true, false},
		{"json", "debug", true, true},
		{"console", "info", false, false},
	} {
		var out bytes.Buffer
		log, err := NewLogger(config.Log{Format: tt.format, Level: tt.level}, &out)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug().Msg("quiet")
		log.Info().Msg("loud")
		first, _, _ := strings.Cut(out.String(), "\n")
		if isJSON := json.Valid([]byte(first)); isJSON != tt.json ||
			strings.Contains(out.String(), "quiet") != tt.debug {
			t.Errorf("format %s, level %s: %s", tt.format, tt.level, &out)
		}
		if !tt.json && !plainLine.MatchString(out.String()) {
			t.Errorf("format %s: %q is not a line with the day, without colours", tt.format, &out)
		}
		if !strings.Contains(out.String(), "loud") {
			t.Errorf("format %s, level %s: info is lost", tt.format, tt.level)
		}
	}
}

// A request that fails for want of the network or the server is a warning, any
// other a note for those who debug.
func TestLogRequest(t *testing.T) {
	network := &lichess.NetworkError{Err: errors.New("connection refused")}
	for _, tt := range []struct {
		endpoint string
		err      error
		warns    bool
	}{
		{"GET /api/account", nil, false},
		{"GET /api/account", &lichess.APIError{StatusCode: 404, Explained: true}, false},
		{"GET /api/account", network, true},
		{"GET /api/account", &lichess.APIError{StatusCode: 502}, true},
		{"GET /api/stream/event", network, false},
	} {
		var out bytes.Buffer
		logRequest(zerolog.New(&out), lichess.Observation{Endpoint: tt.endpoint, Err: tt.err})
		want := `{"level":"debug",`
		if tt.warns {
			want = `{"level":"warn",`
		}
		if text := out.String(); !strings.HasPrefix(text, want) ||
			strings.Contains(text, `"request failed"`) != tt.warns {
			t.Errorf("%s, %v: logged as %s", tt.endpoint, tt.err, text)
		}
	}
}

// stuckWriter takes nothing before it is released.
type stuckWriter struct {
	released chan struct{}
	taken    bytes.Buffer
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	<-w.released
	return w.taken.Write(p)
}

// Logging does not wait for the writer, and flush writes what waits. Lines that are dropped
// are counted in the log.
func TestNewBackground_Stuck(t *testing.T) {
	for n, drops := range map[int]bool{logBuffer / 2: false, 3 * logBuffer: true} {
		w := &stuckWriter{released: make(chan struct{})}
		log, err := newBackground(config.Default().Log, w)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			log.Info().Msg(strconv.Itoa(i)) // would hang here
		}
		close(w.released)
		log.Flush()
		text, dropped := w.taken.String(), log.dropped.Load()
		reported, last := strings.Contains(text, "log lines dropped"), strings.Contains(text, strconv.Itoa(n-1))
		if reported != drops || dropped > 0 != drops || !last {
			t.Errorf("of %d lines %d were dropped; the log does not say so, or lacks the last one", n, dropped)
		}
		if lines := strings.Count(text, "\n"); !drops && lines != n {
			t.Errorf("%d of %d lines arrived", lines, n)
		}
	}
}

// pipe is a writer whose reader may be away.
type pipe struct {
	bytes.Buffer
	broken bool
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.broken {
		return 0, syscall.EPIPE
	}
	return p.Buffer.Write(b)
}

// Lines that the writer refuses are counted, and reported once it works again.
func TestNewBackground_Refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &pipe{broken: true}
		log, err := newBackground(config.Default().Log, w)
		if err != nil {
			t.Fatal(err)
		}
		log.Info().Msg("lost")
		log.Info().Msg("lost")
		synctest.Wait()
		w.broken = false
		log.Info().Msg("written")
		log.Info().Msg("written")
		log.Flush()
		text := w.String()
		if log.dropped.Load() != 2 || strings.Count(text, `"lines":2`) != 1 || strings.Count(text, `"written"`) != 2 {
			t.Errorf("%d lines dropped, the log is\n%s", log.dropped.Load(), text)
		}
	})
}

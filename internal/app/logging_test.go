package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

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
		if isJSON := json.Valid([]byte(first)); isJSON != tt.json || strings.Contains(out.String(), "quiet") != tt.debug {
			t.Errorf("format %s, level %s: %s", tt.format, tt.level, &out)
		}
		if !strings.Contains(out.String(), "loud") {
			t.Errorf("format %s, level %s: info is lost", tt.format, tt.level)
		}
	}
}

// A request that fails for want of the network or the server is a warning, any
// other a note for those who debug.
func TestLogRequest(t *testing.T) {
	network := &lichess.NetworkError{Endpoint: "GET /api/account", Err: errors.New("connection refused")}
	for _, tt := range []struct {
		name string
		seen lichess.Observation
		want string
	}{
		{"answered", lichess.Observation{Endpoint: "GET /api/account", Status: 200}, "debug request"},
		{"refused", lichess.Observation{Endpoint: "GET /api/account", Status: 404, Err: &lichess.APIError{StatusCode: 404, Explained: true}}, "debug request"},
		{"no answer", lichess.Observation{Endpoint: "GET /api/account", Err: network}, "warn request failed"},
		{"server down", lichess.Observation{Endpoint: "GET /api/account", Status: 502, Err: &lichess.APIError{StatusCode: 502}}, "warn request failed"},
		{"stream", lichess.Observation{Endpoint: "GET /api/stream/event", Err: network}, "debug request"},
	} {
		var out bytes.Buffer
		logRequest(zerolog.New(&out), tt.seen)
		var line struct{ Level, Message string }
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if got := line.Level + " " + line.Message; got != tt.want {
			t.Errorf("%s: logged as %q, want %q", tt.name, got, tt.want)
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

// Logging does not wait for the writer, and flush writes what waits.
func TestNewBackground_Stuck(t *testing.T) {
	w := &stuckWriter{released: make(chan struct{})}
	log, err := newBackground(config.Default().Log, w)
	if err != nil {
		t.Fatal(err)
	}
	for i := range logBuffer / 2 {
		log.Info().Msg(strconv.Itoa(i)) // would hang here
	}
	close(w.released)
	log.Flush()
	lines := strings.Split(strings.TrimSpace(w.taken.String()), "\n")
	if len(lines) != logBuffer/2 || !strings.Contains(lines[len(lines)-1], strconv.Itoa(logBuffer/2-1)) {
		t.Errorf("%d lines arrived, the last one %q", len(lines), lines[len(lines)-1])
	}
}

// Lines that are dropped are counted in the log.
func TestNewBackground_Dropped(t *testing.T) {
	w := &stuckWriter{released: make(chan struct{})}
	log, err := newBackground(config.Default().Log, w)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * logBuffer {
		log.Info().Msg(strconv.Itoa(i))
	}
	close(w.released)
	log.Flush()
	if log.dropped.Load() == 0 {
		t.Error("no line counts as dropped")
	}
	if text := w.taken.String(); !strings.Contains(text, "log lines dropped") || !strings.Contains(text, strconv.Itoa(3*logBuffer-1)) {
		t.Errorf("the log does not count the lines that were dropped, or lacks the last one")
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
		if text := w.String(); log.dropped.Load() != 2 || strings.Count(text, `"lines":2`) != 1 || strings.Count(text, `"written"`) != 2 || strings.Contains(text, "lost") {
			t.Errorf("%d lines dropped, the log is\n%s", log.dropped.Load(), text)
		}
	})
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess"
)

// A request that fails for want of the network or the server is a warning, any
// other a note for those who debug.
func TestLogRequests(t *testing.T) {
	network := &lichess.NetworkError{Endpoint: "GET /api/account", Err: errors.New("connection refused")}
	for _, tt := range []struct {
		name string
		seen lichess.Observation
		want string
	}{
		{"answered", lichess.Observation{Endpoint: "GET /api/account", Status: 200}, "debug request"},
		{"refused", lichess.Observation{Endpoint: "GET /api/account", Status: 404, Err: &lichess.APIError{StatusCode: 404}}, "debug request"},
		{"no answer", lichess.Observation{Endpoint: "GET /api/account", Err: network}, "warn request failed"},
		{"server down", lichess.Observation{Endpoint: "GET /api/account", Status: 502, Err: &lichess.APIError{StatusCode: 502}}, "warn request failed"},
		{"stream", lichess.Observation{Endpoint: "GET /api/stream/event", Err: network}, "debug request"},
	} {
		var out bytes.Buffer
		var o lichess.Options
		logRequests(zerolog.New(&out))(&o)
		o.Observe(tt.seen)
		var line struct{ Level, Message string }
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if got := line.Level + " " + line.Message; got != tt.want {
			t.Errorf("%s: logged as %q, want %q", tt.name, got, tt.want)
		}
	}
}

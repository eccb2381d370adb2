package stream

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// One line that an older connection brings after a newer one was asked for may be
// newer than what the newer one begins with.
func TestStateOrder(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	state := func(moves string) *lichess.GameState {
		return &lichess.GameState{Moves: moves, Status: lichess.StatusStarted}
	}
	full := func(moves string) *lichess.GameFull { return &lichess.GameFull{State: *state(moves)} }
	over := &lichess.GameState{Moves: "e2e4", Status: lichess.StatusResign}
	for name, tt := range map[string]struct {
		event      lichess.GameEvent
		opened     int
		superseded bool
		want       string // moves handed over; "-" for nothing
	}{
		"older first event":                {full("e2e4"), 5, false, "e2e4 e7e5"},
		"older, with no time between":      {full("e2e4"), 10, false, "e2e4 e7e5"},
		"equal first event":                {full("e2e4 e7e5"), 5, false, "e2e4 e7e5"},
		"newer first event":                {full("e2e4 e7e5 g1f3"), 5, false, "e2e4 e7e5 g1f3"},
		"takeback before the opening":      {full("e2e4"), 15, false, "e2e4"},
		"takeback told":                    {state("e2e4"), 5, false, "e2e4"},
		"other move of the same length":    {full("e2e4 e7e6"), 5, false, "e2e4 e7e6"},
		"line of the older connection":     {state("e2e4"), 1, true, "-"},
		"repeated by the older connection": {state("e2e4 e7e5"), 1, true, "-"},
		"news of the older connection":     {state("e2e4 e7e5 g1f3"), 1, true, "e2e4 e7e5 g1f3"},
		"end told by the older connection": {over, 1, true, "e2e4"},
	} {
		o := stateOrder{latest: state("e2e4 e7e5"), receivedAt: at(10)}
		w := Item{Event: tt.event, ConnectedAt: at(tt.opened), ReceivedAt: at(20)}
		got := "-"
		if o.admit(&w, tt.superseded) {
			got = stateOf(w.Event).Moves
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	ended := stateOrder{latest: over, receivedAt: at(10)}
	if w := (Item{Event: full("e2e4"), ConnectedAt: at(5)}); !ended.admit(&w, false) ||
		stateOf(w.Event).Status != over.Status {
		t.Errorf("first event after the end: %+v", w.Event)
	}
	for _, tt := range []struct {
		moves, before string
		want          bool
	}{{"e2e4", "", true}, {"", "", false}, {"e7e8q", "e7e8", false}, {"e2e4 e7e5", "e2e4", true},
		{"e2e4", "e2e4 e7e5", false}} {
		if got := extends(tt.moves, tt.before); got != tt.want {
			t.Errorf("%q extends %q: %t", tt.moves, tt.before, got)
		}
	}
}

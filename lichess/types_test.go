package lichess

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestStatus(t *testing.T) {
	tests := []struct {
		in   string
		want Status
		over bool
	}{
		{`"started"`, StatusStarted, false},
		{`"created"`, StatusCreated, false},
		{`"mate"`, StatusMate, true},
		{`{"id":35,"name":"outoftime"}`, StatusOutOfTime, true},
		{`{"id":20}`, StatusStarted, false},
		{`25`, StatusAborted, true},
		{`{"id":99}`, "99", true},
		{`"somethingNew"`, "somethingNew", true},
		{`null`, "", false},
	}
	for _, tc := range tests {
		var got Status
		if err := json.Unmarshal([]byte(tc.in), &got); err != nil || got != tc.want || got.Over() != tc.over {
			t.Errorf("%s: %q, over %t, error %v", tc.in, got, got.Over(), err)
		}
	}
	if err := json.Unmarshal([]byte(`[1]`), new(Status)); err == nil {
		t.Error("a list was taken as a status")
	}
}

// TestDecode_Variations decodes forms that differ from the sample lines.
func TestDecode_Variations(t *testing.T) {
	game := func(state string) string {
		return `{"type":"gameFull","id":"a","white":{"aiLevel":3},"black":{},"state":` + state + `}`
	}
	full, err := decodeGameEvent([]byte(game(`{"type":"gameState","moves":"","status":"started","expiration":{"idleMillis":5,"millisToMove":30000},"rematch":"bbbbbbbb"}`)))
	if err != nil {
		t.Fatal(err)
	}
	g := full.(*GameFull)
	if g.White.AILevel != 3 || g.Black != (Player{}) || g.Clock != nil || g.State.Expiration.ToMove != 30000 || g.State.Rematch != "bbbbbbbb" {
		t.Errorf("gameFull %+v", g)
	}
	if _, err := decodeGameEvent([]byte(game(`null`))); err == nil {
		t.Error("a gameFull without state was taken")
	}
	event, err := decodeEvent([]byte(`{"type":"challenge","challenge":{"id":"a","challenger":null,"destUser":null,"timeControl":{"type":"unlimited"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := event.(*ChallengeCreated)
	if c.Challenge.Challenger != nil || c.Challenge.Challenger.IsBot() || c.Compat != nil {
		t.Errorf("challenge %+v", c)
	}
}

func TestDurations(t *testing.T) {
	tests := []struct{ got, want time.Duration }{
		{Millis(1500).Duration(), 1500 * time.Millisecond},
		{Millis(2147483647).Duration(), 2147483647 * time.Millisecond},
		{Seconds(-3).Duration(), -3 * time.Second},
		{Millis(math.MaxInt64).Duration(), math.MaxInt64 / time.Millisecond * time.Millisecond},
		{Seconds(math.MinInt64).Duration(), -(math.MaxInt64 / time.Second * time.Second)},
	}
	for _, tc := range tests {
		if tc.got != tc.want {
			t.Errorf("%s, want %s", tc.got, tc.want)
		}
	}
}

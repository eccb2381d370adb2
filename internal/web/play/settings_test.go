package play

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

func TestParseClock(t *testing.T) {
	for text, want := range map[string]lichess.Clock{
		"none":  {},
		"5+3":   {Initial: 5 * time.Minute, Increment: 3 * time.Second},
		"15+10": {Initial: 15 * time.Minute, Increment: 10 * time.Second},
		"½+0":   {Initial: 30 * time.Second},
	} {
		got, err := ParseClock(text)
		if err != nil || got != want || formatClock(got) != text {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if _, err := ParseClock("180+2"); err == nil || err.Error() != `clock: 180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes; "none" is no clock` {
		t.Error(err)
	}
}

func TestParseSide(t *testing.T) {
	seen := map[rules.Color]bool{}
	for range 64 {
		c, err := ParseSide("random")
		if err != nil {
			t.Fatal(err)
		}
		seen[c] = true
	}
	if len(seen) != 2 {
		t.Errorf("random is always %v", seen)
	}
	for text, want := range map[string]rules.Color{"white": rules.White, "black": rules.Black} {
		if c, err := ParseSide(text); err != nil || c != want {
			t.Errorf("%s is %s, %v", text, c, err)
		}
	}
	if _, err := ParseSide("White"); err == nil || !strings.Contains(err.Error(), "want white, black or random") {
		t.Errorf("error %v", err)
	}
}

// A game that is over cannot begin.
func TestSettings_OverPosition(t *testing.T) {
	position := rulestest.Position(t, "R5k1/5ppp/8/8/8/8/5PPP/6K1/ b - - 0 1")
	settings := Settings{Start: position}
	if err := settings.Check(); err == nil || !strings.Contains(err.Error(), "the game is over in this position: checkmate") {
		t.Errorf("error %v", err)
	}
}

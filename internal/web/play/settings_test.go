package play

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
)

func TestParseClock(t *testing.T) {
	for text, want := range map[string]Clock{
		"none":    {},
		"5+3":     {5 * time.Minute, 3 * time.Second},
		"0.5+0":   {30 * time.Second, 0},
		"0+2":     {0, 2 * time.Second},
		"180+180": {180 * time.Minute, 180 * time.Second},
	} {
		got, err := ParseClock(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "0+0", "+", "-1+2", "1+-1", "NaN+1", "Inf+1", "181+0", "5+181", "5+3+1", "five+3", "1e-12+0"} {
		if got, err := ParseClock(text); err == nil || got != (Clock{}) {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// FuzzParseClock: a clock that is accepted is within its limits, and none is only "none".
func FuzzParseClock(f *testing.F) {
	for _, text := range []string{"none", "5+3", "0.25+0", "1e2+1e1", "0x1p-2+0", "NaN+NaN"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseClock(text)
		if err != nil {
			return
		}
		if c.isSet() == (text == "none") || c.Initial < 0 || c.Initial > maxInitial || c.Increment < 0 || c.Increment > maxIncrement || c.isSet() && c.atStart() <= 0 {
			t.Errorf("%q is %+v", text, c)
		}
	})
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
func TestNewSession_OverPosition(t *testing.T) {
	position, err := rules.ParseFEN("R5k1/5ppp/8/8/8/8/5PPP/6K1/ b - - 0 1")
	must(t, err)
	if _, err := NewSession(SessionOptions{Engine: &scriptedEngine{}}, Settings{Start: position}); err == nil || !strings.Contains(err.Error(), "the game is over in this position: checkmate") {
		t.Errorf("error %v", err)
	}
}

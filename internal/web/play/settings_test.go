package play

import (
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func TestParseClock(t *testing.T) {
	for _, text := range []string{"none", "5+3", "½+0"} {
		if c, err := ParseClock(text); err != nil || formatClock(c) != text {
			t.Errorf("%q is %v, %v", text, c, err)
		}
	}
	const want = `clock: 180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes; "none" is no clock`
	if _, err := ParseClock("180+2"); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// The random side is each of the two.
func TestParseSide_Random(t *testing.T) {
	seen := map[rules.Color]bool{}
	for range 64 {
		c, err := ParseSide("random")
		seen[c] = true
		if err != nil {
			t.Error(err)
		}
	}
	if len(seen) != 2 {
		t.Errorf("random is always %v", seen)
	}
}

package human

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

func TestSharpness(t *testing.T) {
	calm := rules.StartPosition()
	hands := fixture.Position(t, "rnbqkbnr/pppppp2/8/8/8/8/PPPPPP2/RNBQKBNR[PPpp] w KQkq - 0 1")
	check := fixture.Position(t, "rnbqkbnr/pppp1Qpp/8/8/8/8/PPPPPPPP/RNB1KBNR[] b KQkq - 0 1")
	full := fixture.Position(t, "4k3/8/8/8/8/8/8/4K3[PPPPPPPPppppppppNNnn] w - - 0 1")
	for _, tt := range []struct {
		name   string
		p      rules.Position
		scores []int
		want   int
	}{
		{"calm", calm, nil, 0},
		{"one score", calm, []int{500}, 0},
		{"the same score", calm, []int{300, 300}, 0},
		{"a score that fell", calm, []int{-100, 100}, 20},
		{"a score that rose", calm, []int{100, -100}, 20},
		{"a mate that appeared", calm, []int{-30_000, 0}, sharpSwing},
		{"four in hand", hands, nil, 16},
		{"in check", check, nil, sharpCheck},
		{"all in hand", full, []int{30_000, 0}, maxSharpPieces + sharpSwing},
	} {
		if got := sharpness(&tt.p, tt.scores); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// The pace leaves enough on the clock, at whatever luck.
func TestPace(t *testing.T) {
	calm, obvious := rules.NewGame(rules.StartPosition()), rules.NewGame(rules.StartPosition())
	pace := func(g *rules.Game, left time.Duration, normal float64, scores ...int) time.Duration {
		return Pace(g, scores, left, 2*time.Second, normal)
	}
	if first := pace(calm, 3*time.Minute, 0); first != time.Second {
		t.Errorf("%s for the first move", first)
	}
	for g, moves := range map[*rules.Game][]string{
		calm:    {"e2e4", "d7d5", "b1c3", "d5d4"},
		obvious: {"e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d8", "d2d4", "d8d4"},
	} {
		if err := g.PlayUCI(moves...); err != nil {
			t.Fatal(err)
		}
	}
	usual, sharp := pace(calm, 3*time.Minute, 0), pace(calm, 3*time.Minute, 0, 400, 0)
	if usual < 2*time.Second || usual > 6*time.Second || sharp < usual+time.Second {
		t.Errorf("%s for a calm move, %s for a sharp one", usual, sharp)
	}
	for left := time.Minute; left > 10*time.Millisecond; left /= 2 {
		if got := pace(calm, left, 4, 400, 0); got > left/maxPaceShare {
			t.Errorf("%s with %s left", got, left)
		}
	}
	if got := pace(obvious, 3*time.Minute, 0); got > usual/2 {
		t.Errorf("%s to recapture, %s for another move", got, usual)
	}
}

package human

import (
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// The careful levels see all moves, and any level does in check.
func TestStrength_SeenMoves(t *testing.T) {
	p := fixture.Position(t, "r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1[NNBBQnnbbq] w - - 0 1")
	moves, before := p.LegalMoves(), 0
	for level := range MaxLevel + 1 {
		n := len(AtLevel(float64(level), 3).SeenMoves(&p, moves))
		if n < before || level >= carefulLevels && n != len(moves) {
			t.Errorf("level %d sees %d of %d moves, the level below %d", level, n, len(moves), before)
		}
		before = n
	}
	check := fixture.Position(t, "4k3/8/8/8/8/8/4r3/4K3[QRBN] w - - 0 1")
	if n := len(AtLevel(0, 3).SeenMoves(&check, check.LegalMoves())); n != len(check.LegalMoves()) {
		t.Errorf("in check the lowest level sees %d moves of %d", n, len(check.LegalMoves()))
	}
}

package opponent

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func TestAnalyzeLoss(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status lichess.Status
		us     rules.Color
		scores string
		linked bool
		want   string
	}{
		{"one bad move", "resign", rules.White, "20 10 -30 -400", true, "blunder: 3.Bc4 (ply 5), from -0.30 to -4.00"},
		{"as Black", "resign", rules.Black, "0 20 400 700", true, "blunder: 2...Nc6 (ply 4), from -0.20 to -4.00"},
		{"the worst of two", "resign", rules.White, "300 20 -170 -230", true,
			"blunder: 1.e4 (ply 1), from +3.00 to +0.20"},
		{
			"mated from a good position", "mate", rules.White, "20 10 30 40", true,
			"blunder: 4.a3 (ply 7), from +0.40 to -15.00",
		},
		{"little by little", "resign", rules.White, "-100 -200 -300 -400", true, "outplayed"},
		{"mated, long lost", "mate", rules.White, "-1300 -1400 -1450 -1500", true, "outplayed"},
		{"bad out of the book", "resign", rules.White, "- - -120 -900", true, "book: 2.Nf3 (ply 3), then -1.20"},
		{"on time", "outoftime", rules.White, "0 0 0 0", true, "clock"},
		{"on time while cut off", "outoftime", rules.White, "0 0 0 0", false, "connection"},
		{"we had left", "timeout", rules.White, "0 0 0 0", true, "connection"},
		{"nothing known", "resign", rules.White, "", true, "outplayed"},
		{
			"with its clock", "resign", rules.White, "20 10 -30 -400", true,
			"blunder: 3.Bc4 (ply 5), from -0.30 to -4.00, 2.3s on the clock",
		},
	} {
		g := lost(t, tt.us, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 a2a3 d8f6", tt.scores)
		g.Status = tt.status
		if tt.name == "with its clock" {
			g.Notes[4].Clock, g.Notes[4].HasClock = 2340*time.Millisecond, true
		}
		if got := AnalyzeLoss(g, tt.us, tt.linked).Describe(g); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

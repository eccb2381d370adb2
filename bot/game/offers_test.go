package game

import (
	"slices"
	"testing"

	"github.com/zhbot/zhbot/bot/record"
)

func scoring(n, score int) []int { return slices.Repeat([]int{score}, n) }

func TestAcceptsDraw(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []int
		ply    int
		accept bool
	}{
		{"level and long", scoring(6, 10), 80, true},
		{"level but short", scoring(6, 10), 79, false},
		{"level for too few moves", scoring(5, 10), 100, false},
		{"no score yet", nil, 200, false},
		{"one score off", append(scoring(5, 0), 60), 100, false},
		{"better", scoring(6, 100), 100, false},
		{"a little worse", scoring(6, -60), 100, false},
		{"losing", scoring(3, -150), 12, true},
		{"losing once", []int{-900, 0, 0}, 12, false},
		{"being mated", scoring(3, -record.MateScore), 12, true},
		{"mating", scoring(6, record.MateScore), 100, false},
	} {
		if got := acceptsDraw(tt.scores, tt.ply); got != tt.accept {
			t.Errorf("%s: accepts is %t", tt.name, got)
		}
	}
}

func TestIsLost(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []int
		resign bool
	}{
		{"lost for long", scoring(5, -1200), true},
		{"not for long enough", scoring(4, -1200), false},
		{"not by enough", scoring(5, -1199), false},
		{"once not lost", []int{-1300, -1300, -400, -1300, -1300}, false},
		{"mate seen thrice", scoring(3, -record.MateScore), true},
		{"mate seen twice", []int{-record.MateScore, -record.MateScore, -300, 0, 0}, false},
		{"winning", scoring(5, 2000), false},
		{"no score yet", nil, false},
	} {
		if got := isLost(tt.scores); got != tt.resign {
			t.Errorf("%s: resigns is %t", tt.name, got)
		}
	}
}

package play

import (
	"testing"

	"github.com/zhbot/zhbot/bot/postmortem"
	"github.com/zhbot/zhbot/rules"
)

func TestSharpness(t *testing.T) {
	calm := rules.StartPosition()
	hands := position(t, "rnbqkbnr/pppppp2/8/8/8/8/PPPPPP2/RNBQKBNR[PPpp] w KQkq - 0 1")
	check := position(t, "rnbqkbnr/pppp1Qpp/8/8/8/8/PPPPPPPP/RNB1KBNR[] b KQkq - 0 1")
	full := position(t, "4k3/8/8/8/8/8/8/4K3[PPPPPPPPppppppppNNnn] w - - 0 1")
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
		{"a mate that appeared", calm, []int{-postmortem.MateScore, 0}, sharpSwing},
		{"four in hand", hands, nil, 16},
		{"in check", check, nil, sharpCheck},
		{"all in hand", full, []int{postmortem.MateScore, 0}, sharpHands + sharpSwing},
	} {
		if got := sharpness(&tt.p, tt.scores); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestPanickedPositions_AreBounded(t *testing.T) {
	var s panickedPositions
	for key := range uint64(maxPanickedPositions + 1) {
		s.add(key)
	}
	if len(s.keys) > maxPanickedPositions || !s.has(maxPanickedPositions) {
		t.Errorf("%d positions are remembered", len(s.keys))
	}
}

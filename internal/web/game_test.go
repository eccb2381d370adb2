package web

import (
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// A game without moves is an empty list in JSON.
func TestNewGame_Empty(t *testing.T) {
	if steps := NewGame(fixture.Game(t)).Steps; steps == nil || len(steps) != 0 {
		t.Errorf("steps %#v", steps)
	}
}

func TestFirstPly(t *testing.T) {
	for fen, want := range map[string]int{
		rules.StartFEN: 0,
		"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/ b KQkq - 0 1":   1,
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR/ w KQkq - 0 2": 2,
	} {
		p := fixture.Position(t, fen)
		if got := firstPly(&p); got != want {
			t.Errorf("%s: ply %d, want %d", fen, got, want)
		}
	}
}

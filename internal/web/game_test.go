package web

import (
	"testing"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

func TestNewGame(t *testing.T) {
	g := rulestest.Game(t, "e2e4", "e7e5", "d1h5", "b8c6", "h5f7")
	steps := NewGame(g).Steps
	if len(steps) != 5 || steps[0].SAN != "e4" || steps[0].UCI != "e2e4" || steps[0].Check || !steps[4].Check ||
		steps[4].SAN != "Qxf7+" || steps[4].FEN != g.Position().FEN() {
		t.Errorf("steps %+v", steps)
	}
	if none := NewGame(rulestest.Game(t)).Steps; none == nil || len(none) != 0 {
		t.Errorf("a game without moves has the steps %#v, which is not an empty list in JSON", none)
	}
}

func TestFirstPly(t *testing.T) {
	for fen, want := range map[string]int{
		rules.StartFEN: 0,
		"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/ b KQkq - 0 1":   1,
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR/ w KQkq - 0 2": 2,
	} {
		p := rulestest.Position(t, fen)
		if got := FirstPly(&p); got != want {
			t.Errorf("%s: ply %d, want %d", fen, got, want)
		}
	}
}

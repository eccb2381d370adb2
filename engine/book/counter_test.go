package book

import (
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func TestCounter(t *testing.T) {
	counter := NewCounter(2)
	start := rules.StartPosition()
	play := func(r rules.Result, moves ...string) {
		g := rules.NewGame(start)
		if err := g.PlayUCI(moves...); err != nil {
			t.Fatal(err)
		}
		counter.Add(&start, g.Moves(), r)
	}
	play(rules.WhiteWins, "e2e4", "e7e5", "g1f3")
	play(rules.WhiteWins, "e2e4", "e7e5", "g1f3")
	play(rules.BlackWins, "e2e4", "d7d5")
	play(rules.BlackWins, "e2e4", "d7d5")
	play(rules.Draw, "d2d4")
	play(rules.BlackWins, "g2g4")
	play(rules.BlackWins, "g2g4")
	b, err := counter.Table(2, "")
	if err != nil {
		t.Fatal(err)
	}
	moves := b.Moves(&start)
	if want := (Move{Move: move(t, &start, "e2e4"), Weight: 4, Games: 4}); len(moves) != 1 || moves[0] != want {
		t.Errorf("moves %v, want %v: d4 was played once, and g4 has only lost", moves, want)
	}
	e4, err := start.Play(move(t, &start, "e2e4"))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Moves(&e4); len(got) != 1 || got[0].Move.String() != "d7d5" || got[0].Weight != 4 || got[0].Games != 2 {
		t.Errorf("replies %v, want d7d5 with weight 4 of 2 games", got)
	}
	if b.Positions() != 2 {
		t.Errorf("%d positions, want 2: only two plies count", b.Positions())
	}
}

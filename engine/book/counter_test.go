package book

import (
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

func TestCounter(t *testing.T) {
	counter := NewCounter(2)
	start := rules.StartPosition()
	for _, game := range []struct {
		moves  string
		result rules.Result
	}{
		{"e2e4 e7e5 g1f3", rules.WhiteWins}, {"e2e4 e7e5 g1f3", rules.WhiteWins},
		{"e2e4 d7d5", rules.BlackWins}, {"e2e4 d7d5", rules.BlackWins},
		{"d2d4", rules.Draw}, {"g2g4", rules.BlackWins}, {"g2g4", rules.BlackWins},
	} {
		counter.Add(&start, fixture.Game(t, game.moves).Moves(), game.result)
	}
	b, err := counter.Table(2, "")
	if err != nil {
		t.Fatal(err)
	}
	moves := b.Moves(&start)
	if want := (Move{Move: fixture.Move(t, &start, "e2e4"), Weight: 4, Games: 4}); len(moves) != 1 ||
		moves[0] != want {
		t.Errorf("moves %v, want %v: d4 was played once, and g4 has only lost", moves, want)
	}
	e4 := start.After(moves[0].Move)
	if got := b.Moves(&e4); len(got) != 1 || got[0].Move.String() != "d7d5" || got[0].Weight != 4 || got[0].Games != 2 {
		t.Errorf("replies %v, want d7d5 with weight 4 of 2 games", got)
	}
	if b.Positions() != 2 {
		t.Errorf("%d positions, want 2: only two plies count", b.Positions())
	}
}

// A game counts once for a move, however often it repeats the position.
func TestCounter_Repetitions(t *testing.T) {
	counter, g := NewCounter(20), rules.NewGame(rules.StartPosition())
	fixture.Play(t, g, "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8", "e2e4")
	counter.Add(g.Start(), g.Moves(), rules.WhiteWins)
	b, err := counter.Table(1, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range b.Moves(g.Start()) {
		if m.Games != 1 || m.Weight != 2 {
			t.Errorf("%s has %d games and the weight %d, want 1 and 2", m.Move, m.Games, m.Weight)
		}
	}
	if b, err = counter.Table(2, ""); err != nil || b.Len() != 0 {
		t.Errorf("%d moves of two games, %v, want none", b.Len(), err)
	}
}

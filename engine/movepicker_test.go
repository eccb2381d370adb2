package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// walk visits the positions of random games.
func walk(t *testing.T, games int, visit func(rng *rand.Rand, p *rules.Position, legal []rules.Move)) {
	for seed := range games {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		p := *newGame(t, start).Position()
		for range 150 {
			moves := p.LegalMoves()
			if len(moves) == 0 {
				break
			}
			visit(rng, &p, moves)
			p = p.After(moves[rng.IntN(len(moves))])
		}
	}
}

// picked returns all moves that the worker's picker hands out.
func picked(w *worker) (moves []rules.Move) {
	for m := w.pick(0); m != rules.NoMove; m = w.pick(0) {
		moves = append(moves, m)
	}
	return moves
}

func sameMoves(a, b []rules.Move) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Whatever the hash move, the killers and the counter move are, each legal
// move comes exactly once, the hash move first.
func TestMovePicker_EveryLegalMoveOnce(t *testing.T) {
	w := new(worker)
	walk(t, 20, func(rng *rand.Rand, p *rules.Position, legal []rules.Move) {
		some := func() rules.Move { return legal[rng.IntN(len(legal))] }
		hash := rules.NoMove
		if rng.IntN(2) == 0 {
			hash = some()
		}
		refuted := [3]rules.Move{some(), rules.NewDrop(rules.Knight, rules.Square(rng.IntN(64))), some()}
		f := &w.stack[0]
		f.pos = *p
		f.checks.Find(&f.pos)
		f.picker.reset(p, hash, refuted)
		got := picked(w)
		if !sameMoves(got, legal) {
			t.Fatalf("%s: picked %v of %v", p.FEN(), got, legal)
		}
		if hash != rules.NoMove && got[0] != hash {
			t.Fatalf("%s: first %s, want the hash move %s", p.FEN(), got[0], hash)
		}
	})
}

func TestMovePicker_Quiescence(t *testing.T) {
	w := new(worker)
	walk(t, 20, func(rng *rand.Rand, p *rules.Position, legal []rules.Move) {
		checks := rng.IntN(2) == 0
		var want []rules.Move
		for _, m := range legal {
			if p.InCheck() || noisy(p, m) || checks && m.IsDrop() && p.GivesCheck(m) {
				want = append(want, m)
			}
		}
		f := &w.stack[0]
		f.pos = *p
		f.picker.resetQuiescence(p, rules.NoMove, checks)
		if got := picked(w); !sameMoves(got, want) {
			t.Fatalf("%s: picked %v, want %v", p.FEN(), got, want)
		}
	})
}

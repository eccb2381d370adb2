package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// visitRandomGames visits the positions of random games.
func visitRandomGames(t testing.TB, games int, visit func(rng *rand.Rand, p *rules.Position, legal []rules.Move)) {
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

// pickAll returns all moves of the worker's picker.
func pickAll(w *worker) (moves []rules.Move) {
	for m := w.nextMove(0); m != rules.NoMove; m = w.nextMove(0) {
		moves = append(moves, m)
	}
	return moves
}

func sameMoves(a, b []rules.Move) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// With any hash move, killers and counter move, each legal move comes exactly once, the
// hash move first. It is known when the first move is the only evasion.
func TestMovePicker_ReturnsEveryLegalMoveOnce(t *testing.T) {
	w := new(worker)
	visitRandomGames(t, 20, func(rng *rand.Rand, p *rules.Position, legal []rules.Move) {
		some := func() rules.Move { return legal[rng.IntN(len(legal))] }
		hash := rules.NoMove
		if rng.IntN(2) == 0 {
			hash = some()
		}
		refuted := [3]rules.Move{some(), rules.NewDrop(rules.Knight, rules.Square(rng.IntN(64))), some()}
		f := &w.stack[0]
		f.pos = *p
		f.checks.Find(&f.pos)
		f.picker.start(p, stageHash, hash)
		f.picker.refutations = refuted
		got := []rules.Move{w.nextMove(0)}
		if only := f.picker.isOnlyEvasion(); only != (p.InCheck() && len(legal) == 1) {
			t.Fatalf("%s: only evasion %v, of %v", p.FEN(), only, legal)
		}
		got = append(got, pickAll(w)...)
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
	visitRandomGames(t, 20, func(rng *rand.Rand, p *rules.Position, legal []rules.Move) {
		checks := rng.IntN(2) == 0
		var want []rules.Move
		for _, m := range legal {
			if p.InCheck() || noisy(p, m) || checks && m.IsDrop() && p.GivesCheck(m) {
				want = append(want, m)
			}
		}
		f := &w.stack[0]
		f.pos = *p
		f.checks.Find(&f.pos)
		f.picker.start(p, stageQuiescenceHash, rules.NoMove)
		f.picker.skipQuiets = !checks
		if got := pickAll(w); !sameMoves(got, want) {
			t.Fatalf("%s: picked %v, want %v", p.FEN(), got, want)
		}
	})
}

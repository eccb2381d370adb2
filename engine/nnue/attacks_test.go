package nnue

import (
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// The map says of each square what its attackers do.
func TestAttackMap(t *testing.T) {
	playRandomGames(t, 20, 200, func(p *rules.Position, _ rules.Move) {
		for c := rules.White; c <= rules.Black; c++ {
			var got, want, portable AttackMap
			got.Find(p, c)
			for s := range rules.Square(64) {
				attackers, diagonal := p.AttackersTo(s, p.Occupied())&p.ByColor(c), rules.BishopAttacks(s, p.Occupied())
				king, queens := attackers&p.ByType(rules.King), attackers&p.ByType(rules.Queen)
				for set, by := range map[*rules.Bitboard]rules.Bitboard{
					&want.Pawns: attackers & p.ByType(rules.Pawn), &want.Knights: attackers & p.ByType(rules.Knight),
					&want.King:      king,
					&want.Diagonals: attackers&p.ByType(rules.Bishop) | queens&diagonal,
					&want.Straights: attackers&p.ByType(rules.Rook) | queens&^diagonal,
					&want.Pieces:    attackers &^ king, &want.All: attackers, &want.Twice: attackers & (attackers - 1),
				} {
					if by != 0 {
						*set |= s.Bit()
					}
				}
			}
			if got != want {
				t.Fatalf("%s: %s attacks %+v, want %+v", p.FEN(), c, got, want)
			}
			knights, diagonal, straight := p.Pieces(c, rules.Knight), p.Pieces(c, rules.Bishop),
				p.Pieces(c, rules.Rook)|p.Pieces(c, rules.Queen)
			got = AttackMap{}
			got.find(knights, diagonal, straight, ^p.Occupied())
			if portable.findPortable(knights, diagonal, straight, ^p.Occupied()); got != portable {
				t.Fatalf("%s: %s attacks %+v, portable %+v", p.FEN(), c, got, portable)
			}
		}
	})
}

// The counts are numbered as the sets of setSide, first for the side to move.
func TestCountAttacks(t *testing.T) {
	const side = sideCounts
	for _, tt := range []struct {
		name, fen string
		want      map[int]int
	}{
		{"start", rules.StartFEN, map[int]int{
			6: 0, 7: 0, 8: 0, 27: 0, side + 6: 0, side + 27: 0,
		}},
		{"a rook on the second rank", "6k1/8/8/8/8/8/r4PPP/6K1[] w - - 0 1", map[int]int{
			2: 0, 3: 1, 4: 0, 5: 1, 6: 2, 7: 2, 8: 2, 11: 0, 12: 1, 15: 0, 23: 0, 27: 1, side + 12: 0,
		}},
		{"checks by dropped knights, two of them defended", "6k1/5ppp/8/8/8/8/5PPP/6K1[Nn] b - - 0 1", map[int]int{
			13: 0, 14: 3, 19: 1, side + 14: 3, side + 19: 1,
		}},
		{"checks by a dropped queen, more than can be counted", "3k4/8/8/8/8/8/8/3K4[Qr] b - - 0 1",
			map[int]int{15: 0, 17: 20, 22: 15}},
		{"a rook that hangs, attacked by a pawn", "6k1/8/8/8/1p6/R7/5PPP/6K1[] w - - 0 1", map[int]int{
			24: 0, 25: 1, 27: 1, 29: 1, 31: 0, side + 27: 0,
		}},
		{"a pawn that one bishop of two attacks", "6k1/1b6/2b5/8/8/8/6PP/3Q2K1[] b - - 0 1", map[int]int{
			27: 0, side + 23: 0, side + 27: 1, side + 28: 0,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := fixture.Position(t, tt.fen)
			counts := CountAttacks(&p)
			for i, want := range tt.want {
				if got := int(counts[i]); got != min(want*CountUnit, 127) {
					t.Errorf("count %d is %d, want %d", i, got, want)
				}
			}
		})
	}
}

// Sets of no squares and of all, of one square, of few, and of half of them.
func TestCountSets_MatchesPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	for try := range 1000 {
		var sets attackSets
		for i := range sets {
			switch sets[i] = rules.Bitboard(rng.Uint64()); try % 4 {
			case 0:
				sets[i] = -rules.Bitboard(rng.IntN(2))
			case 1:
				sets[i] = 1 << rng.IntN(64)
			case 2:
				sets[i] &= rules.Bitboard(rng.Uint64() & rng.Uint64())
			}
		}
		var got, want AttackCounts
		countSets(&got, &sets)
		if countSetsPortable(&want, &sets); got != want {
			t.Fatalf("sets %x have counts %d, portable %d", sets, got, want)
		}
	}
}

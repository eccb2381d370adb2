package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

func findMateInOne(p *rules.Position) rules.Move {
	var checks rules.Checks
	var attacks nnue.Attacks
	checks.Find(p)
	attacks.Find(p)
	return mateInOne(p, &checks, &attacks, new(rules.Position))
}

func TestMateInOne(t *testing.T) {
	tests := []struct{ name, fen, want string }{
		{"drop next to the king", "6k1/5ppp/8/8/8/4B3/5PPP/6K1[Qq] w - - 0 1", ""},
		{"protected drop", "7k/8/5P2/8/8/8/5PPP/6K1[Qn] w - - 0 1", "Q@g7"},
		{"the piece that attacks the square is pinned", "R4b1k/8/5P2/8/8/8/5PPP/6K1[Qn] w - - 0 1", "Q@g7"},
		{"smothered", "6rk/6pp/8/8/8/8/5PPP/6K1[Nq] w - - 0 1", "N@f7"},
		{"far drop, no piece in the other pocket", "6k1/5ppp/8/8/8/8/5PPP/6K1[R] w - - 0 1", "R@"},
		{"far drop, a drop in between", "6k1/5ppp/8/8/8/8/5PPP/6K1[Rn] w - - 0 1", ""},
		{"move, by capture", "6rk/5Npp/8/8/8/8/5PPP/3Q2K1[p] b - - 0 1", ""},
		{"rook on the back rank", "6k1/5ppp/8/8/8/8/5PPP/R5K1[] w - - 0 1", "a1a8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newGame(t, test.fen).Position()
			got := findMateInOne(p)
			if test.want == "" && got != rules.NoMove ||
				test.want != "" && (got == rules.NoMove || got.String()[:len(test.want)] != test.want) {
				t.Errorf("got %s, want %q", got, test.want)
			}
		})
	}
}

// A mate is stored at depth 0, so that the table replaces it in time, and is used at any.
func TestMateInOne_InTable(t *testing.T) {
	e := newTestEngine()
	g := newGame(t, "6rk/6pp/8/8/8/8/5PPP/6K1[Nq] w - - 0 1")
	w := startWorker(e, g, Limits{})
	w.stack[0].checks.Find(g.Position())
	score, found := w.mateInOneAt(0)
	if !found || score != mateIn(1) {
		t.Fatalf("found %v with score %d, want %d", found, score, mateIn(1))
	}
	stored, hit := w.table.probe(w.keys[0], 0)
	if !hit || stored.depth != 0 || !stored.isWin() || !stored.causesCutoff(-infinity, mateIn(1)) {
		t.Errorf("stored %v, %+v", hit, stored)
	}
}

// Every move that is found mates, and a mating drop next to the king is always found.
func TestMateInOne_RandomGames(t *testing.T) {
	found := 0
	visitRandomGames(t, 200, func(_ *rand.Rand, p *rules.Position, legal []rules.Move) {
		if p.InCheck() {
			return
		}
		got := findMateInOne(p)
		if got != rules.NoMove {
			found++
			if after := p.After(got); !p.IsLegal(got) || !after.IsCheckmate() {
				t.Fatalf("%s: %s does not mate", p.FEN(), got)
			}
			return
		}
		king := p.King(p.Turn().Other())
		near := rules.KingAttacks(king) | rules.KnightAttacks(king)
		for _, m := range legal {
			if after := p.After(m); m.IsDrop() && near.Has(m.To()) && after.IsCheckmate() {
				t.Fatalf("%s: %s mates", p.FEN(), m)
			}
		}
	})
	if found < 10 {
		t.Errorf("only %d mates in one", found)
	}
}

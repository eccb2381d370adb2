package nnue

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// randomNetwork has weights over their whole range, which would reveal an overflow.
func randomNetwork(tb testing.TB, width, buckets int) *Network {
	tb.Helper()
	w := makeWeights(width, buckets)
	w.Summary = "random"
	randomize(&w, w.parts())
	n, err := New(w)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// randomize draws the weights of some parts anew.
func randomize(w *Weights, parts []weightsPart) {
	rng := rand.New(rand.NewPCG(7, uint64(w.Width)))
	for _, part := range parts {
		switch weights := part.weights.(type) {
		case []int16:
			for i := range weights {
				weights[i] = int16(rng.IntN(2*int(part.limit)+1) - int(part.limit))
			}
		case []int8:
			for i := range weights {
				weights[i] = int8(rng.Uint32())
			}
		case []float32:
			for i := range weights {
				weights[i] = rng.Float32() - 0.5
			}
		}
	}
	for i := range w.Stacks.DenseScale { // so that few neurons are clipped
		w.Stacks.DenseScale[i] /= 1 << 14
	}
}

// playRandomGames plays random games and calls visit before each move.
func playRandomGames(tb testing.TB, games, plies int, visit func(p *rules.Position, m rules.Move)) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for range games {
		p := rules.StartPosition()
		for range plies {
			moves := p.LegalMoves()
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			if visit(&p, m); tb.Failed() {
				return
			}
			p = p.After(m)
		}
	}
}

func TestEvaluator_MatchesRefresh(t *testing.T) {
	for _, shape := range []struct{ width, buckets int }{{128, 1}, {512, 8}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			n := randomNetwork(t, shape.width, shape.buckets)
			e := NewEvaluator(n, 400)
			rng := rand.New(rand.NewPCG(3, 4))
			ply := 0
			playRandomGames(t, 30, 200, func(p *rules.Position, _ rules.Move) {
				if *p == rules.StartPosition() {
					ply = 0
					e.Enter(ply)
				}
				if rng.IntN(3) == 0 { // leave some plies uncomputed
					if got, want := evaluateAt(e, ply, p), n.Evaluate(p); got != want {
						t.Fatalf("%s: %d, refreshed %d", p.FEN(), got, want)
					}
				}
				if !p.InCheck() && rng.IntN(4) == 0 { // an abandoned line
					var passed rules.Position
					p.PlayNullInto(&passed)
					e.Enter(ply + 1)
					if got, want := evaluateAt(e, ply+1, &passed), n.Evaluate(&passed); got != want {
						t.Fatalf("%s after a null move: %d, refreshed %d", p.FEN(), got, want)
					}
				}
				ply++
				e.Enter(ply)
			})
		})
	}
}

func evaluateAt(e *Evaluator, ply int, p *rules.Position) int {
	var attacks Attacks
	attacks.Find(p)
	return e.Evaluate(ply, p, &attacks)
}

func TestKernels_MatchPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, width := range []int{64, 128, 192, 320, 512, 1024} {
		n := randomNetwork(t, width, 1)
		for range 50 {
			src := make([]int16, width)
			for i := range src {
				src[i] = int16(rng.Uint32())
			}
			rows := make([]uint16, rng.IntN(40))
			for i := range rows {
				rows[i] = uint16(rng.IntN(Inputs))
			}
			cut := rng.IntN(len(rows) + 1)
			got, want := make([]int16, width), make([]int16, width)
			accumulate(got, src, n.weights.Input, rows[:cut], rows[cut:])
			accumulatePortable(want, src, n.weights.Input, rows[:cut], rows[cut:])
			if !slices.Equal(got, want) {
				t.Fatalf("width %d: accumulate differs from the portable version", width)
			}
		}
	}
}

func TestOrientation_Involutions(t *testing.T) {
	for c := rules.White; c <= rules.Black; c++ {
		for _, mirrored := range []bool{false, true} {
			orient := OrientationOf(c, mirrored)
			for f := range uint16(Inputs) {
				if to := orient.Map(f); orient.Map(to) != f || c == rules.Black && to == f {
					t.Errorf("colour %d, mirrored %v: feature %d becomes %d, then %d",
						c, mirrored, f, to, orient.Map(to))
				}
			}
		}
	}
}

// The features of each piece are those of what attacks and defends it.
func TestAppendFeatures_States(t *testing.T) {
	playRandomGames(t, 20, 200, func(p *rules.Position, _ rules.Move) {
		features := AppendFeatures(nil, p)
		for squares := p.Occupied(); squares != 0; {
			sq := squares.Pop()
			pc := p.PieceAt(sq)
			attackers := func(c rules.Color, types ...rules.PieceType) (n int) {
				empty := ^p.Occupied()
				for _, t := range types {
					from := map[rules.PieceType]rules.Bitboard{
						rules.Pawn: rules.PawnAttacks(c.Other(), sq), rules.Knight: rules.KnightAttacks(sq),
						rules.Bishop: rules.BishopAttacks(sq, ^empty), rules.Rook: rules.RookAttacks(sq, ^empty),
						rules.King: rules.KingAttacks(sq),
					}[t]
					pieces := p.Pieces(c, t)
					if t == rules.Bishop || t == rules.Rook {
						pieces |= p.Pieces(c, rules.Queen)
					}
					n += (from & pieces).Count()
				}
				return n
			}
			us, them := pc.Color(), pc.Color().Other()
			state := uint16(0)
			switch {
			case attackers(them, rules.Pawn) > 0:
				state = 2
			case attackers(them, rules.Knight, rules.Bishop) > 0:
				state = 4
			case attackers(them, rules.Rook, rules.King) > 0:
				state = 6
			}
			if attackers(us, rules.Pawn, rules.Knight, rules.Bishop, rules.Rook, rules.King) > 0 {
				state++
			}
			want := uint16(us)*sideFeatures + uint16(pc.Type()-1)*512 + state*64 + uint16(sq)
			if !slices.Contains(features, want) {
				t.Fatalf("%s: no feature %d for %s: %v", p.FEN(), want, sq, features)
			}
		}
		if want := p.Occupied().Count() + p.Promoted().Count() + p.InHand(); len(features) != want {
			t.Fatalf("%s: %d features, want %d", p.FEN(), len(features), want)
		}
		white, black := Mirrored(features)
		if white != (p.King(rules.White).File() > 3) || black != (p.King(rules.Black).File() > 3) {
			t.Fatalf("%s: mirrored %v, %v", p.FEN(), white, black)
		}
		board := rules.StartPosition()
		got, want, other := [64]uint8{}, [64]uint8{}, [64]uint8{}
		states := [3]rules.Bitboard{p.Occupied(), p.ByType(rules.Pawn), p.ByColor(rules.White)}
		encode(&got, p.Board(), &states)
		encodePortable(&want, p.Board(), &states)
		encode(&other, board.Board(), &states)
		if got != want || differing(&got, &other) != differingPortable(&got, &other) {
			t.Fatalf("%s: numbers %v, want %v; differing %v", p.FEN(), got, want, differing(&got, &other))
		}
	})
}

// A position is worth as much as its mirror image, and as the one with colours flipped.
func TestEvaluate_Symmetric(t *testing.T) {
	n := randomNetwork(t, 256, 4)
	for _, pair := range [][2]string{
		{"4k3/1Q~6/8/8/4b3/8/Kpp5/8/Pn b - - 0 1", "3k4/6Q~1/8/8/3b4/8/5ppK/8/Pn b - - 0 1"},
		{"1k6/8/8/3n4/8/8/8/5K2[Q] w - - 0 1", "6k1/8/8/4n3/8/8/8/2K5[Q] w - - 0 1"},
		{"4k3/1Q~6/8/8/4b3/8/Kpp5/8/Pn b - - 0 1", "8/kPP5/8/4B3/8/8/1q~6/4K3/Np w - - 0 1"},
		{
			"r3k2r/2ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/1PPBBPPP/R3K2R/Pp w - - 0 1",
			"r3k2r/1ppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/2PPQPB1/R3K2R/Pp b - - 0 1",
		},
	} {
		p, q := fixture.Position(t, pair[0]), fixture.Position(t, pair[1])
		if a, b := n.Evaluate(&p), n.Evaluate(&q); a != b {
			t.Errorf("%s: %d, %s: %d", pair[0], a, pair[1], b)
		}
	}
}

func TestDecode_RefusesBadFiles(t *testing.T) {
	n := randomNetwork(t, 128, 2)
	data := n.Encode()
	files := map[string][]byte{ // by what the error says
		"does not start": []byte(strings.Repeat("PNG", 100)),
		"cut short":      data[:len(data)/2],
		"checksum":       append(bytes.Clone(data), 0),
	}
	for want, at := range map[string]int{ // a byte that is another
		"structure 6, this program has 5; train another": 4,
		"inputs, this program has 6332":                  8,
		"want a multiple of 64":                          12,
		"buckets, want":                                  17,
		"does not fit":                                   23,
		"checksum differs":                               len(data) / 2,
	} {
		files[want] = bytes.Clone(data)
		files[want][at]++
	}
	for want, data := range files {
		if _, err := decode(data); !errors.Is(err, ErrBadNetwork) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if _, err := decode(nil); !errors.Is(err, ErrBadNetwork) {
		t.Errorf("an empty file: %v", err)
	}
	again, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	p := rules.StartPosition()
	if again.Hash() != n.Hash() || again.Summary() != "random" || again.Evaluate(&p) != n.Evaluate(&p) {
		t.Errorf("read back: %v", again)
	}
	large := makeWeights(128, 1)
	large.InputBias[77] = 128
	if _, err := New(large); !errors.Is(err, ErrBadNetwork) {
		t.Errorf("weights out of range: error %v", err)
	}
	large = makeWeights(128, 1)
	large.Stacks.Hidden[7] = float32(math.NaN())
	if _, err := New(large); !errors.Is(err, ErrBadNetwork) {
		t.Errorf("a weight that is not a number: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(randomNetwork(f, 128, 1).Encode()[:64])
	f.Add([]byte(fileMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := decode(data); err == nil {
			start := rules.StartPosition()
			n.Evaluate(&start)
		}
	})
}

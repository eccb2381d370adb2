package rules

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
)

// perftCase is a line of testdata/perft.epd: a position and its leaf counts by
// depth, from 1.
type perftCase struct {
	fen    string
	counts []uint64
}

func perftCases(tb testing.TB) (cases []perftCase) {
	tb.Helper()
	f, err := os.Open("testdata/perft.epd")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		fields := strings.Split(in.Text(), ";")
		c := perftCase{fen: strings.TrimSpace(fields[0])}
		for i, field := range fields[1:] {
			count, ok := strings.CutPrefix(field, "D"+strconv.Itoa(i+1)+" ")
			n, err := strconv.ParseUint(strings.TrimSpace(count), 10, 64)
			if !ok || err != nil {
				tb.Fatalf("%s: bad count %q", c.fen, field)
			}
			c.counts = append(c.counts, n)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		tb.Fatal("no perft cases")
	}
	return cases
}

func mustPosition(tb testing.TB, fen string) Position {
	tb.Helper()
	p, err := ParseFEN(fen)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestPerft(t *testing.T) {
	for _, c := range perftCases(t) {
		t.Run(c.fen, func(t *testing.T) {
			t.Parallel()
			p := mustPosition(t, c.fen)
			for i, want := range c.counts {
				if os.Getenv("ZHBOT_PERFT") == "" && want > 5_000_000 {
					break // make build counts them all
				}
				if got := p.Perft(i + 1); got != want {
					t.Fatalf("depth %d: %d leaves, want %d", i+1, got, want)
				}
			}
		})
	}
}

// The counts of the engine notes, agreed on by Fairy-Stockfish.
func TestPerft_Deep(t *testing.T) {
	for _, tt := range []struct {
		fen   string
		depth int
		want  uint64
	}{
		{"r3k2r/1P5p/2n2n2/3pP3/2B5/5N2/1pPP2p1/R3K2R[QNPbpn] w KQkq d6", 4, 451_802_877},
		{"r1b1k2r/1P5p/2n2n2/3pP3/1QB5/q4N2/1pPP2p1/R3K2R[PPpp] b KQkq -", 4, 54_665_382},
	} {
		t.Run(tt.fen, func(t *testing.T) {
			t.Parallel()
			p := mustPosition(t, tt.fen)
			if got := p.Perft(tt.depth); got != tt.want {
				t.Errorf("depth %d: %d leaves, want %d", tt.depth, got, tt.want)
			}
		})
	}
}

func TestPosition_Divide(t *testing.T) {
	p := StartPosition()
	total := uint64(0)
	for _, n := range p.Divide(t.Context(), 5) {
		total += n
	}
	if total != 4_888_832 || p.Perft(0) != 1 {
		t.Errorf("%d leaves at depth 5, %d at depth 0", total, p.Perft(0))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	moves := 0
	for range p.Divide(ctx, 4) {
		moves++
		cancel()
	}
	if moves != 1 {
		t.Errorf("%d moves counted, cancelled after the first", moves)
	}
	for range p.Divide(t.Context(), 1) {
		break
	}
}

// Attacks reach the first occupied square of a line, and not beyond.
func TestAttacks(t *testing.T) {
	d4, occupied := SquareAt(3, 3), SquareAt(3, 6).Bit()|SquareAt(6, 6).Bit()
	for pt, want := range []int{NoPieceType: 0, Pawn: 2, Knight: 8, Bishop: 12, Rook: 13, Queen: 25, King: 8} {
		if got := Attacks(PieceOf(White, PieceType(pt)), d4, occupied).Count(); got != want {
			t.Errorf("a %s on %s attacks %d squares, want %d", PieceType(pt), d4, got, want)
		}
	}
}

// verifyTree plays every move of the tree and compares every incremental or fast
// result with the one computed from scratch.
func verifyTree(t *testing.T, p *Position, depth int) uint64 {
	checkPosition(t, p)
	if depth == 0 {
		return 1
	}
	nodes := uint64(0)
	for _, m := range checkMoves(t, p).Moves() {
		next := p.After(m)
		nodes += verifyTree(t, &next, depth-1)
	}
	return nodes
}

func TestGenerate_VerifiedTree(t *testing.T) {
	for _, c := range perftCases(t) {
		p := mustPosition(t, c.fen)
		for i, want := range c.counts {
			if want > 20_000 {
				break
			}
			if got := verifyTree(t, &p, i+1); got != want {
				t.Errorf("%s: depth %d: %d leaves made, want %d", c.fen, i+1, got, want)
			}
		}
	}
}

// IsLegal must agree with the generator on every one of the 65,536 moves.
func TestIsLegal_AllMoves(t *testing.T) {
	for _, c := range perftCases(t) {
		p := mustPosition(t, c.fen)
		legal := map[Move]bool{}
		for _, m := range p.LegalMoves() {
			if legal[m] {
				t.Errorf("%s: %s generated twice", c.fen, m)
			}
			legal[m] = true
		}
		for m := range 1 << 16 {
			if m := Move(m); p.IsLegal(m) != legal[m] {
				t.Errorf("%s: IsLegal(%s, %#x) = %v", c.fen, m, uint16(m), !legal[m])
			}
		}
	}
}

func TestGenerate_AllocatesNothing(t *testing.T) {
	p := mustPosition(t, "r1b4r/ppp1kp1p/n1p2p2/4p3/P7/4PP2/2PNN2P/R3K2R[PNBQppbbq] w KQ - 1 14")
	if n := testing.AllocsPerRun(5, func() { p.Perft(3) }); n != 0 {
		t.Errorf("perft allocates %v times", n)
	}
}

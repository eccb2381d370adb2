package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

const smallestScore = 1 // centipawn

func TestSEE(t *testing.T) {
	take := func(t rules.PieceType) int { return captureValue(t, false) }
	pawn, knight, rook, queen := take(rules.Pawn), take(rules.Knight), take(rules.Rook), take(rules.Queen)
	tests := []struct {
		name, fen, move string
		want            int
	}{
		{"an undefended pawn", "4k3/8/8/3p4/4P3/8/8/4K3[] w - - 0 1", "e4d5", pawn},
		{"a defended pawn, by a rook", "4k3/8/2p5/3p4/8/8/8/3RK3[] w - - 0 1", "d1d5", pawn - rook},
		{"the second rook behind the first", "3rk3/8/8/3p4/8/8/3R4/3RK3[] w - - 0 1", "d2d5", pawn},
		{"pawn takes defended queen", "4k3/8/2p5/3q4/4P3/8/8/4K3[] w - - 0 1", "e4d5", queen - pawn},
		{"a promoted queen is worth a pawn in hand", "4k3/8/8/3q~4/4P3/8/8/4K3[] w - - 0 1", "e4d5",
			boardValue[rules.Queen] + handValue[rules.Pawn]},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3[] w - d6 0 1", "e5d6", pawn},
		{"en passant, recaptured", "3rk3/8/8/3pP3/8/8/8/4K3[] w - d6 0 1", "e5d6", 0},
		{"a quiet move to a safe square", "4k3/8/8/8/8/8/8/3RK3[] w - - 0 1", "d1d4", 0},
		{"a quiet move attacked by a pawn", "4k3/8/8/4p3/8/8/8/3RK3[] w - - 0 1", "d1d4", -rook},
		{"a drop on a safe square", "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1", "N@f6", 0},
		{"a drop attacked by a pawn", "4k3/6p1/8/8/8/8/8/4K3[N] w - - 0 1", "N@f6", -knight},
		{"a defended drop attacked by a pawn", "4k3/6p1/8/4P3/8/8/8/4K3[N] w - - 0 1", "N@f6", pawn - knight},
		{"a drop that the king cannot capture", "4k3/8/5P2/8/8/8/8/4K3[N] w - - 0 1", "N@e7", 0},
		{"a drop that the king captures", "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1", "N@e7", -knight},
		{"castling", "4k3/8/8/8/8/8/8/4K2R[] w K - 0 1", "e1h1", 0},
		{"a promotion", "8/4P1k1/8/8/8/8/8/4K3[] w - - 0 1", "e7e8q", boardValue[rules.Queen] - boardValue[rules.Pawn]},
		{"a promotion, recaptured", "r7/4P1k1/8/8/8/8/8/4K3[] w - - 0 1", "e7e8q", -pawn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newGame(t, tt.fen).Position()
			m, err := p.ParseUCI(tt.move)
			if err != nil {
				t.Fatal(err)
			}
			if !seeAtLeast(p, m, tt.want) {
				t.Errorf("%s: less than %d", tt.move, tt.want)
			}
			if seeAtLeast(p, m, tt.want+smallestScore) {
				t.Errorf("%s: more than %d", tt.move, tt.want)
			}
		})
	}
}

// TestSEE_BruteForce compares with exchanges played out on a board, for every move of
// every position of random games.
func TestSEE_BruteForce(t *testing.T) {
	visitRandomGames(t, 20, func(_ *rand.Rand, p *rules.Position, legal []rules.Move) {
		for _, m := range legal {
			want := newBruteExchange(p, m).value(p, m)
			if !seeAtLeast(p, m, want) || seeAtLeast(p, m, want+smallestScore) {
				t.Fatalf("%s, %s: the exchange is worth %d, seeAtLeast says otherwise", p.FEN(), m, want)
			}
		}
	})
}

// bruteExchange is an exchange on a board. It shares only the piece values with
// seeAtLeast: the side to capture tries the capture and compares the result.
type bruteExchange struct {
	board    [64]rules.Piece
	promoted [64]bool
	square   rules.Square
}

func newBruteExchange(p *rules.Position, m rules.Move) bruteExchange {
	x := bruteExchange{square: m.To()}
	for s := range rules.Square(64) {
		x.board[s] = p.PieceAt(s)
		x.promoted[s] = p.Promoted().Has(s)
	}
	return x
}

// value makes the first move and returns what it wins.
func (x bruteExchange) value(p *rules.Position, m rules.Move) int {
	us := p.Turn()
	if p.IsCastling(m) {
		return 0
	}
	if m.IsDrop() {
		x.board[x.square], x.promoted[x.square] = rules.PieceOf(us, m.Dropped()), false
		return -x.bestGain(us.Other())
	}
	gain := 0
	if p.IsCapture(m) && x.board[m.To()] == rules.NoPiece { // en passant
		beside := rules.SquareAt(m.To().File(), m.From().Rank())
		x.board[beside] = rules.NoPiece
		gain = captureValue(rules.Pawn, false)
	}
	return gain + x.capture(m.From(), m.Promotion())
}

// bestGain returns the most that a side can win by capturing on the square, at least 0.
func (x bruteExchange) bestGain(side rules.Color) int {
	from, found := x.leastValuable(side)
	if !found {
		return 0
	}
	become := rules.NoPieceType
	if x.board[from].Type() == rules.Pawn && (x.square.Rank() == 0 || x.square.Rank() == 7) {
		become = rules.Queen
	}
	if x.board[from].Type() == rules.King {
		after := x
		after.capture(from, become)
		if _, attacked := after.leastValuable(side.Other()); attacked {
			return 0
		}
	}
	return max(0, x.capture(from, become))
}

// capture moves a piece to the square and returns what that wins, with all that follows.
func (x *bruteExchange) capture(from rules.Square, become rules.PieceType) int {
	piece, to := x.board[from], x.square
	won := 0
	if victim := x.board[to]; victim != rules.NoPiece {
		won = captureValue(victim.Type(), x.promoted[to])
	}
	x.board[to], x.promoted[to] = piece, x.promoted[from]
	x.board[from], x.promoted[from] = rules.NoPiece, false
	if become != rules.NoPieceType {
		x.board[to], x.promoted[to] = rules.PieceOf(piece.Color(), become), true
		won += boardValue[become] - boardValue[rules.Pawn]
	}
	return won - x.bestGain(piece.Color().Other())
}

// leastValuable returns the attacker of the square with the lowest value; among equals the
// lower type, the king last.
func (x *bruteExchange) leastValuable(side rules.Color) (best rules.Square, found bool) {
	cost := func(s rules.Square) int {
		t := x.board[s].Type()
		if t == rules.King {
			return infinity
		}
		return captureValue(t, x.promoted[s])<<3 | int(t)
	}
	for s := range rules.Square(64) {
		p := x.board[s]
		if p == rules.NoPiece || p.Color() != side || s == x.square || !x.attacks(s).Has(x.square) {
			continue
		}
		if !found || cost(s) < cost(best) {
			best, found = s, true
		}
	}
	return best, found
}

func (x *bruteExchange) attacks(from rules.Square) rules.Bitboard {
	var occupied rules.Bitboard
	for s, p := range x.board {
		if p != rules.NoPiece {
			occupied |= rules.Square(s).Bit()
		}
	}
	switch p := x.board[from]; p.Type() {
	case rules.Pawn:
		return rules.PawnAttacks(p.Color(), from)
	case rules.Knight:
		return rules.KnightAttacks(from)
	case rules.Bishop:
		return rules.BishopAttacks(from, occupied)
	case rules.Rook:
		return rules.RookAttacks(from, occupied)
	case rules.Queen:
		return rules.QueenAttacks(from, occupied)
	}
	return rules.KingAttacks(from)
}

func BenchmarkSEE(b *testing.B) {
	type exchange struct {
		p rules.Position
		m rules.Move
	}
	var all []exchange
	visitRandomGames(b, 2, func(_ *rand.Rand, p *rules.Position, legal []rules.Move) {
		for _, m := range legal {
			all = append(all, exchange{*p, m})
		}
	})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x := &all[i%len(all)]
		seeAtLeast(&x.p, x.m, 0)
	}
}

// The order is that of the values, for kinds with and without promoted pieces.
func TestAttackerOrder(t *testing.T) {
	seen, value, lastType := map[attackerKind]bool{}, 0, rules.NoPieceType
	for _, a := range attackerOrder {
		if v := captureValue(a.piece, a.promoted); v < value || !a.promoted && a.piece < lastType {
			t.Errorf("%+v is worth %d, less than the one before it", a, v)
		} else {
			value = v
		}
		if !a.promoted {
			lastType = a.piece
		}
		seen[a] = true
	}
	if len(seen) != 9 || seen[attackerKind{rules.Pawn, true}] {
		t.Errorf("kinds %v", seen)
	}
}

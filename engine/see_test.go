package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

const smallestScore = 1 // centipawn

// Every move of every position of random games, and of positions with what is rare there, is
// worth what playing out the exchange on a board wins.
func TestSEE(t *testing.T) {
	compare := func(_ *rand.Rand, p *rules.Position, legal []rules.Move) {
		f := frame{pos: *p}
		f.findAttacks()
		for _, m := range legal {
			want := newBruteExchange(p, m).value(p, m)
			if !seeAtLeast(p, m, want) || seeAtLeast(p, m, want+smallestScore) {
				t.Fatalf("%s, %s: the exchange is worth %d, seeAtLeast says otherwise", p.FEN(), m, want)
			}
			if !f.seeAtLeast(m, min(want, 0)) || want < 0 && f.seeAtLeast(m, want+smallestScore) {
				t.Fatalf("%s, %s: the exchange is worth %d, the frame's seeAtLeast says otherwise", p.FEN(), m, want)
			}
		}
	}
	visitRandomGames(t, 10, compare)
	for _, fen := range []string{
		"3rk3/8/8/3p4/8/8/3R4/3RK3[] w - - 0 1",  // two rooks, one behind the other
		"4k3/8/8/3q~4/4P3/8/8/4K3[] w - - 0 1",   // a promoted queen is worth a pawn in hand
		"3rk3/8/8/3pP3/8/8/8/4K3[] w - d6 0 1",   // en passant
		"4k3/6p1/8/4P3/8/8/8/4K3[N] w - - 0 1",   // a drop attacked by a pawn
		"4k3/8/5P2/8/8/8/8/4K3[N] w - - 0 1",     // a drop that the king cannot capture
		"4k3/8/8/8/8/8/8/4K2R[] w K - 0 1",       // castling
		"r7/4P1k1/8/8/8/8/8/4K3[] w - - 0 1",     // a promotion, recaptured
		"3rr1k1/4P3/8/8/8/B7/8/4K3[Q] w - - 0 1", // by capture, or defended
	} {
		p := newGame(t, fen).Position()
		compare(nil, p, p.LegalMoves())
	}
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

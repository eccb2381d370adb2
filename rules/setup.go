package rules

import (
	"errors"
	"fmt"
	"strings"
)

// Setup is anything that a FEN can describe, playable or not.
type Setup struct {
	Board     [64]Piece // by [Square]
	Promoted  Bitboard  // pieces that were pawns
	Pockets   [2]Pocket // by [Color]
	Turn      Color
	Castling  CastlingRights
	EnPassant Square // NoSquare if none
	Halfmove  int    // since a pawn move, pawn drop, capture or promotion
	Fullmove  int    // the move number, from 1
}

// The reasons why a setup is not playable, to be found in a [*SetupError] by
// errors.Is.
var (
	ErrNoKing         = errors.New("no king")
	ErrTooManyKings   = errors.New("more than one king")
	ErrOppositeCheck  = errors.New("the side not to move is in check")
	ErrPawnOnBackRank = errors.New("pawn on the first or last rank")
	ErrTooManyPieces  = errors.New("more than 32 pieces on the board and in hand")
	ErrPocketTooFull  = errors.New("more pieces in hand than possible")
	ErrPocketPiece    = errors.New("piece that cannot be in hand")
	ErrPromotedMark   = errors.New("promoted mark on a square without a promotable piece")
	ErrEnPassant      = errors.New("impossible en-passant square")
	ErrCastling       = errors.New("castling right without king and rook on their home squares")
	ErrCounters       = errors.New("move counter out of range")
)

// maxPieces is the number of pieces in a game: captures only change their owner.
const maxPieces = 32

// maxCounter bounds the halfmove clock and the move number.
const maxCounter = 9999

// SetupError lists every reason why a setup is not playable.
type SetupError struct {
	Reasons []error
}

// Error joins the reasons.
func (e *SetupError) Error() string {
	return "position is not playable: " + strings.ReplaceAll(errors.Join(e.Reasons...).Error(), "\n", "; ")
}

// Unwrap returns the reasons.
func (e *SetupError) Unwrap() []error { return e.Reasons }

// Position returns the playable position, or a *SetupError with every reason
// why there is none. An en-passant square without a legal capture is cleared, as
// Lichess does.
func (s *Setup) Position() (Position, error) {
	p := Position{
		promoted: s.Promoted, pockets: s.Pockets, turn: s.Turn & 1, castling: s.Castling & 15,
		enPassant: s.EnPassant, rule50: uint16(s.Halfmove), fullmove: uint16(max(s.Fullmove, 1)),
	}
	for sq, pc := range s.Board {
		if pc != NoPiece {
			p.putPiece(pc, Square(sq))
		}
	}
	var e SetupError
	s.checkKings(&p, &e)
	s.checkPieces(&p, &e)
	s.checkPockets(&e)
	s.checkEnPassant(&e)
	s.checkCastling(&e)
	for _, n := range []int{s.Halfmove, s.Fullmove} {
		if n < 0 || n > maxCounter {
			e.add(ErrCounters, "%d, want 0 to %d", n, maxCounter)
		}
	}
	if len(e.Reasons) > 0 {
		return Position{}, &e
	}
	p.finish()
	return p, nil
}

func (e *SetupError) add(reason error, format string, args ...any) {
	e.Reasons = append(e.Reasons, fmt.Errorf("%w: %s", reason, fmt.Sprintf(format, args...)))
}

func (s *Setup) checkKings(p *Position, e *SetupError) {
	oneEach := true
	for c := White; c <= Black; c++ {
		switch n := p.Pieces(c, King).Count(); {
		case n == 0:
			e.add(ErrNoKing, "%s needs one", c)
			oneEach = false
		case n > 1:
			e.add(ErrTooManyKings, "%s has %d", c, n)
			oneEach = false
		}
	}
	if oneEach && p.Attacked(p.turn, p.King(p.turn^1), p.Occupied()) {
		e.add(ErrOppositeCheck, "%s is to move and could capture the %s king on %s", p.turn, p.turn^1, p.King(p.turn^1))
	}
}

func (s *Setup) checkPieces(p *Position, e *SetupError) {
	for pawns := p.ByType(Pawn) & backRanks; pawns != 0; {
		e.add(ErrPawnOnBackRank, "on %s", pawns.Pop())
	}
	for marks := s.Promoted; marks != 0; {
		sq := marks.Pop()
		switch pc := s.Board[sq]; pc.Type() {
		case NoPieceType, Pawn, King:
			e.add(ErrPromotedMark, "on %s stands %s", sq, pc.describe())
		}
	}
	if n := p.Occupied().Count() + s.Pockets[White].Total() + s.Pockets[Black].Total(); n > maxPieces {
		e.add(ErrTooManyPieces, "%d", n)
	}
}

func (s *Setup) checkPockets(e *SetupError) {
	for c := White; c <= Black; c++ {
		for t := NoPieceType; t < 8; t++ {
			n := s.Pockets[c].Count(t)
			switch {
			case n == 0:
			case t < Pawn || t > Queen:
				e.add(ErrPocketPiece, "%s holds %d of type %s", c, n, t)
			case n > PocketLimit(t):
				e.add(ErrPocketTooFull, "%s holds %d of type %s, at most %d are possible", c, n, t, PocketLimit(t))
			}
		}
	}
}

func (s *Setup) checkEnPassant(e *SetupError) {
	target := s.EnPassant
	if target == NoSquare {
		return
	}
	if target > NoSquare {
		e.add(ErrEnPassant, "no square has the number %d", target)
		return
	}
	rank, them := 5, Black
	if s.Turn == Black {
		rank, them = 2, White
	}
	if target.Rank() != rank {
		e.add(ErrEnPassant, "%s, but with %s to move it is on rank %d", target, s.Turn, rank+1)
		return
	}
	// The pawn passed over the target: origin and pawn lie on either side of it.
	origin, pawn := target+8, target-8
	if s.Turn == Black {
		origin, pawn = pawn, origin
	}
	switch {
	case s.Board[pawn] != PieceOf(them, Pawn):
		e.add(ErrEnPassant, "%s, but no %s pawn is on %s", target, them, pawn)
	case s.Board[target] != NoPiece || s.Board[origin] != NoPiece:
		e.add(ErrEnPassant, "%s, but no pawn can have passed over it from %s", target, origin)
	}
}

func (s *Setup) checkCastling(e *SetupError) {
	for i, at := range [...]struct{ king, rook Square }{{E1, H1}, {E1, A1}, {E8, H8}, {E8, A8}} {
		c := Color(i / 2)
		if s.Castling>>i&1 != 0 && (s.Board[at.king] != PieceOf(c, King) || s.Board[at.rook] != PieceOf(c, Rook)) {
			e.add(ErrCastling, "%s needs the king on %s and a rook on %s", c, at.king, at.rook)
		}
	}
	if s.Castling > 15 {
		e.add(ErrCastling, "unknown right %#x", s.Castling)
	}
}

// Setup returns the position as an unvalidated setup.
func (p *Position) Setup() Setup {
	return Setup{
		Board: p.board, Promoted: p.promoted, Pockets: p.pockets, Turn: p.turn, Castling: p.castling,
		EnPassant: p.enPassant, Halfmove: int(p.rule50), Fullmove: int(p.fullmove),
	}
}

func (pc Piece) describe() string {
	if pc == NoPiece {
		return "nothing"
	}
	return "a " + pc.Type().String()
}

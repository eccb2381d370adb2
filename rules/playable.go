package rules

import (
	"errors"
	"fmt"
	"strings"
)

// The reasons why a position is not playable, to be found in an [*UnplayableError] by
// errors.Is.
var (
	ErrNoKing         = errors.New("no king")
	ErrTooManyKings   = errors.New("more than one king")
	ErrOppositeCheck  = errors.New("the side not to move is in check")
	ErrPawnOnBackRank = errors.New("pawn on the first or last rank")
	ErrTooManyPieces  = errors.New("more than 32 pieces on the board and in hand")
	ErrPocketTooFull  = errors.New("more pieces in hand than possible")
	ErrPromotedMark   = errors.New("promoted mark on a square without a promotable piece")
	ErrEnPassant      = errors.New("impossible en-passant square")
	ErrCastling       = errors.New("castling right without king and rook on their home squares")
)

// maxPieces is the number of pieces in a game: captures only change their owner.
const maxPieces = 32

// maxCounter bounds the halfmove clock and the move number.
const maxCounter = 9999

// UnplayableError lists every reason why a position is not playable.
type UnplayableError struct {
	Reasons []error
}

// Error joins the reasons.
func (e *UnplayableError) Error() string {
	return "position is not playable: " + strings.ReplaceAll(errors.Join(e.Reasons...).Error(), "\n", "; ")
}

// Unwrap returns the reasons.
func (e *UnplayableError) Unwrap() []error { return e.Reasons }

// checkPlayable returns an [*UnplayableError] unless the position is playable.
func (p *Position) checkPlayable() error {
	var e UnplayableError
	p.checkKings(&e)
	p.checkPieces(&e)
	p.checkPockets(&e)
	p.checkEnPassant(&e)
	p.checkCastling(&e)
	if len(e.Reasons) > 0 {
		return &e
	}
	return nil
}

func (e *UnplayableError) add(reason error, format string, args ...any) {
	e.Reasons = append(e.Reasons, fmt.Errorf("%w: %s", reason, fmt.Sprintf(format, args...)))
}

func (p *Position) checkKings(e *UnplayableError) {
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

func (p *Position) checkPieces(e *UnplayableError) {
	for pawns := p.ByType(Pawn) & backRanks; pawns != 0; {
		e.add(ErrPawnOnBackRank, "on %s", pawns.Pop())
	}
	for marks := p.promoted; marks != 0; {
		sq := marks.Pop()
		switch pc := p.board[sq]; pc.Type() {
		case NoPieceType, Pawn, King:
			e.add(ErrPromotedMark, "on %s stands %s", sq, pc.describe())
		}
	}
	if n := p.Occupied().Count() + p.pockets[White].Total() + p.pockets[Black].Total(); n > maxPieces {
		e.add(ErrTooManyPieces, "%d", n)
	}
}

func (p *Position) checkPockets(e *UnplayableError) {
	for c := White; c <= Black; c++ {
		for t := Pawn; t <= Queen; t++ {
			if n := p.pockets[c].Count(t); n > PocketLimit(t) {
				e.add(ErrPocketTooFull, "%s holds %d of type %s, at most %d are possible", c, n, t, PocketLimit(t))
			}
		}
	}
}

func (p *Position) checkEnPassant(e *UnplayableError) {
	target := p.enPassant
	if target == NoSquare {
		return
	}
	rank, them := 5, Black
	if p.turn == Black {
		rank, them = 2, White
	}
	if target.Rank() != rank {
		e.add(ErrEnPassant, "%s, but with %s to move it is on rank %d", target, p.turn, rank+1)
		return
	}
	// The pawn passed over the target: origin and pawn lie on either side of it.
	origin, pawn := target+8, target-8
	if p.turn == Black {
		origin, pawn = pawn, origin
	}
	switch {
	case p.board[pawn] != PieceOf(them, Pawn):
		e.add(ErrEnPassant, "%s, but no %s pawn is on %s", target, them, pawn)
	case p.board[target] != NoPiece || p.board[origin] != NoPiece:
		e.add(ErrEnPassant, "%s, but no pawn can have passed over it from %s", target, origin)
	}
}

func (p *Position) checkCastling(e *UnplayableError) {
	for i, at := range [...]struct{ king, rook Square }{{E1, H1}, {E1, A1}, {E8, H8}, {E8, A8}} {
		c := Color(i / 2)
		if p.castling>>i&1 != 0 && (p.board[at.king] != PieceOf(c, King) || p.board[at.rook] != PieceOf(c, Rook)) {
			e.add(ErrCastling, "%s needs the king on %s and a rook on %s", c, at.king, at.rook)
		}
	}
}

func (pc Piece) describe() string {
	if pc == NoPiece {
		return "nothing"
	}
	return "a " + pc.Type().String()
}

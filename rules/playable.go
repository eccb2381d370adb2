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
	ErrPromotedMark   = errors.New("promoted mark on a square without a promotable piece")
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
	if n := p.Occupied().Count() + p.InHand(); n > maxPieces {
		e.add(ErrTooManyPieces, "%d", n)
	}
}

// clearImpossible clears the castling rights and the en-passant square that the board does not
// allow, and returns what it cleared.
func (p *Position) clearImpossible() (cleared []string) {
	for i, at := range [...]struct{ king, rook Square }{{E1, H1}, {E1, A1}, {E8, H8}, {E8, A8}} {
		c := Color(i / 2)
		if p.castling>>i&1 != 0 && (p.board[at.king] != PieceOf(c, King) ||
			p.board[at.rook] != PieceOf(c, Rook) || p.promoted.Has(at.rook)) {
			p.castling &^= 1 << i
			cleared = append(cleared, fmt.Sprintf("castling right %c, which needs the king on %s and a rook on %s",
				"KQkq"[i], at.king, at.rook))
		}
	}
	if target := p.enPassant; target != NoSquare && !p.canHavePassed(target) {
		p.enPassant = NoSquare
		cleared = append(cleared, fmt.Sprintf("en-passant square %s, over which no pawn can have passed", target))
	}
	return cleared
}

// canHavePassed reports whether a pawn of the side not to move can have passed over a square:
// its origin and itself lie on either side of it.
func (p *Position) canHavePassed(target Square) bool {
	rank, origin, pawn := 5, target+8, target-8
	if p.turn == Black {
		rank, origin, pawn = 2, pawn, origin
	}
	return target.Rank() == rank && p.board[pawn] == PieceOf(p.turn^1, Pawn) &&
		p.board[target] == NoPiece && p.board[origin] == NoPiece
}

func (pc Piece) describe() string {
	if pc == NoPiece {
		return "nothing"
	}
	return "a " + pc.Type().String()
}

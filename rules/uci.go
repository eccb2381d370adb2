package rules

import (
	"errors"
	"fmt"
)

var (
	// ErrIllegalMove is in the chain of errors about well-formed moves that
	// the position does not allow.
	ErrIllegalMove = errors.New("illegal move")
	// ErrMoveNotation is in the chain of errors about text that is no move.
	ErrMoveNotation = errors.New("not a move")
)

// ParseUCI reads a legal move as Lichess and UCI programs write them: e2e4,
// e7e8q, N@f7, castling as e1h1 or e1g1. As on Lichess, a promotion without
// suffix or with a capital one is to a queen, and a drop needs a capital
// letter.
func (p *Position) ParseUCI(s string) (Move, error) {
	m, err := p.readUCI(s)
	if err != nil {
		return NoMove, fmt.Errorf("%w %.16q: %w", ErrMoveNotation, s, err)
	}
	if !p.IsLegal(m) {
		return NoMove, fmt.Errorf("%w %q in %s", ErrIllegalMove, s, p.FEN())
	}
	return m, nil
}

func (p *Position) readUCI(s string) (Move, error) {
	if len(s) != 4 && len(s) != 5 {
		return NoMove, errors.New("want the form e2e4, e7e8q or N@f7")
	}
	to, err := ParseSquare(s[2:4])
	if err != nil {
		return NoMove, err
	}
	if s[1] == '@' {
		t := pieceTypeOf(s[0])
		if len(s) != 4 || t == NoPieceType || t == King || s[0] != t.Letter() {
			return NoMove, errors.New("want a drop of P, N, B, R or Q in capitals, such as N@f7")
		}
		return NewDrop(t, to), nil
	}
	from, err := ParseSquare(s[:2])
	if err != nil {
		return NoMove, err
	}
	if len(s) == 5 {
		t := pieceTypeOf(s[4])
		if t < Knight || t > Queen {
			return NoMove, errors.New("want a promotion to q, r, b or n")
		}
		if s[4] == t.Letter() {
			t = Queen
		}
		return NewPromotion(from, to, t), nil
	}
	return p.completeMove(from, to), nil
}

// completeMove makes castling of a king's two-square step, and a queen of a
// pawn that reaches the last rank.
func (p *Position) completeMove(from, to Square) Move {
	switch p.board[from].Type() {
	case Pawn:
		if backRanks.Has(to) {
			return NewPromotion(from, to, Queen)
		}
	case King:
		for rooks := p.castlingTargets(); rooks != 0; {
			rook := rooks.Pop()
			if kingTo, _ := CastlingSquares(from, rook); from == p.King(p.turn) && to == kingTo {
				return NewMove(from, rook)
			}
		}
	}
	return NewMove(from, to)
}

// UCI writes a legal move with castling as e1g1, as UCI programs expect. Use
// [Move.String] for Lichess's form, e1h1.
func (p *Position) UCI(m Move) string {
	if m != NoMove && p.IsCastling(m) {
		kingTo, _ := CastlingSquares(m.From(), m.To())
		m = NewMove(m.From(), kingTo)
	}
	return m.String()
}

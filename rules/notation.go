package rules

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrIllegalMove is in the chain of errors about well-formed moves that
	// the position does not allow.
	ErrIllegalMove = errors.New("illegal move")
	// ErrMoveNotation is in the chain of errors about text that is not a move.
	ErrMoveNotation = errors.New("not a move")
)

// ParseUCI reads a legal move as Lichess and UCI programs write them: e2e4,
// e7e8q, N@f7, castling as e1h1 or e1g1. As on Lichess, a promotion without
// suffix or with one in upper case is to a queen, and a drop needs a letter in upper
// case.
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
		t := pieceTypeOf(rune(s[0]))
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
		t := pieceTypeOf(rune(s[4]))
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

// ParseSAN reads a legal move in standard algebraic notation: Nf3, exd5,
// e8=Q+, O-O, N@f7#, and for a pawn drop P@e4 or @e4. As in other people's files, it may be in
// long algebraic notation (Ng1-f3, e7-e8=Q) or in that of UCI. Trailing marks of check, mate,
// en passant and annotators are ignored.
func (p *Position) ParseSAN(s string) (Move, error) {
	want, err := readSAN(s)
	if err != nil || want.piece == Pawn && want.rank >= 0 && want.promotion == NoPieceType {
		if m, uciErr := p.ParseUCI(trimMarks(s)); uciErr == nil {
			return m, nil
		}
	}
	if err != nil {
		return NoMove, fmt.Errorf("%w %.16q: %w", ErrMoveNotation, s, err)
	}
	var l MoveList
	p.Generate(&l, All)
	found := NoMove
	for _, m := range l.Moves() {
		if !want.matches(p, m) {
			continue
		}
		if found != NoMove {
			return NoMove, fmt.Errorf("%w %q: ambiguous, %s or %s in %s", ErrMoveNotation, s, found, m, p.FEN())
		}
		found = m
	}
	if found == NoMove {
		return NoMove, fmt.Errorf("%w %q in %s", ErrIllegalMove, s, p.FEN())
	}
	return found, nil
}

// san holds the parts of a move in SAN.
type san struct {
	piece     PieceType
	drop      bool
	castling  int // 1 for O-O, 2 for O-O-O
	file      int // of origin, -1 if not given
	rank      int
	to        Square
	promotion PieceType
}

// trimMarks removes what follows a move without being part of it.
func trimMarks(s string) string {
	s = strings.TrimRight(s, "+-=#!?±∓⩲⩱∞□")
	return strings.TrimSuffix(strings.TrimSuffix(s, "e.p."), "ep")
}

func readSAN(s string) (san, error) {
	w := san{piece: Pawn, file: -1, rank: -1}
	s = trimMarks(s)
	switch strings.NewReplacer("0", "O", "o", "O").Replace(s) {
	case "O-O":
		w.castling = 1
		return w, nil
	case "O-O-O":
		w.castling = 2
		return w, nil
	}
	if len(s) < 2 || len(s) > 8 {
		return w, errors.New("want the form Nf3, exd5, e8=Q, O-O or N@f7")
	}
	if i := strings.IndexByte("NBRQK", s[0]); i >= 0 {
		w.piece, s = Knight+PieceType(i), s[1:]
	} else if strings.HasPrefix(s, "P@") {
		s = s[1:]
	}
	if i := strings.IndexByte("NBRQ", s[len(s)-1]); i >= 0 && w.piece == Pawn {
		w.promotion, s = Knight+PieceType(i), strings.TrimSuffix(s[:len(s)-1], "=")
	}
	if len(s) < 2 {
		return w, errors.New("no square")
	}
	var err error
	if w.to, err = ParseSquare(s[len(s)-2:]); err != nil {
		return w, err
	}
	return w, w.readOrigin(s[:len(s)-2])
}

// readOrigin reads what stands between piece and square.
func (w *san) readOrigin(s string) error {
	if s == "@" {
		w.drop = true
		return nil
	}
	s = strings.TrimRight(s, "x-:")
	if s != "" && s[0] >= 'a' && s[0] <= 'h' {
		w.file, s = int(s[0]-'a'), s[1:]
	}
	if s != "" && s[0] >= '1' && s[0] <= '8' {
		w.rank, s = int(s[0]-'1'), s[1:]
	}
	if s != "" {
		return fmt.Errorf("unexpected %q before the square", s)
	}
	return nil
}

func (w *san) matches(p *Position, m Move) bool {
	if castles := p.IsCastling(m); castles || w.castling != 0 {
		side := 1
		if m.To() < m.From() {
			side = 2
		}
		return castles && w.castling == side
	}
	if m.IsDrop() || w.drop {
		return m.IsDrop() && w.drop && m.Dropped() == w.piece && m.To() == w.to && w.promotion == NoPieceType
	}
	return m.To() == w.to && p.Moved(m) == w.piece && m.Promotion() == w.promotion &&
		(w.file < 0 || m.From().File() == w.file) && (w.rank < 0 || m.From().Rank() == w.rank)
}

// SAN writes a legal move with check and mate marks. A pawn drop is P@e4,
// which every reader accepts; some write @e4.
func (p *Position) SAN(m Move) string {
	next := p.After(m)
	b := p.appendSAN(make([]byte, 0, 8), m)
	switch {
	case next.IsCheckmate():
		b = append(b, '#')
	case next.InCheck():
		b = append(b, '+')
	}
	return string(b)
}

// Line writes moves from the position as "12. N@f7+ Kg8 13. Q@h7#". It stops at an illegal
// move.
func (p *Position) Line(moves []Move) string {
	var b strings.Builder
	at := *p
	for i, m := range moves {
		if !at.IsLegal(m) {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if i == 0 || at.Turn() == White {
			b.WriteString(at.MoveNumber() + " ")
		}
		b.WriteString(at.SAN(m))
		at = at.After(m)
	}
	return b.String()
}

// MoveNumber returns the number of the next move, such as "12." or "12…".
func (p *Position) MoveNumber() string {
	if p.Turn() == White {
		return fmt.Sprintf("%d.", p.Fullmove())
	}
	return fmt.Sprintf("%d…", p.Fullmove())
}

func (p *Position) appendSAN(b []byte, m Move) []byte {
	switch {
	case m.IsDrop():
		return m.appendUCI(b)
	case p.IsCastling(m) && m.To() > m.From():
		return append(b, "O-O"...)
	case p.IsCastling(m):
		return append(b, "O-O-O"...)
	}
	if t := p.Moved(m); t != Pawn {
		b = p.appendOrigin(append(b, t.Letter()), m)
	} else if p.IsCapture(m) {
		b = append(b, 'a'+byte(m.From().File()))
	}
	if p.IsCapture(m) {
		b = append(b, 'x')
	}
	b = append(b, m.To().String()...)
	if m.IsPromotion() {
		b = append(b, '=', m.Promotion().Letter())
	}
	return b
}

// appendOrigin adds the file, rank or square that disambiguates the piece from
// others that can move to the same square.
func (p *Position) appendOrigin(b []byte, m Move) []byte {
	var l MoveList
	p.Generate(&l, Captures|QuietBoardMoves)
	ambiguous, sameFile, sameRank := false, false, false
	for _, o := range l.Moves() {
		if o.To() != m.To() || o.From() == m.From() || p.Moved(o) != p.Moved(m) || p.IsCastling(o) {
			continue
		}
		ambiguous = true
		sameFile = sameFile || o.From().File() == m.From().File()
		sameRank = sameRank || o.From().Rank() == m.From().Rank()
	}
	if ambiguous && (!sameFile || sameRank) {
		b = append(b, 'a'+byte(m.From().File()))
	}
	if ambiguous && sameFile {
		b = append(b, '1'+byte(m.From().Rank()))
	}
	return b
}

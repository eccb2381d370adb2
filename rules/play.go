package rules

import "fmt"

// castlingLost holds, by square, the rights that are lost when a piece leaves or
// reaches it.
var castlingLost = [64]CastlingRights{
	A1: WhiteQueenside, E1: WhiteKingside | WhiteQueenside, H1: WhiteKingside,
	A8: BlackQueenside, E8: BlackKingside | BlackQueenside, H8: BlackKingside,
}

// Play returns the position after a move, or an error that wraps [ErrIllegalMove].
func (p *Position) Play(m Move) (Position, error) {
	if !p.IsLegal(m) {
		return Position{}, fmt.Errorf("%w %s in %s", ErrIllegalMove, m, p.FEN())
	}
	return p.After(m), nil
}

// After returns the position after a legal move, such as one of
// [Position.LegalMoves]. The move is not checked: after an illegal one the position
// is meaningless. [Position.Play] checks it.
func (p *Position) After(m Move) Position {
	var next Position
	p.PlayInto(m, &next)
	return next
}

// PlayInto writes the position after a legal move to next, without allocating. The
// move is not checked; next must not be p itself.
func (p *Position) PlayInto(m Move, next *Position) {
	p.PlayNullInto(next)
	if m.IsDrop() {
		next.playDrop(p.turn, m.Dropped(), m.To())
		return
	}
	next.playBoardMove(p, m)
}

// PlayNullInto writes the position after a null move to next. The side to move
// must not be in check.
func (p *Position) PlayNullInto(next *Position) {
	*next = *p
	next.key ^= zobristBlack
	if p.enPassant != NoSquare {
		next.key ^= zobristEnPassant[p.enPassant&7]
		next.enPassant = NoSquare
	}
	next.turn ^= 1
	next.rule50++
	next.fullmove += uint16(p.turn)
}

// playDrop moves a piece from us's pocket to the board. A drop opens no line, so
// only the dropped piece can give check.
func (p *Position) playDrop(us Color, t PieceType, to Square) {
	pc := PieceOf(us, t)
	p.putPiece(pc, to)
	p.key ^= zobristPiece[pc&15][to&63] ^ p.pocketKey(us, t, -1)
	p.pockets[us&1] = p.pockets[us&1].Without(t)
	if t == Pawn {
		p.rule50 = 0
	}
	king := p.King(p.turn)
	switch t {
	case Pawn:
		p.checkers = pawnAttacks[us&1^1][king&63] & to.Bit()
	case Knight:
		p.checkers = knightAttacks[king&63] & to.Bit()
	default:
		p.checkers = 0
		if queenRays[king&63].Has(to) {
			p.checkers = Attacks(pc, king, p.Occupied()) & to.Bit()
		}
	}
}

// playBoardMove plays a board move; before is the position it was played in.
func (p *Position) playBoardMove(before *Position, m Move) {
	us, from, to := before.turn&1, m.From()&63, m.To()&63
	pc, victim := before.board[from], before.board[to]
	p.castling &^= castlingLost[from] | castlingLost[to]
	p.key ^= zobristCastling[before.castling&15] ^ zobristCastling[p.castling&15]

	if victim != NoPiece && victim.Color() == us {
		p.castle(us, from, to)
		return
	}
	if victim != NoPiece {
		p.capture(us, victim, to)
	}
	p.removePiece(pc, from)
	landed := pc
	switch {
	case before.promoted.Has(from):
		p.promoted ^= from.Bit() | to.Bit()
		p.key ^= zobristPromoted[from] ^ zobristPromoted[to]
	case pc.Type() == Pawn:
		p.rule50 = 0
		switch {
		case m>>12 != 0:
			landed = PieceOf(us, m.Promotion())
			p.promoted |= to.Bit()
			p.key ^= zobristPromoted[to]
		case to == before.enPassant:
			p.capture(us, PieceOf(us^1, Pawn), to^8)
		}
	}
	p.putPiece(landed, to)
	p.key ^= zobristPiece[pc&15][from] ^ zobristPiece[landed&15][to]

	p.findCheckers(us, landed.Type(), from, to)
	if pc.Type() == Pawn && from^to == 16 {
		p.setEnPassant(us, to)
	}
}

// findCheckers sets the checkers after us moved a piece: the piece itself, or
// a slider whose line changed.
func (p *Position) findCheckers(us Color, landed PieceType, from, to Square) {
	king := p.King(us ^ 1)
	p.checkers = 0
	switch landed {
	case Pawn:
		p.checkers = pawnAttacks[us^1][king&63] & to.Bit()
	case Knight:
		p.checkers = knightAttacks[king&63] & to.Bit()
	}
	changed := from.Bit() | to.Bit()
	if landed == Pawn {
		changed |= (to ^ 8).Bit() // a pawn captured en passant
	}
	if queenRays[king&63]&changed != 0 {
		p.checkers |= p.sliderAttackers(king, p.Occupied(), p.byColor[us&1])
	}
}

// castle moves king and rook; rook is the rook's square.
func (p *Position) castle(us Color, king, rook Square) {
	kingTo, rookTo := CastlingSquares(king, rook)
	k, r := PieceOf(us, King), PieceOf(us, Rook)
	p.removePiece(k, king)
	p.removePiece(r, rook)
	p.putPiece(k, kingTo)
	p.putPiece(r, rookTo)
	p.key ^= zobristPiece[k&15][king&63] ^ zobristPiece[k&15][kingTo&63] ^
		zobristPiece[r&15][rook&63] ^ zobristPiece[r&15][rookTo&63]
	p.checkers = p.sliderAttackers(p.King(us^1), p.Occupied(), p.byColor[us&1])
}

// CastlingSquares returns the squares of king and rook after castling.
func CastlingSquares(king, rook Square) (kingTo, rookTo Square) {
	if rook > king {
		return king + 2, king + 1
	}
	return king - 2, king - 1
}

// capture moves an enemy piece from the board to us's pocket, a promoted one as
// a pawn.
func (p *Position) capture(us Color, victim Piece, s Square) {
	p.removePiece(victim, s)
	p.key ^= zobristPiece[victim&15][s&63]
	t := victim.Type()
	if p.promoted.Has(s) {
		p.promoted ^= s.Bit()
		p.key ^= zobristPromoted[s&63]
		t = Pawn
	}
	p.key ^= p.pocketKey(us, t, 1)
	p.pockets[us&1] = p.pockets[us&1].With(t)
	p.rule50 = 0
}

func (p *Position) putPiece(pc Piece, s Square) {
	p.byType[pc&7] |= s.Bit()
	p.byColor[pc>>3&1] |= s.Bit()
	p.board[s&63] = pc
}

func (p *Position) removePiece(pc Piece, s Square) {
	p.byType[pc&7] &^= s.Bit()
	p.byColor[pc>>3&1] &^= s.Bit()
	p.board[s&63] = NoPiece
}

// setEnPassant sets the en-passant square after us's pawn went two squares
// to a square, if the side to move can legally capture it.
func (p *Position) setEnPassant(us Color, to Square) {
	if target := to ^ 8; p.enPassantCapturers(target) != 0 {
		p.enPassant = target
		p.key ^= zobristEnPassant[target&7]
	}
}

// enPassantCapturers returns the pawns of the side to move that can capture on the
// en-passant target: the king is safe afterwards.
func (p *Position) enPassantCapturers(target Square) (safe Bitboard) {
	victim, king := target^8, p.King(p.turn)
	for pawns := pawnAttacks[p.turn&1^1][target&63] & p.Pieces(p.turn, Pawn); pawns != 0; {
		from := pawns.Pop()
		occupied := p.Occupied()&^(from.Bit()|victim.Bit()) | target.Bit()
		if p.AttackersTo(king, occupied)&p.byColor[p.turn&1^1]&^victim.Bit() == 0 {
			safe |= from.Bit()
		}
	}
	return safe
}

// finish completes a position whose pieces, pockets, turn and rights are set:
// it clears an en-passant square without a legal capture and computes checkers
// and key.
func (p *Position) finish() {
	p.checkers = p.AttackersTo(p.King(p.turn), p.Occupied()) & p.byColor[p.turn^1]
	if target := p.enPassant; target != NoSquare {
		p.enPassant = NoSquare
		p.setEnPassant(p.turn^1, target^8)
	}
	p.key = p.recomputeKey()
}

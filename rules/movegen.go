package rules

import "math/bits"

// GenKind chooses which legal moves to generate.
type GenKind uint8

// The kinds of moves. Captures and Quiets together are All, and so are
// Captures, QuietBoardMoves and Drops.
const (
	Captures        GenKind                              = 1 << iota // captures, en passant and every promotion
	QuietBoardMoves                                                  // quiet board moves and castling, no drops
	Drops                                                            // drops only
	Quiets          = QuietBoardMoves | Drops                        // all that is not in Captures
	All             = Captures | QuietBoardMoves | Drops             // every legal move
)

// Generate appends the legal moves of a kind to the list.
func (p *Position) Generate(l *MoveList, kind GenKind) {
	t := p.targets()
	board := t.boardTargets(p, kind)
	if kind&(Captures|QuietBoardMoves) != 0 {
		l.addAll(NewMove(t.king, 0), t.kingMoves(p, board))
		if t.evasion != 0 {
			p.generatePieces(l, &t, board&t.evasion)
			p.generatePawns(l, &t, kind)
		}
		if kind&QuietBoardMoves != 0 {
			l.addAll(NewMove(t.king, 0), p.castlingTargets())
		}
	}
	if kind&Drops != 0 {
		p.generateDrops(l, &t)
	}
}

// targets holds the restrictions on the moves of a position.
type targets struct {
	king Square
	// evasion is where a piece other than the king may move to: all squares; in check, the
	// checker and the squares between; in double check none.
	evasion Bitboard
	pinned  Bitboard // own pieces that may only move on their line with the king
}

func (p *Position) targets() targets {
	t := targets{king: p.King(p.turn), evasion: AllSquares}
	t.pinned = p.blockers(t.king, p.turn^1) & p.byColor[p.turn&1]
	if p.checkers != 0 {
		t.evasion = 0
		if !p.checkers.MoreThanOne() {
			t.evasion = p.checkers | between[t.king&63][p.checkers.First()&63]
		}
	}
	return t
}

// blockers returns the pieces of either side that alone stand between a king
// and a slider of the given side.
func (p *Position) blockers(king Square, by Color) (blockers Bitboard) {
	occupied, queens := p.Occupied(), p.byType[Queen]
	snipers := bishopRays[king&63]&(p.byType[Bishop]|queens) | rookRays[king&63]&(p.byType[Rook]|queens)
	snipers &= p.byColor[by&1]
	for snipers != 0 {
		if b := between[king&63][snipers.Pop()&63] & occupied; !b.MoreThanOne() {
			blockers |= b
		}
	}
	return blockers
}

// boardTargets returns the target squares of board moves of a kind, except pawn
// moves and castling.
func (t *targets) boardTargets(p *Position, kind GenKind) (squares Bitboard) {
	if kind&Captures != 0 {
		squares = p.byColor[p.turn&1^1]
	}
	if kind&QuietBoardMoves != 0 {
		squares |= ^p.Occupied()
	}
	return squares
}

// kingMoves returns those of the given squares that the king can move to, without castling.
func (t *targets) kingMoves(p *Position, squares Bitboard) (safe Bitboard) {
	them := p.turn&1 ^ 1
	candidates := kingAttacks[t.king&63] & squares &^ (p.byColor[them^1] | pawnsAttack(them, p.Pieces(them, Pawn)))
	without := p.Occupied() &^ t.king.Bit()
	for candidates != 0 {
		s := candidates.Pop()
		if !p.Attacked(them, s, without) {
			safe |= s.Bit()
		}
	}
	return safe
}

// castlingTargets returns the squares of the rooks the king can castle with.
func (p *Position) castlingTargets() (rooks Bitboard) {
	rights := p.castling >> (p.turn & 1 * 2) & 3
	if rights == 0 || p.checkers != 0 {
		return 0
	}
	king := E1 + Square(p.turn&1)*56
	if rights&WhiteKingside != 0 && p.canCastle(king, king+3) {
		rooks = (king + 3).Bit()
	}
	if rights&WhiteQueenside != 0 && p.canCastle(king, king-4) {
		rooks |= (king - 4).Bit()
	}
	return rooks
}

// canCastle reports whether nothing stands between king and rook and the
// king passes no attacked square.
func (p *Position) canCastle(king, rook Square) bool {
	if between[king&63][rook&63]&p.Occupied() != 0 {
		return false
	}
	kingTo, rookTo := CastlingSquares(king, rook)
	them := p.turn&1 ^ 1
	return !p.Attacked(them, rookTo, p.Occupied()) && !p.Attacked(them, kingTo, p.Occupied())
}

// generatePieces adds the moves of knights, bishops, rooks and queens to the
// given squares.
func (p *Position) generatePieces(l *MoveList, t *targets, squares Bitboard) {
	own, occupied := p.byColor[p.turn&1], p.Occupied()
	for b := own & p.byType[Knight] &^ t.pinned; b != 0; {
		from := b.Pop()
		l.addAll(NewMove(from, 0), knightAttacks[from&63]&squares)
	}
	for b := own & (p.byType[Bishop] | p.byType[Queen]); b != 0; {
		from := b.Pop()
		l.addAll(NewMove(from, 0), t.unpinned(from, BishopAttacks(from, occupied)&squares))
	}
	for b := own & (p.byType[Rook] | p.byType[Queen]); b != 0; {
		from := b.Pop()
		l.addAll(NewMove(from, 0), t.unpinned(from, RookAttacks(from, occupied)&squares))
	}
}

// unpinned returns those targets that keep a pinned piece on its line.
func (t *targets) unpinned(from Square, squares Bitboard) Bitboard {
	if t.pinned.Has(from) {
		return squares & line[t.king&63][from&63]
	}
	return squares
}

// pawnMoves holds the target squares of pawn moves by direction.
type pawnMoves struct {
	single, double, west, east Bitboard
	forward                    int // squares from origin to single, 8 or -8
}

// pawnMoves returns where the pawns of the side to move can go, without
// en passant, pins and checks respected.
func (p *Position) pawnMoves(t *targets, kind GenKind) (m pawnMoves) {
	us := p.turn & 1
	pawns, empty, enemy := p.Pieces(us, Pawn), ^p.Occupied(), p.byColor[us^1]
	pushed := pawns &^ t.pinned
	taking := pushed
	if pinned := pawns & t.pinned; pinned != 0 {
		pushed |= pinned & FileBB(t.king.File())
	}
	doubleRank := RankBB(3)
	if m.forward = 8; us == Black {
		m.forward, doubleRank = -8, RankBB(4)
	}
	m.single = forward(us, pushed) & empty
	m.double = forward(us, m.single) & empty & doubleRank & t.evasion
	m.single &= t.evasion
	m.west = forward(us, taking&^FileA) >> 1 & enemy & t.evasion
	m.east = forward(us, taking&^FileH) << 1 & enemy & t.evasion
	for pinned := pawns & t.pinned; pinned != 0; {
		from := pinned.Pop()
		along := line[t.king&63][from&63] & enemy & t.evasion
		m.west |= forward(us, from.Bit()&^FileA) >> 1 & along
		m.east |= forward(us, from.Bit()&^FileH) << 1 & along
	}
	if kind&Captures == 0 {
		m.west, m.east, m.single = 0, 0, m.single&^backRanks
	}
	if kind&QuietBoardMoves == 0 {
		m.double, m.single = 0, m.single&backRanks
	}
	return m
}

// forward moves a set one rank ahead as a side sees it.
func forward(c Color, b Bitboard) Bitboard {
	if c == White {
		return b << 8
	}
	return b >> 8
}

// pawnsAttack returns the squares that pawns of a side attack.
func pawnsAttack(c Color, pawns Bitboard) Bitboard {
	ahead := forward(c, pawns)
	return ahead&^FileA>>1 | ahead&^FileH<<1
}

func (p *Position) generatePawns(l *MoveList, t *targets, kind GenKind) {
	m := p.pawnMoves(t, kind)
	l.addPawns(m.single, m.forward)
	l.addPawns(m.double, 2*m.forward)
	l.addPawns(m.west, m.forward-1)
	l.addPawns(m.east, m.forward+1)
	if p.enPassant != NoSquare && kind&Captures != 0 {
		for b := p.enPassantCapturers(p.enPassant); b != 0; {
			l.Add(NewMove(b.Pop(), p.enPassant))
		}
	}
}

// dropTargets returns the squares where pieces can be dropped; pawns not on
// the first and last rank.
func (p *Position) dropTargets(t *targets) Bitboard { return t.evasion &^ p.Occupied() }

func (p *Position) generateDrops(l *MoveList, t *targets) {
	pocket := p.pockets[p.turn&1]
	if pocket == 0 {
		return
	}
	squares := p.dropTargets(t)
	if pocket.Has(Pawn) {
		l.addAll(NewDrop(Pawn, 0), squares&^backRanks)
	}
	for pt := Knight; pt <= Queen; pt++ {
		if pocket.Has(pt) {
			l.addAll(NewDrop(pt, 0), squares)
		}
	}
}

// addAll adds moves or drops that differ only in where they go; base goes to a1.
func (l *MoveList) addAll(base Move, squares Bitboard) {
	n := l.n
	for ; squares != 0; squares &= squares - 1 {
		l.moves[n] = base | Move(bits.TrailingZeros64(uint64(squares)))
		n++
	}
	l.n = n
}

// addPawns adds pawn moves by delta squares, as promotions on the last rank.
func (l *MoveList) addPawns(squares Bitboard, delta int) {
	for b := squares &^ backRanks; b != 0; {
		to := b.Pop()
		l.Add(NewMove(Square(int(to)-delta), to))
	}
	for b := squares & backRanks; b != 0; {
		to := b.Pop()
		for t := Queen; t >= Knight; t-- {
			l.Add(NewPromotion(Square(int(to)-delta), to, t))
		}
	}
}

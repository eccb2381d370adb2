package engine

import "github.com/zhbot/zhbot/rules"

// Piece values in centipawns, by [rules.PieceType]. In crazyhouse the major pieces are
// worth relatively less. A piece in hand can be dropped anywhere, but costs a move.
//
// A capture removes a piece from the board and adds one to the captor's pocket, so winning
// a pawn changes the score by about two pawns.
var (
	boardValue = [8]int{0, 100, 270, 320, 360, 515, 0, 0}
	handValue  = [8]int{0, 85, 215, 190, 285, 370, 0, 0}
)

// firstInHand is the additional value of the first piece of its type in hand.
var firstInHand = [8]int{0, 70, 50, 60, 55, 0, 0, 0}

// promotedBonus is the additional value of a promoted piece, whose capture only yields a
// pawn, in percent of the difference in hand values.
const promotedBonus = 50

// captureValue returns by how much the score changes when a piece of the type is captured.
// A promoted piece goes to the pocket as a pawn.
func captureValue(t rules.PieceType, promoted bool) int {
	if promoted {
		return boardValue[t] + handValue[rules.Pawn]
	}
	return boardValue[t] + handValue[t]
}

// evaluateMaterial adds up the pieces of a side, on the board and in hand.
func (e *evaluation) evaluateMaterial(c rules.Color) {
	sum, hand := 0, e.p.Pocket(c)
	for t := rules.Pawn; t <= rules.Queen; t++ {
		sum += boardValue[t] * e.p.Pieces(c, t).Count()
		if n := hand.Count(t); n > 0 {
			sum += handValue[t]*n + firstInHand[t]
		}
	}
	for set := e.p.Promoted() & e.p.ByColor(c); set != 0; {
		t := e.p.PieceAt(set.Pop()).Type()
		sum += (handValue[t] - handValue[rules.Pawn]) * promotedBonus / 100
	}
	e.terms[c][termMaterial] = sum
}

// Piece-square bonuses in centipawns, by piece type: one for the rank, relative to the
// side, and one for the file, counted from the edge.
var (
	rankBonus = [8][8]int{
		rules.Pawn:   {0, 10, -5, -10, 0, 40, 50, 0},
		rules.Knight: {-20, 10, 10, 20, 20, 20, -50, -40},
		rules.Bishop: {10, 25, 5, 0, 20, 0, -60, -60},
		rules.Rook:   {20, -15, -40, -50, 0, -30, 10, 50},
		rules.Queen:  {40, 15, 0, -30, -30, -10, 0, 20},
		rules.King:   {-10, 40, -10, -40, -60, -80, -100, -120},
	}
	fileBonus = [8][4]int{
		rules.Pawn:   {-30, -10, 15, 10},
		rules.Knight: {-45, -15, 10, 20},
		rules.Bishop: {0, 15, 5, -10},
		rules.Rook:   {-20, -10, 15, 0},
		rules.Queen:  {0, -5, 0, 0},
		rules.King:   {50, 80, -50, -75},
	}
)

// pieceSquare is the sum of both bonuses, by side, type and square.
var pieceSquare = buildPieceSquare()

func buildPieceSquare() (table [2][8][64]int16) {
	for t := rules.Pawn; t <= rules.King; t++ {
		for s := range rules.Square(64) {
			v := int16(rankBonus[t][s.Rank()] + fileBonus[t][min(s.File(), 7-s.File())])
			table[rules.White][t][s] = v
			table[rules.Black][t][s.FlipRank()] = v
		}
	}
	return table
}

// isolatedPawn is the penalty for a pawn without pawns on adjacent files, in centipawns.
// With pawn drops, doubled and protected pawns hardly matter.
const isolatedPawn = 12

// evaluatePawns adds the attacks of pawns and evaluates their structure.
func (e *evaluation) evaluatePawns(c rules.Color) {
	pawns := e.p.Pieces(c, rules.Pawn)
	left, right := pawnAttacks(c, pawns)
	e.addAttacks(c, rules.Pawn, left)
	e.addAttacks(c, rules.Pawn, right)

	files := fileFill(pawns)
	beside := files&^rules.FileH<<1 | files&^rules.FileA>>1
	e.terms[c][termPawns] = -isolatedPawn * (pawns &^ beside).Count()
	for set := pawns; set != 0; {
		e.terms[c][termPlacement] += int(pieceSquare[c][rules.Pawn][set.Pop()&63])
	}
}

// pawnAttacks returns the squares that a side's pawns attack towards the a-file and
// towards the h-file.
func pawnAttacks(c rules.Color, pawns rules.Bitboard) (left, right rules.Bitboard) {
	if c == rules.White {
		return pawns &^ rules.FileA << 7, pawns &^ rules.FileH << 9
	}
	return pawns &^ rules.FileA >> 9, pawns &^ rules.FileH >> 7
}

// fileFill returns all files with a square in the set.
func fileFill(b rules.Bitboard) rules.Bitboard {
	b |= b >> 8
	b |= b >> 16
	b |= b >> 32
	return b & rules.Rank1 * rules.FileA
}

// mobilityWeight is the bonus in centipawns per square of mobility beyond
// mobilityBaseline, by type.
var (
	mobilityWeight   = [8]int{rules.Knight: 16, rules.Bishop: 20, rules.Rook: 15, rules.Queen: 6}
	mobilityBaseline = [8]int{rules.Knight: 4, rules.Bishop: 5, rules.Rook: 5, rules.Queen: 9}
)

// tropism is the bonus in centipawns for each king step that a piece is closer than four
// to the enemy king.
var tropism = [8]int{rules.Knight: 14, rules.Bishop: 18, rules.Rook: 22, rules.Queen: 24}

// proximity is four minus the distance between two squares in king steps.
var proximity = buildProximity()

func buildProximity() (table [64][64]int8) {
	for a := range rules.Square(64) {
		for b := range rules.Square(64) {
			table[a][b] = int8(4 - distance(a, b))
		}
	}
	return table
}

// evaluatePieces adds the attacks of knights, bishops, rooks and queens and evaluates
// their placement and mobility. It needs the pawns of both sides.
func (e *evaluation) evaluatePieces(c rules.Color) {
	mobilityArea := ^(e.p.Pieces(c, rules.Pawn) | e.p.Pieces(c, rules.King) | e.attacks[c.Other()][rules.Pawn])
	for t := rules.Knight; t <= rules.Queen; t++ {
		for set := e.p.Pieces(c, t); set != 0; {
			s := set.Pop()
			attacks := rules.Attacks(rules.PieceOf(c, t), s, e.occupied)
			e.addAttacks(c, t, attacks)
			e.terms[c][termPlacement] += int(pieceSquare[c][t&7][s&63])
			e.terms[c][termMobility] += mobilityWeight[t&7] * ((attacks & mobilityArea).Count() - mobilityBaseline[t&7])
			e.terms[c][termPlacement] += tropism[t&7] * int(proximity[s&63][e.king[c.Other()]&63])
			e.zoneAttacks[c] += (attacks & e.kingZone[c.Other()]).Count()
		}
	}
}

// evaluateKing adds the attacks of the king, after all other pieces of its side.
func (e *evaluation) evaluateKing(c rules.Color) {
	king := e.king[c]
	e.defended[c] = e.attacked[c]
	e.addAttacks(c, rules.King, rules.KingAttacks(king))
	e.terms[c][termPlacement] += int(pieceSquare[c][rules.King][king&63])
	e.zoneAttacks[c] += (e.attacks[c][rules.Pawn] & e.kingZone[c.Other()]).Count()
}

// Bonuses in centipawns for attacks on enemy pieces. A capture changes the material
// twice, so even an attack on a piece that can move away counts.
const (
	pawnThreat   = 145 // a pawn attacks a piece
	minorThreat  = 80  // a knight or bishop attacks a rook or queen
	hangingPiece = 65  // an attacked piece is undefended
	hangingPawn  = 40  // an attacked pawn is undefended
)

// threats returns the bonus for attacks on the other side's pieces.
func (e *evaluation) threats(c rules.Color) int {
	them := c.Other()
	targets := e.p.ByColor(them) &^ e.p.ByType(rules.King)
	pieces := targets &^ e.p.ByType(rules.Pawn)
	majors := pieces & (e.p.ByType(rules.Rook) | e.p.ByType(rules.Queen))
	minors := e.attacks[c][rules.Knight] | e.attacks[c][rules.Bishop]
	hanging := e.attacked[c] &^ e.attacked[them]
	return pawnThreat*(pieces&e.attacks[c][rules.Pawn]).Count() +
		minorThreat*(majors&minors).Count() +
		hangingPiece*(pieces&hanging).Count() +
		hangingPawn*(targets&^pieces&hanging).Count()
}

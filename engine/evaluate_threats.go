package engine

import "github.com/zhbot/zhbot/rules"

// What it is worth to attack enemy pieces. Captures swing twice, so even a
// piece that can still run away is worth something. Centipawns.
const (
	pawnThreat  = 125 // a pawn attacks a piece
	minorThreat = 80  // a knight or bishop attacks a rook or queen
	loosePiece  = 55  // a piece is attacked that nothing guards
	loosePawn   = 55  // a pawn is

	threatAwaits = 100 // percent that remain when the other side is to move
)

// threats judges what a side attacks of the other's men.
func (e *evaluation) threats(c rules.Color) int {
	them := c.Other()
	men := e.p.Color(them) &^ e.p.Type(rules.King)
	pieces := men &^ e.p.Type(rules.Pawn)
	majors := pieces & (e.p.Type(rules.Rook) | e.p.Type(rules.Queen))
	minors := e.attacks[c][rules.Knight] | e.attacks[c][rules.Bishop]
	loose := e.attacked[c] &^ e.attacked[them]
	sum := pawnThreat*(pieces&e.attacks[c][rules.Pawn]).Count() +
		minorThreat*(majors&minors).Count() +
		loosePiece*(pieces&loose).Count() +
		loosePawn*(men&^pieces&loose).Count()
	if e.p.Turn() == them {
		return sum * threatAwaits / 100
	}
	return sum
}

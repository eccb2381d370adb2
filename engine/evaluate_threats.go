package engine

import "github.com/zhbot/zhbot/rules"

// What it is worth to attack enemy pieces. Captures swing twice, so even a
// piece that can still run away is worth something. Centipawns.
const (
	pawnThreat  = 145 // a pawn attacks a piece
	minorThreat = 80  // a knight or bishop attacks a rook or queen
	loosePiece  = 65  // a piece is attacked that nothing guards
	loosePawn   = 40  // a pawn is
)

// threats judges what a side attacks of the other's men.
func (e *evaluation) threats(c rules.Color) int {
	them := c.Other()
	men := e.p.ByColor(them) &^ e.p.ByType(rules.King)
	pieces := men &^ e.p.ByType(rules.Pawn)
	majors := pieces & (e.p.ByType(rules.Rook) | e.p.ByType(rules.Queen))
	minors := e.attacks[c][rules.Knight] | e.attacks[c][rules.Bishop]
	loose := e.attacked[c] &^ e.attacked[them]
	return pawnThreat*(pieces&e.attacks[c][rules.Pawn]).Count() +
		minorThreat*(majors&minors).Count() +
		loosePiece*(pieces&loose).Count() +
		loosePawn*(men&^pieces&loose).Count()
}

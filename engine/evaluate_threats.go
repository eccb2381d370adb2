package engine

import "github.com/zhbot/zhbot/rules"

// What it is worth to attack enemy pieces. Captures swing twice, so even a
// piece that can still run away is worth something. Centipawns.
const (
	pawnThreat  = 45 // a pawn attacks a piece
	minorThreat = 30 // a knight or bishop attacks a rook or queen
	looseThreat = 25 // a piece is attacked that nothing guards
)

// threats judges what a side attacks of the other's men.
func (e *evaluation) threats(c rules.Color) int {
	them := c.Other()
	men := e.p.Color(them) &^ e.p.Type(rules.King)
	pieces := men &^ e.p.Type(rules.Pawn)
	majors := pieces & (e.p.Type(rules.Rook) | e.p.Type(rules.Queen))
	minors := e.attacks[c][rules.Knight] | e.attacks[c][rules.Bishop]
	return pawnThreat*(pieces&e.attacks[c][rules.Pawn]).Count() +
		minorThreat*(majors&minors).Count() +
		looseThreat*(men&e.attacked[c]&^e.attacked[them]).Count()
}

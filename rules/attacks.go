package rules

// PawnAttacks returns the squares a pawn of a colour attacks.
func PawnAttacks(c Color, s Square) Bitboard { panic("soon") }

// KnightAttacks returns the squares a knight attacks.
func KnightAttacks(s Square) Bitboard { panic("soon") }

// KingAttacks returns the squares a king attacks.
func KingAttacks(s Square) Bitboard { panic("soon") }

// BishopAttacks returns the squares a bishop attacks, blocked by occupied.
func BishopAttacks(s Square, occupied Bitboard) Bitboard { panic("soon") }

// RookAttacks returns the squares a rook attacks, blocked by occupied.
func RookAttacks(s Square, occupied Bitboard) Bitboard { panic("soon") }

// QueenAttacks returns the squares a queen attacks, blocked by occupied.
func QueenAttacks(s Square, occupied Bitboard) Bitboard { panic("soon") }

// Between returns the squares strictly between two squares on a line, none if
// they share no line.
func Between(a, b Square) Bitboard { panic("soon") }

// Line returns the whole line through two squares, none if they share none.
func Line(a, b Square) Bitboard { panic("soon") }

// AttackersTo returns the pieces of both sides that attack a square, with the
// given squares taken as occupied.
func (p *Position) AttackersTo(s Square, occupied Bitboard) Bitboard { panic("soon") }

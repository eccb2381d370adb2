package rules

// Pocket counts the pieces that one side holds in hand, one byte for each
// type: byte t counts pieces of [PieceType] t. Pockets are
// comparable; the zero value is empty.
type Pocket uint64

// PocketLimit returns how many pieces of a type one side can hold at most in a
// game from the start position.
func PocketLimit(t PieceType) int { return [...]int{0, 16, 4, 4, 4, 2, 0, 0}[t&7] }

// Count returns how many pieces of the type are in hand.
func (p Pocket) Count(t PieceType) int { return int(p >> (t & 7 * 8) & 0xff) }

// Has reports whether a piece of the type is in hand.
func (p Pocket) Has(t PieceType) bool { return p.Count(t) != 0 }

// Total returns the number of pieces in hand.
func (p Pocket) Total() int { return int(p * 0x0101010101010101 >> 56) }

// With returns the pocket with one more piece of the type.
func (p Pocket) With(t PieceType) Pocket { return p + 1<<(t&7*8) }

// Without returns the pocket with one piece of the type less. The pocket must
// have one.
func (p Pocket) Without(t PieceType) Pocket { return p - 1<<(t&7*8) }

package rules

import "math/rand/v2"

// The random numbers whose exclusive or is a position's key. The seed is fixed:
// keys are the same in every run, so books may store them.
var (
	zobristPiece     [16][64]uint64
	zobristPromoted  [64]uint64
	zobristPocket    [2][8][pocketCounts]uint64 // by colour, type and count; count 0 is 0
	zobristCastling  [16]uint64
	zobristEnPassant [8]uint64
	zobristBlack     uint64 // Black to move
)

// pocketCounts is the number of counts of one type in one pocket that have a key: 0 to 31, more than
// the 30 pieces besides the kings, and a power of two, so that counts can be masked.
const pocketCounts = 32

func init() {
	rng := rand.New(rand.NewPCG(0x7a68626f74, 0x63726179))
	for _, pc := range []Piece{1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14} {
		for s := range zobristPiece[pc] {
			zobristPiece[pc][s] = rng.Uint64()
		}
	}
	for s := range zobristPromoted {
		zobristPromoted[s] = rng.Uint64()
	}
	for c := range zobristPocket {
		for t := Pawn; t <= Queen; t++ {
			for n := 1; n < pocketCounts; n++ {
				zobristPocket[c][t][n] = rng.Uint64()
			}
		}
	}
	for i := 1; i < len(zobristCastling); i++ {
		zobristCastling[i] = rng.Uint64()
	}
	for f := range zobristEnPassant {
		zobristEnPassant[f] = rng.Uint64()
	}
	zobristBlack = rng.Uint64()
}

// recomputeKey returns the key computed from scratch; moves update it.
func (p *Position) recomputeKey() uint64 {
	key := zobristCastling[p.castling&15]
	for occupied := p.Occupied(); occupied != 0; {
		s := occupied.Pop()
		key ^= zobristPiece[p.board[s]&15][s]
	}
	for promoted := p.promoted; promoted != 0; {
		key ^= zobristPromoted[promoted.Pop()]
	}
	for c := range p.pockets {
		for t := Pawn; t <= Queen; t++ {
			key ^= zobristPocket[c][t][p.pockets[c].Count(t)&(pocketCounts-1)]
		}
	}
	if p.enPassant != NoSquare {
		key ^= zobristEnPassant[p.enPassant.File()]
	}
	if p.turn == Black {
		key ^= zobristBlack
	}
	return key
}

// pocketKey returns the change of the key when a side's count of a type in hand
// changes by more.
func (p *Position) pocketKey(c Color, t PieceType, more int) uint64 {
	counts, n := &zobristPocket[c&1][t&7], p.pockets[c&1].Count(t)
	return counts[n&(pocketCounts-1)] ^ counts[(n+more)&(pocketCounts-1)]
}

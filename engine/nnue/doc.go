// Package nnue evaluates crazyhouse positions with a small neural network whose first layer
// is updated incrementally (NNUE).
//
// [Default] is the embedded network, [Load] reads one from a file, and [New]
// makes one from trained [Weights]. [Network.Evaluate] evaluates a single position. A
// search uses an [Evaluator]: Enter at the root and with each move, Evaluate where a score
// is needed. Training uses the inputs themselves: [AppendFeatures], [Orientation], [Mirrored],
// [CountAttacks] and [BucketOf].
//
// # First layer
//
// Each side has a perspective of 6,332 features, at most 64 of them active:
//
//	6,144  piece on square   own or other × 6 types × 8 states × 64 squares
//	   60  pocket            own or other × (16 P, 4 N, 4 B, 4 R, 2 Q); n pieces
//	                         in hand activate the first n, so a capture or a
//	                         drop changes one
//	  128  promoted piece    own or other × 64 squares
//
// The state of a piece is whether it is defended, and by what it is attacked: nothing, a pawn,
// a minor piece or a queen on a diagonal, or only by others. A move changes the state of five
// or six pieces, so the features of two positions are compared, not derived from the move.
//
// The first layer maps the features of each perspective to Width numbers, int16 in units
// of 1/255. Its weights are int8 in the same unit: no sum overflows, and most rows that a
// search needs stay in the processor's caches.
//
// A perspective whose own king is on files e to h has its files mirrored, so that there is less to
// learn. When the king crosses over, the layer is computed from another one: see refreshCache. Each
// number of the first half of a perspective, clipped to 0 to 1, is multiplied by the corresponding
// one of the second half.
//
// # Stacks
//
// The products of both perspectives, and 64 counts of attacks, go through the stack that
// the number of pieces in hand selects:
//
//	dense   Width + 64 → 16   int8; each neuron squared, and as it is, both clipped
//	hidden  32 → 32           int16; clipped and squared, float32
//	output  32 → 1            float32; one unit is 400 centipawns
//
// The counts say at once what the first layer would have to learn square by square: how
// many squares around each king are attacked, what checks there are, which pieces hang.
//
// The vector code gives the same bits as the portable code, in floating point too.
package nnue

// Package nnue evaluates crazyhouse positions with a small neural network whose first layer
// is updated incrementally (NNUE).
//
// [Default] is the embedded network, [Load] and [Read] read one from a file, and [New]
// makes one from trained [Weights]. [Network.Evaluate] evaluates a single position. A
// search uses an [Evaluator]: Reset at the root, Play and PlayNull with each move, Evaluate
// where a score is needed. Training uses the features themselves: [AppendFeatures],
// [Flip], [Mirror] and [BucketOf].
//
// # Architecture
//
// Each side has a perspective of 956 features, at most 64 of them active:
//
//	768  piece on square   own or other × 6 types × 64 squares
//	 60  pocket            own or other × (16 P, 4 N, 4 B, 4 R, 2 Q); n pieces
//	                       in hand activate the first n, so a capture or a
//	                       drop changes one
//	128  promoted piece    own or other × 64 squares
//
// One layer maps the features of each perspective to Width numbers. A squared clipped ReLU
// follows, and one output neuron reads both perspectives, that of the side to move first.
// With output buckets, the number of pieces in hand selects the neuron.
//
// # Arithmetic
//
// The first layer is int16 in units of 1/255, the second int16 in units of 1/64; one unit
// of output is 400 centipawns. Weights are bounded so that no sum overflows, and the vector
// code gives the same bits as the portable code.
package nnue

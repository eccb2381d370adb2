// Package nnue evaluates crazyhouse positions by a small neural network whose
// first layer is updated move by move.
//
// [Load] reads a network. An [Evaluator] follows a search: Reset at the root, Play with each
// move, Evaluate where a score is wanted.
//
// # Architecture
//
// Each side sees the board from its own end, as 956 features of which at most
// 64 are on:
//
//	768  piece on square   own or other × 6 types × 64 squares
//	 60  pocket            own or other × (16 P, 4 N, 4 B, 4 R, 2 Q); n pieces
//	                       in hand switch on the first n, so a capture or a
//	                       drop changes one
//	128  promoted mark     own or other × 64 squares
//
// One layer turns the features of each perspective into Width numbers, a
// squared clipped ReLU follows, and one neuron reads the mover's half and the
// opponent's half. The neuron is chosen by the number of pieces in hand when
// the network has output buckets.
//
// # Arithmetic
//
// The first layer is int16 in units of 1/255, the second int16 in units of
// 1/64; one unit of output is 400 centipawns. Weights are bounded, so that no
// sum overflows, and the vector code and the portable code give the same bits.
package nnue

// Package train trains networks for package nnue: it fits them to self-play games.
//
// [LoadSamples] turns games files into training and validation [Samples] for an
// [Objective], and [NewRun] and [Run.Train] fit a network to them and return it
// quantised. [Test] measures its errors in other games. [Inspect] reports on games files.
// The commands are "zhbot train" and "zhbot datagen inspect"; package selfplay plays the
// games and reads their files.
//
// # A small network
//
// Two commands make one in ten minutes on two cores:
//
//	zhbot datagen toy.zhg --plies 400000 --nodes 400
//	zhbot train toy.zhg --out toy.zhnn --width 128 --buckets 1 --epochs 10
//
// To use it, set engine.network: toy.zhnn, or EvalFile in a chess program; to play it
// against the embedded network:
//
//	zhbot match --opponent self --option EvalFile=toy.zhnn --nodes 5000
//
// It loses: the embedded network was trained on several hundred times as many
// positions, from better play.
//
// # Cost
//
// The first layer has nearly all the weights, but only about 34 of its 6,332 inputs are
// active. So both its directions are sums over rows, 64 positions at a time, and training
// costs about 6 µs a position of one core (width 320). The layer is rounded to the
// units of the network before every step. Rounding the other layers loses nothing that
// matters: the loss of the rounded network is printed at the end.
//
// # Conventions
//
// Scores and results are from White's point of view in files and samples.
// The trainer converts them to the side to move's, in a single place. A game belongs as a
// whole to either the training or the validation set.
package train

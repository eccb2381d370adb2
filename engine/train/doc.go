// Package train trains networks for package nnue: it generates self-play games and fits a
// network to them.
//
// [Generate] plays games and appends them to a file with a [Writer]. Processes on any
// machines can each play a shard of the games, whose files [Merge] joins. [Games] reads
// games files, [Inspect] reports on them, and [Export] writes their positions as text.
// [LoadSamples] turns files into training and validation [Samples] for an [Objective], and
// [NewRun] and [Run.Train] fit a network to them and return it quantised. The commands are
// "zhbot datagen" and "zhbot train".
//
// # A small network
//
// Two commands make one in ten minutes on two cores:
//
//	zhbot datagen toy.zhg --plies 400000 --nodes 400
//	zhbot train toy.zhg --out toy.zhnn --epochs 10
//
// It is used with engine.network: toy.zhnn in the settings, with EvalFile in a chess
// program, and against the embedded network with
//
//	zhbot match --opponent self --option EvalFile=toy.zhnn --nodes 5000
//
// It loses: the embedded network learned from seventy times as many positions of better
// play.
//
// # Architectures
//
// [Options.Architecture] selects what is trained: see package nnue. The layer stacks need
// about fifty million positions; on fewer they learn the games by heart sooner than they
// learn chess.
//
//	zhbot train big.zhg --architecture layer-stacks --width 512 --buckets 8
//
// The first layer has nearly all the weights, but only about 34 of its 956 inputs are
// active. So both its directions are sums over rows, 64 positions at a time, and training
// costs 2 µs a position (width 256) to 4 µs (512) on one core. The layer is rounded to the
// units of the network before every step, and the other layers lose nothing that matters
// when they are: the loss of the rounded network is printed at the end.
//
// # Conventions
//
// Scores and results are White's, in files, in samples and in the text export. The trainer
// converts them to those of the side to move, in a single place. A game is written as a
// whole, verified as a whole, and belongs as a whole to either the training or the
// validation set.
package train

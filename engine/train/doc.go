// Package train makes networks: games that the engine plays against itself,
// and a trainer that learns from them.
//
// [Generate] plays games and appends them to a file, [Games] reads such files
// back. [Train] fits a network to them and returns it quantised, as package
// nnue reads it. The commands are "zhbot datagen" and "zhbot train".
//
// # A toy network
//
// Two commands make one in ten minutes on two cores:
//
//	zhbot datagen toy.zhg --plies 400000 --nodes 400
//	zhbot train toy.zhg --out toy.zhnn --epochs 10
//
// It plays with engine.network: toy.zhnn in the settings, with EvalFile in a
// chess program, and against the network in the program by
//
//	zhbot match --opponent self --option EvalFile=toy.zhnn --nodes 5000
//
// which it loses: that one learned from seventy times as many positions of
// better play.
//
// # Conventions
//
// Scores and results of games are White's, in files, in samples and in the
// text export; only the trainer turns them to the side to move, at one place.
// A game is the unit of everything: it is written whole, checked whole, and
// stands whole either in the training or in the validation set.
package train

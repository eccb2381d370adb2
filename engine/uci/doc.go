// Package uci serves the engine over the Universal Chess Interface, to graphical
// interfaces, match runners and people at a terminal.
//
// [Server.Run] serves one connection with the settings of a [Server]. [Options] are the
// values of the UCI options, also for other packages that use the same names.
//
// # Invariants
//
// The server keeps reading while it works: it answers isready and executes stop, ponderhit
// and quit at once, in the middle of a search. Commands that need an idle engine wait in the
// order in which they arrived; a search that only stop would end is ended for them. On quit a
// search ends with its bestmove, and what waits is dropped; perft and bench are finished
// first. At the end of input all that was asked for is finished, for pipes. An invalid
// command is answered with an "info string error: …" line and changes nothing, but an invalid
// position leaves none, and go is always answered with a bestmove.
package uci

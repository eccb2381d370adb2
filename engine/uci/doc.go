// Package uci speaks the Universal Chess Interface: its [Server] lets graphical
// interfaces, match runners and people at a terminal play with our engine. Its
// [Client] plays with other engines, and [CECP] with those that speak xboard's
// protocol; [StartProcess] starts the program for either.
//
// # Invariants
//
// The server reads on while it works: isready is answered and stop obeyed at
// once, in the middle of a search. Commands that need the engine idle wait
// their turn, in the order they came. The end of input means quit. A search
// ends at once on quit, with its bestmove; perft and bench are finished first,
// so that they can be used in a pipe. Whatever can't be understood is answered
// with an "info string error: …" line and changes nothing.
package uci

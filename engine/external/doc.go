// Package external plays crazyhouse with engine programs.
//
// [StartProcess] starts the program. [New] speaks the Universal Chess Interface with it, or
// the Chess Engine Communication Protocol of xboard: it performs the handshake and sets the
// options of a [Config]. An [Engine] then plays any number of games: NewGame, Search for
// each of its moves, and Close. [Engine.SearchAndReport] also reports a search's progress.
//
// # Errors
//
// Search fails with [ErrExited], [ErrTimeout], [ErrFlood], [ErrResigned],
// [ErrResultClaimed] or an [*IllegalMoveError] in its error chain. After the first three the
// engine can only be closed.
// It is not an error if a search's context is done: the engine is told to move at once,
// and its move counts.
package external

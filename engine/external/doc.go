// Package external plays crazyhouse with engine programs.
//
// [StartProcess] starts the program. [NewUCI] speaks the Universal Chess Interface with
// it, [NewCECP] the Chess Engine Communication Protocol of xboard; both perform the
// handshake and set the options of a [Config]. A [UCI] or a [CECP] then plays any number
// of games: NewGame, Search for each of its moves, and Close. [UCI.SearchAndReport] also
// reports a search's progress.
//
// # Errors
//
// Search fails with [ErrExited], [ErrTimeout], [ErrFlood], [ErrResigned],
// [ErrResultClaimed] or an [*IllegalMoveError] in its error chain. After the first three the
// engine can only be closed.
// It is not an error if a search's context is done: the engine is told to move at once,
// and its move counts.
package external

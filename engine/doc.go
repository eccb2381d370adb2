// Package engine searches crazyhouse positions for the best move: alpha-beta with drops,
// evaluated by a neural network, with time management.
//
// [New] returns an [Engine] with a number of threads and a transposition table, and
// [Engine.Search] finds a move in a game. [Limits] say how long to search and how well to
// play, [Info] reports the state of a search, and [Result] is its result. An Engine serves
// any number of games at once: concurrent searches share its table and its threads, and
// together never use more threads than it has.
//
// The evaluation belongs to an engine: that of the embedded network, unless its [Options]
// have another [Network], which [OpenNetwork] opens. The playing strength belongs to a
// search: package human makes it play worse on purpose, as people do.
//
// [Bench] measures the search on fixed positions. Package nnue holds the network, package
// uci serves an engine to graphical interfaces, and package match plays matches.
//
// # Invariants
//
// Search always returns a legal move if there is one, even if its context is already done.
// The search itself polls the monotonic clock for its deadline, so it does not depend on
// another goroutine being scheduled. Searching does not allocate. A search on one thread
// that is limited by depth or nodes is repeatable: the same engine with the same earlier
// searches returns the same result.
package engine

// Package engine finds crazyhouse moves: an alpha-beta search that knows
// drops, with a hand-crafted evaluation and its own clock management.
//
// Start with [New] for an [Engine] and [Engine.Search] for a move. An Engine
// serves any number of games at once: calls of Search share its transposition
// table and its search threads, and never run more threads than they were
// given. [Bench] measures the search on fixed positions.
//
// # Invariants
//
// Search always returns a legal move when there is one, also when its context
// is already done. It takes its deadline from the monotonic clock, which the
// search itself reads, and never from another goroutine alone. Searching
// allocates nothing. On one thread a search limited by depth or nodes is
// repeatable: the same engine history gives the same result.
package engine

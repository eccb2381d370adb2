// Package book knows moves for openings.
//
// A [Book] answers a position with the moves it has there. There are two kinds:
// a [Table] is our own format, whose keys see pockets and promoted marks; a
// [Polyglot] is the format that other programs write. [Open] tells them apart by
// their content. A [Books] asks several in order and picks a move by chance, in
// proportion to the weights, so that nobody can replay one game again and again.
//
// Whatever a file says, a Book returns legal moves only: a file may be damaged,
// two positions may share a key, and Polyglot's key does not see what is in
// hand, so that its entries mix positions that differ in their pockets.
//
// [Build] makes a table by search, [Counter] counts one out of games. Books in our format
// hold keys of [rules.Position.Key]: whoever changes those makes every book
// useless. A file names the key of the start position, and a test pins some.
//
// The book in the program, [Default], is made by our own search alone. Its note
// has the command; run on 232 positions it came to 109 positions of the
// book with 270 moves, 5 kB. No match has shown yet that it gains or loses, so
// engine.book is empty by default.
package book

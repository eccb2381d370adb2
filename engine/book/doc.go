// Package book holds opening books.
//
// A [Book] returns the moves that it has for a position. There are two kinds: a [Table] is
// in this program's format, whose keys include pockets and promoted pieces; a [Polyglot]
// book is in the format of other programs. [Open] opens either, or the embedded one.
// [Books] consults several books in order and picks a move at random in proportion to the
// weights, so that nobody can replay one game again and again.
//
// [Build] makes a table by a search, with [NewScorer], and a [Counter] makes one from games.
//
// # Invariants
//
// A Book returns legal moves only, whatever a file contains: a file may be damaged, two
// positions may share a key, and the entries of a Polyglot book are shared by positions
// with different pockets.
//
// The keys of a table are those of [rules.Position.Key]. A change of those keys makes every
// table useless; the header contains the key of the start position, and a test pins some.
//
// The embedded book was made by this engine's search alone; its note has the command. The
// bot plays from it unless the setting engine.book names others. engine/experiments.tsv
// has the match that shows its gain.
package book

// Package match plays matches between two engines and says which is the
// stronger, and how sure that is.
//
// Start with [Run], which plays a [Config], and with [InProcess] and [Program]
// for the engines. [Summary] holds what is known after any number of games;
// [Pentanomial] and [SPRT] are the statistics behind it.
//
// # Invariants
//
// Games come in pairs: both games of a pair begin with the same opening, and
// the engines change colours. Lichess's rules for bots decide when a game is
// over, and nothing else does unless asked to (see [Adjudication]). What goes
// wrong with an engine costs that engine the game it was playing, never the
// match. Engines whose searches repeat themselves play repeatable games: they
// forget everything between games.
package match

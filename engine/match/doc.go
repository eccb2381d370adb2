// Package match plays matches between two engines and estimates which is stronger, with a
// confidence interval.
//
// [Run] plays the match that a [Config] describes. Each [Side] of it has a [StartFunc]:
// [Program] for an engine program, that of [Side.UseSelf] for this program's engine, or any
// function that returns a [Player]. Openings come from a file ([ReadOpenings] with
// [Shuffled]) or at random ([RandomOpenings]).
//
// A match can be played in shards, by processes on any machines: each plays its pairs into
// its state file, and [Merge] merges the files into one match.
//
// A [Summary] is the state of a match after any number of games; [Summary.Table] formats
// it. The statistics behind it are a [Pentanomial] of the pairs, its [Elo] and an [SPRT].
// [FitParity] compares matches in which the opponent had different times, and a
// [Tournament] has the matches between more than two engines.
//
// # Invariants
//
// Games come in pairs: both games of a pair have the same opening, with colours reversed.
// A game ends by the rules that Lichess applies to bots, or by [Adjudication] if requested.
// A failure of an engine costs it the game, never the match. Engines forget everything
// between games, so deterministic engines play repeatable games: the number of a game, not
// what was played before it, determines its moves.
package match

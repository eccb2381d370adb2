// Package selfplay plays games of the engine against itself, to train networks from, and
// reads and writes the files they are kept in.
//
// [Generate] plays games and appends them to a file with a [Writer]. Processes on any
// machines can each play a shard of the games, whose files [Merge] joins. [Games] reads
// games files, and [ReadRecipe] how their games were made. The command is "zhbot datagen".
//
// Scores and results are White's. A game is written as a whole and verified as a whole.
package selfplay

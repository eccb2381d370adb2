// Package selfplay plays the engine against itself to generate training data, and reads
// and writes the games files.
//
// [Generate] plays games and appends them to a file with a [Writer]. Processes on any
// machines can each play a shard of the games, whose files [Merge] joins. [Games] reads
// games files, and [ReadRecipe] reads how their games were made. The command is
// "zhbot datagen".
//
// Scores and results are from White's point of view. A game is written as a whole and
// verified as a whole.
package selfplay

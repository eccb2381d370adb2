// Package record keeps finished games.
//
// [Open] a folder as an [Archive]; its Save appends a game to the PGN file of
// the month it began in. The files are append-only and synced to disk game by
// game; any chess program opens them.
package record

// Package record keeps the games of a bot, running and finished.
//
// [Open] a folder as an [Archive]. Its Journal writes down a running game move
// by move; its Save appends the finished game to the PGN file of the month it
// began in, which any chess program opens, and ends the journal. [ReadFiles] and
// [NewReport] make statistics of such files, [History] follows them as they grow.
//
//	2026-08.pgn         finished games of a month
//	live/zH4kQ2ab.jsonl a running game, a line for each move
//	state.json          what is remembered of opponents, between runs
//	torn/2026-08.pgn    what a crash in the middle of a write had left
//	.lock               held by the one program that writes here
//
// # Invariants
//
// PGN files only grow, game by game, each synced to disk before its journal is
// removed: of a finished game there is always the one or the other. What a crash
// has torn is cut off before anything is appended, so that every reader finds
// whole games only. One program at a time writes to a folder.
package record

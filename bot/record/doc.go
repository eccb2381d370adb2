// Package record keeps the games of a bot, running and finished.
//
// [Open] opens a folder as an [Archive]. Archive.Track keeps a game in progress; Archive.Save
// appends the finished game to the PGN file of the month in which it was created, which any
// chess program can open.
// [ReadFiles] summarises the games of such files; [History] follows them as they grow.
//
//	2026-08.pgn         finished games of a month
//	live.json           the games in progress; see [Live]
//	state.json          opponents, limits used up and a pause; see [StateFile]
//	users.json          users whom the operator has blocked or allowed; see [UsersFile]
//	2026-08.pgn.torn    incomplete games that a crash left at the end of a file
//	.lock               locked by the one program that writes here
//
// What is in place of one of these but cannot be read as such, or only in part, is kept as *.damaged.
//
// # Invariants
//
// PGN files are append-only. Each game is synced to disk before it is no longer in progress:
// a game that has begun is always in one file or the other. A game truncated by a crash is
// moved away before anything is appended, so that readers find only complete games. Only one
// program at a time writes to a folder.
package record

// Package lichesstest is a Lichess on loopback, for tests and demonstrations
// of bots, as net/http/httptest is for clients.
//
// [NewServer] starts one for a test, [Start] one for a program. Users are made
// with [Server.AddBot] and [Server.AddHuman]; a human or bot with a [Player]
// plays by itself. [Server.Challenge] lets one user challenge another,
// [Server.RunGames] plays a whole series against a bot. Everything a bot does
// goes over real HTTP.
//
// The server keeps what Lichess promises: tokens and scopes, streams that
// replay and keep alive, clocks in milliseconds without lag compensation,
// crazyhouse's rules, and the texts of refusals. [Faults] switches on what
// goes wrong in the world; [Audit] tells what a bot did wrong.
//
// All state is under one lock; streams have a buffer of 32 lines, of which the
// oldest are dropped when a reader is slow, as on Lichess.
package lichesstest

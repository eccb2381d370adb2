// Package bot plays crazyhouse games for one Lichess account.
//
// [New] makes a [Bot] of a client, an [Engine] and a [Policy]; [Bot.Run] plays
// until it is stopped, and [Bot.Drain] lets it end its games first. [Bot.Reload]
// changes settings meanwhile.
//
// # How it works
//
// One loop reads the event stream and decides on challenges, by a pure
// function over the policy, once more when there is a slot. One goroutine per
// game follows that game's stream. It never waits for the engine: think and post
// run beside it, and a newer state of the game redirects or cancels them.
//
// At the board, draws, resignations and takebacks go by the scores of several
// searches, read from the notes on the moves; nobody is ever berserked at, since
// Lichess lets no bot do so. Chat is answered beside the moves. Games without a
// clock are parked while the opponent thinks, and resumed by the list of games in
// progress.
//
// # Invariants
//
// The server's move list is the only truth about a game; nothing on disk is
// needed to go on. A slot is taken before anything is sent that may start a
// game, so that there are never more games than allowed; but games that the
// server already runs are always played. Only a final status ends a game. An
// error in one game ends that game's goroutine and nothing else.
package bot

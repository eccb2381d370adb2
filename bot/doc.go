// Package bot plays crazyhouse games for one Lichess account.
//
// [New] creates a [Bot] from a client, an engine and settings; [Bot.Run] plays until it is
// stopped, and [Bot.Drain] lets it finish its games first. [Bot.Reload] changes settings
// while it runs, and it carries out its operator's commands.
//
// # How it works
//
// This package wires the parts together and passes the account's events to them. bot/game
// plays the games, as many at once as is allowed, each on the stream that bot/game/stream
// keeps open; bot/challenge answers incoming challenges, and bot/matchmaking looks for
// games: our own challenges and arenas. bot/opponent remembers the opponents,
// and bot/event defines the events for the page and the metrics. None of these packages
// imports this one.
//
// # Invariants
//
// A slot is taken before anything is sent that may start a game, so that there are
// never more games than allowed; but games that the server already runs are always
// played. An error in one game ends that game's goroutine and nothing else.
package bot

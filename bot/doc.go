// Package bot plays crazyhouse games for one Lichess account.
//
// [New] makes a [Bot] of a client, an engine and settings; [Bot.Run] plays until it is
// stopped, and [Bot.Drain] lets it end its games first. [Bot.Reload] changes settings
// meanwhile, and as a [control.Bot] it obeys its operator.
//
// # How it works
//
// This package wires the parts together, hands the events of the account to them, and
// keeps the list of games in progress. What happens in a game is bot/play's, on the
// stream that bot/gamestream keeps open; incoming challenges are bot/challenge's, and
// games that we look for bot/matchmaking's. bot/slots bounds how many games there are,
// bot/opponent remembers whom they were against, and bot/event has what the page and
// the metrics are told. None of these packages knows this one.
//
// # Invariants
//
// A slot is taken before anything is sent that may start a game, so that there are
// never more games than allowed; but games that the server already runs are always
// played. An error in one game ends that game's goroutine and nothing else.
package bot

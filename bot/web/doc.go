// Package web shows a running bot: the live page, metrics and health.
//
// [New] makes a [Page]; [Page.Observe] is told what the bot does and
// [Page.Serve] serves it all until its context ends.
//
// # How it works
//
// A hub keeps the newest of everything the page shows, as parts: one for each
// game, one for the bot, one for the challenges, one for the records. Each
// viewer has a stream of server-sent events on which it gets all parts once and
// then those that have changed, a few times a second. What is over is read from
// the PGN files by package record. The page itself is a few files of HTML, CSS
// and JavaScript modules that are part of the program; nothing comes from
// another host.
//
// # Invariants
//
// Nobody waits for a viewer: the bot's goroutines only store what they tell, and
// a viewer that does not read is dropped. No request changes anything. A Host
// that was not expected is refused, so that no other web site can reach the page
// through its viewer's browser. What would help the opponent of a running game
// leaves the machine only with a password, and whoever guesses at it must wait.
// Idle clients, however many, keep nobody out.
package web

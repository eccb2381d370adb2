// Package live shows a running bot on a live page, exports its metrics, and reports whether it is healthy.
//
// [New] returns a [Page], and [Page.Serve] serves HTTP until its context ends. [Metrics] count the
// bot's events for Prometheus; their help texts document names and labels, and alerts and a
// dashboard that use them are in the folder deploy.
//
// # How it works
//
// The page shows [bot.Status]. Each viewer has a stream of server-sent events, on which it
// gets the status when it has changed, at most once a second; without a viewer, it is not
// read. The moves and scores of one game are fetched when a viewer opens it. Finished games
// are read from the PGN files by package record; [web.Guard] decides who may see the page. The
// page itself is a few files of HTML, CSS and JavaScript modules embedded in the program, most of
// them shared with the other pages by package web; nothing is loaded from another host. With a
// password it has controls, whose commands package control executes.
//
// # Invariants
//
// The bot never waits for a viewer: its state is only read, and a viewer that does not
// read is disconnected. Only the controls change anything; they need a password, and a
// token that only this page has. A request with an unexpected Host is rejected, so
// that another web site cannot reach the page through its viewer's browser (DNS
// rebinding). The analysis of a game in progress is shown only with the password, which
// has limited attempts, or without one by the link in the log. Idle connections, however
// many, do not block other clients.
package live

// Package playpage is the page in the browser on which a person plays the engine.
//
// The page shows the game of a [localgame.Session] and sends it the person's commands. The
// session decides with package rules what is legal, who is to move and how a game ends: the
// page's script only gets the position and the legal moves.
//
// # Invariants
//
// A command is refused unless it comes from the page itself (Origin, Sec-Fetch-Site) and
// is JSON; a request with an unexpected Host is rejected, so that no other web site can
// play. Every window shows the same game, and none can change one that it has not seen.
package playpage

// Package play is the page of "zhbot play": a person plays against the engine in a browser,
// by the rules of Lichess.
//
// A [Page] shows a session, which owns the game, its clocks, and the searches of the
// engine. The person's commands name the revision of the game that they apply to: a game
// that has changed since, perhaps in another window, is not touched. The page's script only
// gets the position and the legal moves.
//
// # Rules
//
// Clocks run once both sides have moved, as on Lichess. The third occurrence of a position
// is a draw, as in every game of a BOT there. Taking back undoes the engine's answer, too,
// and the clocks are as they were then.
//
// # Invariants
//
// A command is refused unless it comes from the page itself (Origin, Sec-Fetch-Site) and
// is JSON; a request with an unexpected Host is rejected, so that no other web site can
// play. Every window shows the same game, and none can change one that it has not seen.
package play

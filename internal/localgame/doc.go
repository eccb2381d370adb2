// Package localgame plays a game between a person and the engine on this machine, by the
// rules of Lichess.
//
// A [Session] owns the game, its clocks, and the searches of the engine. The person's
// commands ([Session.Move], [Session.TakeBack], …) name the revision of the game that they
// apply to: a game that has changed since, perhaps in another window, is not touched.
// [Session.State] returns the current state of the game, and [Session.Changed] signals
// when to ask again.
//
// # Rules
//
// Clocks run once both sides have moved, as on Lichess. The third occurrence of a position
// is a draw, as in every game of a BOT there. Taking back undoes the engine's answer, too,
// and the clocks are as they were then.
package localgame

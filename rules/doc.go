// Package rules implements crazyhouse as played on Lichess: positions with pockets
// and promoted marks, every legal move and drop, notation, and how games end.
//
// Start with [ParseFEN] or [StartPosition] for a [Position], and [NewGame] for
// a game with its history. A [Setup] holds anything a FEN can say; only
// [Setup.Position] makes a playable Position of it, and its error lists
// every reason why it is not playable.
//
// # Invariants
//
// A Position is always playable: one king each, the side not to move not in
// check, no pawn on ranks 1 and 8, castling rights only with king and rook on their
// home squares, an en-passant square only when an en-passant capture is legal. Its
// key covers pieces, pockets, promoted marks, castling rights, the en-passant
// file and the side to move, and is updated incrementally.
//
// Positions are plain values without pointers. A search copies them
// ([Position.PlayInto]) instead of undoing moves, and allocates nothing.
package rules

// Package rules knows crazyhouse as Lichess plays it: positions with pockets
// and promoted marks, every legal move and drop, notation, and how games end.
//
// Start with [ParseFEN] or [StartPosition] for a [Position], and [NewGame] for
// a game with its history. A [Setup] holds anything a FEN can say; only
// [Setup.Position] makes a playable Position of it, and names every reason
// when it cannot.
//
// # Invariants
//
// A Position is always playable: one king each, the side not to move not in
// check, no pawn on ranks 1 and 8, castling rights only with king and rook at
// home, an en-passant square only when an en-passant capture is legal. Its
// key covers pieces, pockets, promoted marks, castling rights, the en-passant
// file and the side to move, and is kept up to date move by move.
//
// Positions are plain values without pointers. A search copies them move by
// move ([Position.PlayInto]) and so needs no undo and allocates nothing.
package rules

// Package rules implements crazyhouse as played on Lichess: positions with pockets
// and promoted pieces, legal moves and drops, notation, and how games end. It needs
// nothing but the standard library.
//
// # Positions
//
// A [Position] is a position in play: the board, both pockets, the side to move, and
// what castling and en passant need. [StartPosition] returns the first one of a game,
// [ParseFEN] any other. [Position.LegalMoves] lists the moves and drops,
// [Position.After] returns the position after one of them, and
// [Position.IsCheckmate] and [Position.IsStalemate] tell that there are none:
//
//	p := rules.StartPosition()
//	for !p.IsCheckmate() && !p.IsStalemate() {
//		moves := p.LegalMoves()
//		p = p.After(moves[rand.IntN(len(moves))])
//	}
//
// [Position.PieceAt], [Position.Pieces] and [Position.Pocket] tell what stands where
// and what is in hand. Positions are plain values: copy and compare them freely.
//
// # Moves
//
// A [Move] is a move or a drop in 16 bits. [Position.ParseUCI] and [Position.ParseSAN]
// read one in its position, as in e2e4 or N@f7, [Position.UCI] and [Position.SAN]
// write it. A move that is not known to be legal goes through [Position.Play] or
// [Position.IsLegal]. Castling is the king taking its own rook, e1h1, as Lichess writes
// it.
//
// # Games
//
// A [Game] is a start position with the moves played since, which repetition needs.
// [Game.Outcome] tells whether and how it has ended, by Lichess's rules: there is
// neither a fifty-move rule nor a draw by insufficient material.
//
// # Search
//
// Search engines need more speed: [Position.Generate] fills a [MoveList] with moves of
// some kinds, [Position.PlayInto] writes the next position to memory that the caller
// owns, and neither allocates. There is no unmaking of moves: a search keeps a position
// for each ply. [Position.Key] is a Zobrist key, updated move by move, that covers
// pieces, pockets, promoted pieces, castling rights, the en-passant file and the side to
// move. [Checks] tells which moves give check without playing them. [Bitboard] and the
// functions that return one ([KnightAttacks], [BishopAttacks], …) are the building blocks
// of an evaluation. [Position.Perft] counts leaf nodes to compare with other programs.
//
// # Invariants
//
// A Position is always playable: one king each, the side not to move not in check, no
// pawn on ranks 1 and 8, castling rights only with king and rook on their home squares,
// the rook not promoted, an en-passant square only when an en-passant capture is legal, at
// most 32 pieces on the board and in hand.
package rules

package rules

import (
	"fmt"
	"slices"
)

// Game is a game from a start position, with the history that repetition
// needs. It is not safe for concurrent use: give others a Clone.
type Game struct {
	start           Position
	position        Position
	moves           []Move
	keys            []uint64 // of all positions, the current one last
	repetitionStart int      // index of the first position that can be repeated
}

// NewGame returns a game that begins at a position.
func NewGame(start Position) *Game {
	return &Game{start: start, position: start, keys: []uint64{start.key}}
}

// Clone returns an independent copy.
func (g *Game) Clone() *Game {
	c := *g
	c.moves, c.keys = slices.Clone(g.moves), slices.Clone(g.keys)
	return &c
}

// Start returns the position the game began at.
func (g *Game) Start() *Position { return &g.start }

// Position returns the current position, which the next move replaces.
func (g *Game) Position() *Position { return &g.position }

// PositionAt returns the position after the first ply moves: 0 is the start.
func (g *Game) PositionAt(ply int) Position {
	p := g.start
	for _, m := range g.moves[:ply] {
		p = p.After(m)
	}
	return p
}

// Moves returns the moves so far; the caller must not change them.
func (g *Game) Moves() []Move { return g.moves }

// Ply returns the number of moves played.
func (g *Game) Ply() int { return len(g.moves) }

// Play plays a move, or returns an error that wraps [ErrIllegalMove]. Moves are accepted
// even after a repetition: the server decides when a game is over.
func (g *Game) Play(m Move) error {
	if !g.position.IsLegal(m) {
		return fmt.Errorf("ply %d: %w %s in %s", g.Ply()+1, ErrIllegalMove, m, g.position.FEN())
	}
	g.play(m)
	return nil
}

func (g *Game) play(m Move) {
	castles := g.position.IsCastling(m)
	g.position = g.position.After(m)
	g.moves = append(g.moves, m)
	g.keys = append(g.keys, g.position.key)
	if castles {
		g.repetitionStart = len(g.keys) - 1
	}
}

// PlayUCI plays moves in UCI notation up to the first invalid one, which the
// error names with its ply.
func (g *Game) PlayUCI(moves ...string) error {
	for _, s := range moves {
		m, err := g.position.ParseUCI(s)
		if err != nil {
			return fmt.Errorf("ply %d: %w", g.Ply()+1, err)
		}
		g.play(m)
	}
	return nil
}

// TakeBack removes the last n moves, or all if there are fewer.
func (g *Game) TakeBack(n int) {
	kept := g.moves[:max(0, len(g.moves)-n)]
	g.position, g.moves, g.keys, g.repetitionStart = g.start, g.moves[:0], g.keys[:1], 0
	for _, m := range kept {
		g.play(m)
	}
}

// Keys returns the keys of all earlier positions that the current one, or one after it,
// could repeat, oldest first, without the current one: Lichess clears the list only on
// castling. The caller must not change them.
func (g *Game) Keys() []uint64 { return g.keys[g.repetitionStart : len(g.keys)-1] }

// AllKeys returns the keys of all positions, the current one last. The caller must not change
// them.
func (g *Game) AllKeys() []uint64 { return g.keys }

// Repetitions returns how often the current position has occurred, including now.
func (g *Game) Repetitions() int {
	n := 1
	for _, key := range g.Keys() {
		if key == g.position.key {
			n++
		}
	}
	return n
}

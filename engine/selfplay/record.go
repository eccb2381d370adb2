package selfplay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/zhbot/zhbot/rules"
)

// Game is a self-play game from the start position.
type Game struct {
	Opening []rules.Move // without scores
	Plies   []Ply
	Result  rules.Result // not NoResult
}

// Ply is a searched move.
type Ply struct {
	Move  rules.Move
	Score int16 // White's view, centipawns; a mate in n plies is ±(MateScore - n)
}

// Scores beyond ±MateBound are forced mates: MateScore minus the plies to mate.
const (
	MateScore = 32000
	MateBound = 31000
)

// maxPlies limits the plies of a game in a file.
const maxPlies = 2000

var errBadRecord = errors.New("bad game record")

// readHead reads a game without its moves and scores.
func readHead(r io.ByteReader) (g Game, err error) {
	opening, err := binary.ReadUvarint(r)
	if err != nil || opening > maxPlies {
		return g, fmt.Errorf("%w: opening length", errBadRecord)
	}
	plies, err := binary.ReadUvarint(r)
	if err != nil || plies > maxPlies {
		return g, fmt.Errorf("%w: number of plies", errBadRecord)
	}
	points, err := r.ReadByte()
	if points &= 3; err != nil || points > 2 {
		return g, fmt.Errorf("%w: no result", errBadRecord)
	}
	result := [...]rules.Result{rules.BlackWins, rules.Draw, rules.WhiteWins}[points]
	return Game{make([]rules.Move, opening), make([]Ply, plies), result}, nil
}

// moves returns all moves, those of the opening first.
func (g *Game) moves() []rules.Move {
	moves := slices.Clone(g.Opening)
	for _, p := range g.Plies {
		moves = append(moves, p.Move)
	}
	return moves
}

// Hash returns a hash of the moves.
func (g *Game) Hash() uint64 {
	h := fnv.New64a()
	for _, m := range g.moves() {
		h.Write([]byte{byte(m), byte(m >> 8)})
	}
	return h.Sum64()
}

// Replay plays the game and calls visit with each position whose move was searched, before
// that move. It returns an error at the first illegal move.
func (g *Game) Replay(visit func(p *rules.Position, ply Ply)) error {
	p := rules.StartPosition()
	for ply, m := range g.moves() {
		if searched := ply - len(g.Opening); searched >= 0 && p.IsLegal(m) {
			visit(&p, g.Plies[searched])
		}
		next, err := p.Play(m)
		if err != nil {
			return fmt.Errorf("ply %d: %w", ply+1, err)
		}
		p = next
	}
	return nil
}

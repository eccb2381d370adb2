package selfplay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"

	"github.com/zhbot/zhbot/rules"
)

// Game is a self-play game from the start position.
type Game struct {
	Opening []rules.Move // without scores
	Plies   []Ply
	Result  rules.Result // not NoResult
	Ending  Ending
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

// Ending is how a self-play game ended.
type Ending uint8

// The ways a self-play game ends.
const (
	ByMate       Ending = iota
	ByStalemate         // a draw
	ByRepetition        // the third occurrence, a draw
	ByScore             // adjudicated: one side was far ahead for several plies
	ByLength            // adjudicated a draw: too long
	endings
)

// String returns the name of the ending.
func (e Ending) String() string {
	return [...]string{"mate", "stalemate", "repetition", "score", "length"}[e]
}

// maxPlies limits the plies of a game in a file.
const maxPlies = 2000

var errBadRecord = errors.New("bad game record")

// setResult sets result and ending from their byte: 2 × White's points + 4 × ending.
func (g *Game) setResult(b byte) error {
	if b&3 > 2 || b>>2 >= byte(endings) {
		return fmt.Errorf("%w: result %#x", errBadRecord, b)
	}
	g.Result, g.Ending = [...]rules.Result{rules.BlackWins, rules.Draw, rules.WhiteWins}[b&3], Ending(b>>2)
	return nil
}

// resultByte is what setResult reads.
func (g *Game) resultByte() byte {
	return byte(2*g.Result.Points(rules.White)) | byte(g.Ending)<<2
}

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
	result, err := r.ReadByte()
	if err != nil {
		return g, fmt.Errorf("%w: no result", errBadRecord)
	}
	g.Opening, g.Plies = make([]rules.Move, opening), make([]Ply, plies)
	return g, g.setResult(result)
}

// moves yields all moves, those of the opening first.
func (g *Game) moves() iter.Seq[rules.Move] {
	return func(yield func(rules.Move) bool) {
		for _, m := range g.Opening {
			if !yield(m) {
				return
			}
		}
		for _, p := range g.Plies {
			if !yield(p.Move) {
				return
			}
		}
	}
}

// Hash returns a hash of the moves.
func (g *Game) Hash() uint64 {
	h := fnv.New64a()
	for m := range g.moves() {
		h.Write([]byte{byte(m), byte(m >> 8)})
	}
	return h.Sum64()
}

// Replay plays the game and calls visit with each position whose move was searched, before
// that move. It returns an error at the first illegal move.
func (g *Game) Replay(visit func(p *rules.Position, ply Ply)) error {
	p, ply := rules.StartPosition(), 0
	for m := range g.moves() {
		if searched := ply - len(g.Opening); searched >= 0 && p.IsLegal(m) {
			visit(&p, g.Plies[searched])
		}
		ply++
		next, err := p.Play(m)
		if err != nil {
			return fmt.Errorf("ply %d: %w", ply, err)
		}
		p = next
	}
	return nil
}

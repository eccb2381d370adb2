package selfplay

import (
	"bytes"
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

// A game record of the first format:
//
//	uvarint  random opening moves
//	uvarint  searched plies
//	uint8    2 × White's points, and 4 × ending
//	uint16   each opening move, then each searched move, as rules.Move
//	int16    each score
//
// Numbers are little-endian.

// maxPlies limits the plies of a record.
const maxPlies = 2000

var errBadRecord = errors.New("bad game record")

// setResult sets result and ending from the byte of a record.
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

// decodeRecords decodes the given number of records. It does not check that moves are
// legal: see [Game.Replay].
func decodeRecords(b []byte, count int) ([]Game, error) {
	games, r := make([]Game, min(count, len(b)/3)), bytes.NewReader(b)
	for i := range games {
		var err error
		if games[i], err = readHead(r); err != nil {
			return nil, err
		}
		if err := games[i].readWords(r); err != nil {
			return nil, err
		}
	}
	if len(games) < count || r.Len() > 0 {
		return nil, fmt.Errorf("%w: not the block's %d games", errBadRecord, count)
	}
	return games, nil
}

// readHead reads a game without its moves and scores, which both formats have first.
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

// readWords reads the moves and scores of a record.
func (g *Game) readWords(r io.Reader) error {
	words := make([]uint16, len(g.Opening)+2*len(g.Plies))
	if err := binary.Read(r, binary.LittleEndian, words); err != nil {
		return fmt.Errorf("%w: cut short", errBadRecord)
	}
	for i := range g.Opening {
		g.Opening[i] = rules.Move(words[i])
	}
	words = words[len(g.Opening):]
	for i := range g.Plies {
		g.Plies[i] = Ply{rules.Move(words[i]), int16(words[len(g.Plies)+i])}
	}
	return nil
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
	p := rules.StartPosition()
	play := func(m rules.Move) error {
		next, err := p.Play(m)
		if err == nil {
			p = next
		}
		return err
	}
	for i, m := range g.Opening {
		if err := play(m); err != nil {
			return fmt.Errorf("opening ply %d: %w", i+1, err)
		}
	}
	for i, ply := range g.Plies {
		if !p.IsLegal(ply.Move) {
			return fmt.Errorf("ply %d: %w", len(g.Opening)+i+1, play(ply.Move))
		}
		visit(&p, ply)
		if err := play(ply.Move); err != nil {
			return err
		}
	}
	return nil
}

package selfplay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
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

// decodeRecords decodes the given number of records.
func decodeRecords(b []byte, count int) ([]Game, error) {
	games := make([]Game, min(count, len(b)/3))
	for i := range games {
		var err error
		if b, err = games[i].decode(b); err != nil {
			return nil, err
		}
	}
	if len(games) < count || len(b) > 0 {
		return nil, fmt.Errorf("%w: not the block's %d games", errBadRecord, count)
	}
	return games, nil
}

// decode decodes the record at the start of b and returns the rest. It does not check that
// moves are legal: see [Game.Replay].
func (g *Game) decode(b []byte) ([]byte, error) {
	opening, n := binary.Uvarint(b)
	if n <= 0 || opening > maxPlies {
		return nil, fmt.Errorf("%w: opening length", errBadRecord)
	}
	b = b[n:]
	plies, n := binary.Uvarint(b)
	if n <= 0 || plies > maxPlies {
		return nil, fmt.Errorf("%w: number of plies", errBadRecord)
	}
	b = b[n:]
	if uint64(len(b)) < 1+2*opening+4*plies {
		return nil, fmt.Errorf("%w: cut short", errBadRecord)
	}
	if err := g.setResult(b[0]); err != nil {
		return nil, err
	}
	b = b[1:]
	g.Opening, g.Plies = make([]rules.Move, opening), make([]Ply, plies)
	for i := range g.Opening {
		g.Opening[i] = rules.Move(binary.LittleEndian.Uint16(b[2*i:]))
	}
	b = b[2*opening:]
	for i := range g.Plies {
		g.Plies[i] = Ply{
			Move:  rules.Move(binary.LittleEndian.Uint16(b[2*i:])),
			Score: int16(binary.LittleEndian.Uint16(b[2*(int(plies)+i):])),
		}
	}
	return b[4*plies:], nil
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

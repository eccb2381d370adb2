package selfplay

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/zhbot/zhbot/rules"
)

// Packed games are a DEFLATE stream of seven parts, since similar data compress best
// together:
//
//	of each game        uvarint opening moves, uvarint searched plies,
//	                    uint8 2 × White's points, in the lowest two bits
//	of each White move  its origin, openings included
//	of each Black move  its origin
//	of each White move  its target
//	of each Black move  its target
//	of each ply         its score step, less that of the ply before in its game, in
//	                    zigzag order 0, -1, 1, -2, …; 255 for all from 255 on
//	of those            the number, a uint16
//
// That is 2.4 bytes per ply, including random openings. An origin is a square, 64 +
// the type of the piece dropped, or 128 + the square of a pawn that promotes. A
// target is a square, with 64 × the type that the pawn becomes, from knight on.
const (
	headPart   = iota
	originPart // and the one after it
	_
	targetPart // and the one after it
	_
	stepPart
	largePart
	parts

	dropOrigin      = 64
	promotionOrigin = 128
)

// Scores are quantised to steps: 8 centipawns up to 512, 16 up to 1,024, and so on. The
// error of a search of a thousand nodes is many times as large. Mate scores are exact.
const (
	fineStep  = 8
	fineSteps = 64                        // steps below the first octave
	octave    = 32                        // steps in which the score doubles
	mateStep  = fineSteps + 5*octave + 29 // the first step of mate scores

	escapeByte = 255
)

// stepFromScore returns the step nearest to a score.
func stepFromScore(score int16) int {
	s := int(score)
	switch {
	case s >= MateBound:
		return mateStep + s - MateBound
	case s <= -MateBound:
		return -mateStep + s + MateBound
	case s < 0:
		return -stepFromScore(-score)
	}
	s += fineStep / 2 << octaveOf(s)
	k := octaveOf(s) // rounding may have reached the next octave
	if k == 0 {
		return s / fineStep
	}
	return min(fineSteps+(k-1)*octave+(s-256<<k)/(fineStep<<k), mateStep-1)
}

// octaveOf returns how often the step size has doubled at a score.
func octaveOf(score int) int { return bits.Len(uint(score / (fineStep * fineSteps))) }

// scoreFromStep returns the score of a step, and whether there is one.
func scoreFromStep(step int) (score int16, ok bool) {
	if step < 0 {
		score, ok = scoreFromStep(-step)
		return -score, ok
	}
	s := step * fineStep
	switch {
	case step >= mateStep:
		s = MateBound + step - mateStep
	case step >= fineSteps:
		k := (step-fineSteps)/octave + 1
		s = 256<<k + (step-fineSteps)%octave*(fineStep<<k)
	}
	return int16(s), s <= math.MaxInt16
}

// packer packs games into the payload of a block.
type packer struct {
	games, plies int
	parts        [parts]bytes.Buffer
	deflate      *flate.Writer
	out          bytes.Buffer
}

func newPacker() *packer {
	p := &packer{}
	p.deflate, _ = flate.NewWriter(&p.out, flate.BestCompression) // the level is valid
	return p
}

func (p *packer) add(g *Game) error {
	moves := make([][2]byte, 0, len(g.Opening)+len(g.Plies))
	for _, m := range g.moves() {
		origin, target, err := packMove(m)
		if err != nil {
			return err
		}
		moves = append(moves, [2]byte{origin, target})
	}
	for i, m := range moves {
		p.parts[originPart+i&1].WriteByte(m[0])
		p.parts[targetPart+i&1].WriteByte(m[1])
	}
	p.games++
	p.plies += len(g.Plies)
	var b [2*binary.MaxVarintLen64 + 1]byte
	head := binary.AppendUvarint(b[:0], uint64(len(g.Opening)))
	head = binary.AppendUvarint(head, uint64(len(g.Plies)))
	p.parts[headPart].Write(append(head, byte(2*g.Result.Points(rules.White))))
	last := 0
	for _, ply := range g.Plies {
		step := stepFromScore(ply.Score)
		v := zigzag(step - last)
		last = step
		p.parts[stepPart].WriteByte(byte(min(v, escapeByte)))
		if v >= escapeByte {
			p.parts[largePart].Write([]byte{byte(v), byte(v >> 8)})
		}
	}
	return nil
}

// packMove returns origin and target of a move.
func packMove(m rules.Move) (origin, target byte, err error) {
	switch {
	case m.IsDrop():
		origin, target = dropOrigin+byte(m.Dropped()), byte(m.To())
	case m.IsPromotion():
		origin, target = promotionOrigin+byte(m.From()), byte(m.To())|byte(m.Promotion()-rules.Knight)<<6
	default:
		origin, target = byte(m.From()), byte(m.To())
	}
	if decoded, err := unpackMove(origin, target); err != nil || decoded != m {
		return 0, 0, fmt.Errorf("%w: move %#x", errBadRecord, uint16(m))
	}
	return origin, target, nil
}

func unpackMove(origin, target byte) (rules.Move, error) {
	from, to := rules.Square(origin&63), rules.Square(target&63)
	switch {
	case origin >= promotionOrigin && origin < promotionOrigin+64:
		return rules.NewPromotion(from, to, rules.Knight+rules.PieceType(target>>6)), nil
	case target >= 64:
	case origin < dropOrigin:
		return rules.NewMove(from, to), nil
	case origin <= dropOrigin+byte(rules.Queen):
		return rules.NewDrop(rules.PieceType(origin-dropOrigin), to), nil
	}
	return rules.NoMove, fmt.Errorf("%w: origin %d, target %d", errBadRecord, origin, target)
}

// pack returns the payload, valid until the next call, and empties the packer.
func (p *packer) pack() []byte {
	p.out.Reset()
	p.deflate.Reset(&p.out)
	for i := range p.parts {
		_, _ = p.parts[i].WriteTo(p.deflate) // a buffer does not fail
	}
	p.games, p.plies = 0, 0
	_ = p.deflate.Close()
	return p.out.Bytes()
}

// unpack returns the games of a block.
func (b block) unpack() ([]Game, error) {
	return unpackStream(bufio.NewReader(flate.NewReader(bytes.NewReader(b.payload))), b.games, b.plies)
}

// unpackStream reads games from the decompressed stream.
func unpackStream(r *bufio.Reader, count, plies int) ([]Game, error) {
	games := make([]Game, 0, min(count, maxBlock/3))
	searched := 0
	var moves [2]int // of White and Black
	for range count {
		g, err := readHead(r)
		if err != nil {
			return nil, err
		}
		n := len(g.Opening) + len(g.Plies)
		moves[0], moves[1] = moves[0]+(n+1)/2, moves[1]+n/2
		searched += len(g.Plies)
		if searched > plies || moves[0] > maxBlockPlies {
			return nil, fmt.Errorf("%w: more plies than in the block", errBadRecord)
		}
		games = append(games, g)
	}
	if searched != plies {
		return nil, fmt.Errorf("%w: %d plies, not the block's %d", errBadRecord, searched, plies)
	}
	body := [parts][]byte{
		originPart: make([]byte, moves[0]), originPart + 1: make([]byte, moves[1]),
		targetPart: make([]byte, moves[0]), targetPart + 1: make([]byte, moves[1]),
		stepPart: make([]byte, plies),
	}
	for i, part := range body {
		if i == largePart {
			part = make([]byte, 2*bytes.Count(body[stepPart], []byte{escapeByte}))
			body[i] = part
		}
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, fmt.Errorf("%w: %w", errBadRecord, err)
		}
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: bytes after the last game", errBadRecord)
	}
	for i := range games {
		if err := games[i].fill(&body); err != nil {
			return nil, err
		}
	}
	return games, nil
}

// fill sets moves and scores from the parts, and removes them there.
func (g *Game) fill(body *[parts][]byte) (err error) {
	for i := range len(g.Opening) + len(g.Plies) {
		origin, target := &body[originPart+i&1], &body[targetPart+i&1]
		m, err := unpackMove((*origin)[0], (*target)[0])
		if err != nil {
			return err
		}
		*origin, *target = (*origin)[1:], (*target)[1:]
		if i < len(g.Opening) {
			g.Opening[i] = m
		} else {
			g.Plies[i-len(g.Opening)].Move = m
		}
	}
	step := 0
	for i := range g.Plies {
		v := uint16(body[stepPart][i])
		if v == escapeByte {
			v = binary.LittleEndian.Uint16(body[largePart])
			body[largePart] = body[largePart][2:]
		}
		step += unzigzag(v)
		score, ok := scoreFromStep(step)
		if !ok {
			return fmt.Errorf("%w: score of ply %d", errBadRecord, i+1)
		}
		g.Plies[i].Score = score
	}
	body[stepPart] = body[stepPart][len(g.Plies):]
	return nil
}

func zigzag(v int) uint16   { return uint16(int16(v)<<1 ^ int16(v)>>15) }
func unzigzag(v uint16) int { return int(int16(v>>1) ^ -int16(v&1)) }

package train

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/rules"
)

// Samples are quiet positions for training, with their targets. Each is in one of several
// shards, chosen at random, so that random orders of the shards and within them
// approximate a random order of all samples. Shards are files.
type Samples struct {
	objective Objective
	rng       *rand.Rand
	dir       string // of the files
	files     []*os.File
	writers   []*bufio.Writer // to the files
	counts    []int           // samples of each shard
	record    []uint16        // memory for one: see sampleShard
	encoded   []byte
}

// Storage configures where samples are held.
type Storage struct {
	Seed uint64 // of the choice of shards
	Dir  string // for files

	shardSize int // samples of a shard, about; 0 means 1 << 20
	holdout   int // one game in this many is for validation; 0 means 50

	test bool // all games are for validation, their scores as they are
}

// newSamples returns an empty set for the given number of plies, about half of which are
// kept.
func newSamples(plies int, o Objective, st Storage) (s *Samples, err error) {
	n := 1 + plies/2/cmp.Or(st.shardSize, 1<<20)
	s = &Samples{objective: o, counts: make([]int, n), rng: rand.New(rand.NewPCG(st.Seed, 1<<63))}
	if s.dir, err = os.MkdirTemp(st.Dir, "zhbot-samples-"); err != nil {
		return s, err
	}
	for i := range n {
		f, err := os.Create(filepath.Join(s.dir, strconv.Itoa(i)))
		if err != nil {
			return s, err
		}
		s.files, s.writers = append(s.files, f), append(s.writers, bufio.NewWriter(f))
	}
	return s, nil
}

// Len returns the number of samples.
func (s *Samples) Len() int {
	n := 0
	for _, c := range s.counts {
		n += c
	}
	return n
}

// Close removes the files of the samples.
func (s *Samples) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files = nil
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// add adds a sample to a random shard.
func (s *Samples) add(p *rules.Position, t target) (err error) {
	i := s.rng.IntN(len(s.writers))
	s.counts[i]++
	s.record = appendSample(s.record[:0], p, t)
	s.encoded, _ = binary.Append(s.encoded[:0], binary.LittleEndian, s.record) // never fails
	_, err = s.writers[i].Write(s.encoded)
	return err
}

// addGame adds the positions of a game that are learned from.
func (s *Samples) addGame(g *selfplay.Game, expected []float32) (err error) {
	next := 0
	replayErr := g.Replay(func(p *rules.Position, ply selfplay.Ply) {
		next++
		if err != nil || !isLearned(p, ply, g.Result) {
			return
		}
		err = s.add(p, target{expected[next-1], p.Turn(), uint8(p.InHand())})
	})
	return errors.Join(replayErr, err)
}

// flush writes what is buffered, after the last sample.
func (s *Samples) flush() error {
	for _, w := range s.writers {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// inOrder yields the shards in the given order. While one is in use, it reads the next.
func (s *Samples) inOrder(order []int) iter.Seq2[*sampleShard, error] {
	type loaded struct {
		*sampleShard
		err error
	}
	return func(yield func(*sampleShard, error) bool) {
		ahead := make(chan loaded, 1)
		load := func(n int) {
			var l loaded
			if n < len(order) {
				l.sampleShard, l.err = s.load(order[n])
			}
			ahead <- l
		}
		go load(0)
		for n := range order {
			current := <-ahead
			go load(n + 1)
			if !yield(current.sampleShard, current.err) {
				break
			}
		}
		<-ahead // nothing is being read when Close removes the files
	}
}

// sampleShard is a part of the samples, as records of 16-bit words:
//
//	bits 0-7 number of features, bit 8 side to move, bits 9-15 pieces in hand
//	expected points of White, in 1/65535
//	attack counts, two in each
//	features in White's perspective
type sampleShard struct {
	data   []uint16
	starts []uint32 // of the records
}

// load reads a shard.
func (s *Samples) load(i int) (*sampleShard, error) {
	file, err := os.ReadFile(s.files[i].Name())
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	sh := &sampleShard{data: make([]uint16, len(file)/2), starts: make([]uint32, 0, s.counts[i])}
	_, _ = binary.Decode(file, binary.LittleEndian, sh.data) // no longer than the file
	offset := 0
	for ; offset < len(sh.data); offset += sampleHead + int(sh.data[offset]&255) {
		sh.starts = append(sh.starts, uint32(offset))
	}
	if offset != len(sh.data) || sh.len() != s.counts[i] {
		return nil, fmt.Errorf("read samples: shard %d has %d samples, not the %d that were stored",
			i, sh.len(), s.counts[i])
	}
	return sh, nil
}

func (s *sampleShard) len() int { return len(s.starts) }

// appendSample appends the record of a sample.
func appendSample(records []uint16, p *rules.Position, t target) []uint16 {
	start := len(records)
	records = append(records, 0, uint16(t.points*65535+0.5))
	counts := nnue.CountAttacks(p)
	for i := 0; i < len(counts); i += 2 {
		records = append(records, uint16(counts[i])|uint16(counts[i+1])<<8)
	}
	records = nnue.AppendFeatures(records, p)
	records[start] = uint16(len(records)-start-sampleHead) | uint16(t.turn)<<8 | uint16(t.inHand)<<9
	return records
}

// sampleHead is the number of words of a record before its features.
const sampleHead = 2 + nnue.AttackInputs/2

// sample returns the features and the target of a sample.
func (s *sampleShard) sample(i int) (features []uint16, t target) {
	record := s.data[s.starts[i]:]
	head := record[0]
	t = target{float32(record[1]) / 65535, rules.Color(head >> 8 & 1), uint8(head >> 9)}
	return record[sampleHead : sampleHead+head&255], t
}

// counts sets dst to the attack counts of a sample, in squares.
func (s *sampleShard) counts(i int, dst *[nnue.AttackInputs]float32) {
	for j, pair := range s.data[s.starts[i]+2:][:len(dst)/2] {
		dst[2*j], dst[2*j+1] = float32(pair&255)/nnue.CountUnit, float32(pair>>8)/nnue.CountUnit
	}
}

// maxScore is the score beyond which positions are not learned if the result agrees with it.
const maxScore = 1500

// isLearned reports whether a position is used for training: a quiet one, since the search
// resolves the others. In a quiet position the side to move is not in check, and the best move
// is neither a capture nor a promotion.
func isLearned(p *rules.Position, ply selfplay.Ply, result rules.Result) bool {
	score := int(ply.Score)
	switch {
	case score >= selfplay.MateBound || score <= -selfplay.MateBound,
		score > maxScore && result == rules.WhiteWins, score < -maxScore && result == rules.BlackWins:
		return false
	}
	return !p.InCheck() && !p.IsCapture(ply.Move) && !ply.Move.IsPromotion()
}

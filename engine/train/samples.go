package train

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/rules"
)

// Samples are quiet positions for training, with their targets. Each is in one of several
// shards, chosen at random, so that random orders of the shards and within them
// approximate a random order of all samples. Shards are held in memory or, beyond a
// limit, in files; the order is the same.
type Samples struct {
	objective Objective
	storage   Storage

	shards    []*sampleShard
	counts    []int // samples of each shard
	rng       *rand.Rand
	spilled   *spillFiles // nil while all samples are in memory
	heldBytes int         // bytes in memory
}

// Storage configures where samples are held.
type Storage struct {
	Seed   uint64 // of the choice of shards
	Memory int    // bytes of each set of samples before it moves to files; 0 means no limit
	Dir    string // for those files

	shardSize int // samples of a shard, about; 0 means 1 << 20
}

// newSamples returns an empty set for the given number of plies, about half of which are
// kept.
func newSamples(plies int, o Objective, st Storage) *Samples {
	shards := 1 + plies/2/cmp.Or(st.shardSize, 1<<20)
	s := &Samples{objective: o, storage: st, counts: make([]int, shards), rng: rand.New(rand.NewPCG(st.Seed, 1<<63))}
	for range shards {
		s.shards = append(s.shards, &sampleShard{})
	}
	return s
}

// Len returns the number of samples.
func (s *Samples) Len() int {
	n := 0
	for _, c := range s.counts {
		n += c
	}
	return n
}

// OnDisk reports whether the samples are held in files.
func (s *Samples) OnDisk() bool { return s.spilled != nil }

// Close removes the files of the samples.
func (s *Samples) Close() error {
	if s.spilled == nil {
		return nil
	}
	files := s.spilled
	s.spilled = nil
	return files.close()
}

func (s *Samples) add(p *rules.Position, t target) error {
	i := s.rng.IntN(len(s.shards))
	s.heldBytes += s.shards[i].add(p, t)
	s.counts[i]++
	if s.storage.Memory > 0 && s.heldBytes > s.storage.Memory {
		return s.spillToFiles()
	}
	return nil
}

// addGame adds the positions of a game that the filter keeps.
func (s *Samples) addGame(g *selfplay.Game, filter Filter, expected []float32) (err error) {
	next := 0
	replayErr := g.Replay(func(p *rules.Position, ply selfplay.Ply) {
		next++
		if err != nil || !filter.Keep(p, ply, g.Result) {
			return
		}
		inHand := p.Pocket(rules.White).Total() + p.Pocket(rules.Black).Total()
		err = s.add(p, target{expected[next-1], p.Turn(), uint8(inHand)})
	})
	return errors.Join(replayErr, err)
}

// spillToFiles appends the samples in memory to the files of the shards.
func (s *Samples) spillToFiles() (err error) {
	if s.spilled == nil {
		if s.spilled, err = newSpill(s.storage.Dir, len(s.shards)); err != nil {
			return err
		}
	}
	for i, sh := range s.shards {
		if err := s.spilled.append(i, sh.data); err != nil {
			return err
		}
		sh.data, sh.starts = sh.data[:0], sh.starts[:0]
	}
	s.heldBytes = 0
	return nil
}

// finish is called after the last sample. Samples in files are from then on only there.
func (s *Samples) finish() error {
	if s.spilled == nil {
		return nil
	}
	err := s.spillToFiles()
	s.shards = nil
	return err
}

// loadedShard is a shard in memory, or the error of reading it.
type loadedShard struct {
	*sampleShard
	err error
}

// inOrder yields the shards in the given order, with their numbers. While one is in use, it
// reads the next.
func (s *Samples) inOrder(order []int) iter.Seq2[int, *loadedShard] {
	return func(yield func(int, *loadedShard) bool) {
		ahead := make(chan *loadedShard, 1)
		load := func(n int) {
			var sh *loadedShard
			if n < len(order) {
				sh = s.load(order[n])
			}
			ahead <- sh
		}
		go load(0)
		for n, i := range order {
			current := <-ahead
			go load(n + 1)
			if !yield(i, current) {
				break
			}
		}
		<-ahead // nothing is being read when Close removes the files
	}
}

// load returns a shard, from its file if the samples are in files.
func (s *Samples) load(i int) *loadedShard {
	if s.spilled == nil {
		return &loadedShard{sampleShard: s.shards[i]}
	}
	data, err := s.spilled.read(i)
	if err != nil {
		return &loadedShard{err: err}
	}
	sh := &sampleShard{data: data, starts: make([]uint32, 0, s.counts[i])}
	if err := sh.index(s.counts[i]); err != nil {
		return &loadedShard{err: fmt.Errorf("read samples: %s: %w", s.spilled.files[i].Name(), err)}
	}
	return &loadedShard{sampleShard: sh}
}

// sampleShard is a part of the samples, as records of 16-bit words:
//
//	bits 0-7 number of features, bit 8 side to move, bits 9-15 pieces in hand
//	expected points of White, in 1/65535
//	features in White's perspective
type sampleShard struct {
	data   []uint16
	starts []uint32 // of the records
}

func (s *sampleShard) len() int { return len(s.starts) }

// add appends a sample and returns its size in bytes.
func (s *sampleShard) add(p *rules.Position, t target) int {
	start := len(s.data)
	s.starts = append(s.starts, uint32(start))
	s.data = append(s.data, 0, uint16(t.points*65535+0.5))
	s.data = nnue.AppendFeatures(s.data, p)
	s.data[start] = uint16(len(s.data)-start-2) | uint16(t.turn)<<8 | uint16(t.inHand)<<9
	return 2*(len(s.data)-start) + 4
}

// sample returns the features and the target of a sample.
func (s *sampleShard) sample(i int) (features []uint16, t target) {
	record := s.data[s.starts[i]:]
	head := record[0]
	t = target{float32(record[1]) / 65535, rules.Color(head >> 8 & 1), uint8(head >> 9)}
	return record[2 : 2+head&255], t
}

// index finds the records in the data.
func (s *sampleShard) index(count int) error {
	offset := 0
	for ; offset < len(s.data); offset += 2 + int(s.data[offset]&255) {
		s.starts = append(s.starts, uint32(offset))
	}
	if offset != len(s.data) || s.len() != count {
		return fmt.Errorf("%d samples, not the %d that were stored", s.len(), count)
	}
	return nil
}

// Filter selects the positions for training: quiet ones, since the search resolves the
// others. In a quiet position the side to move is not in check, and the best move is
// neither a capture nor a promotion.
type Filter struct {
	MaxScore int // drop scores beyond this that agree with the result; 0 keeps all
}

// Keep reports whether a position is used for training.
func (f Filter) Keep(p *rules.Position, ply selfplay.Ply, result rules.Result) bool {
	score := int(ply.Score)
	if score >= selfplay.MateBound || score <= -selfplay.MateBound {
		return false
	}
	if f.MaxScore > 0 && (score > f.MaxScore && result == rules.WhiteWins || score < -f.MaxScore && result == rules.BlackWins) {
		return false
	}
	return !p.InCheck() && !p.IsCapture(ply.Move) && !ply.Move.IsPromotion()
}

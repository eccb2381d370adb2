package engine

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/zhbot/zhbot/engine/simd"
	"github.com/zhbot/zhbot/rules"
)

// bound is the type of a stored score.
type bound uint8

const (
	noBound    bound = iota
	upperBound       // the true score is at most this
	lowerBound       // the true score is at least this
	exactBound = upperBound | lowerBound
)

// transpositionTable is shared by all searches of an engine. Its size never changes.
// Workers read and write it without locks: an entry stores its key xor its data, so that a
// torn write matches no position.
type transpositionTable struct {
	buckets    []bucket      // must not outlive the table
	generation atomic.Uint32 // ages old entries
}

// bucket is a cache line of entries.
type bucket [bucketSize]tableSlot

const bucketSize = 4

type tableSlot struct {
	check atomic.Uint64 // key xor data
	data  atomic.Uint64
}

// entry is the information about a position, packed into 64 bits; bits 32-47 are unused:
//
//	bits  0-15  move
//	bits 16-31  score, mates relative to this position
//	bits 48-55  depth
//	bits 56-57  bound
//	bits 58-63  generation
type entry struct {
	move  rules.Move
	score int
	depth int
	bound bound
}

const (
	generations = 64
	// ageCost is how many plies of depth a generation of age costs an entry, and how much
	// deeper an entry must be than a new one of its position to stay.
	ageCost = 4
)

func newTranspositionTable(mib int) *transpositionTable {
	const bucketBytes = bucketSize * 16
	t := new(transpositionTable)
	t.allocate(max(1, mib<<20/bucketBytes))
	return t
}

func (e entry) pack(generation uint32) uint64 {
	return uint64(e.move) |
		uint64(uint16(e.score))<<16 |
		uint64(uint8(e.depth))<<48 |
		uint64(e.bound)<<56 |
		uint64(generation)<<58
}

func unpack(data uint64) entry {
	return entry{
		move:  rules.Move(data),
		score: int(int16(data >> 16)),
		depth: int(uint8(data >> 48)),
		bound: bound(data >> 56 & 3),
	}
}

// bucket returns the bucket of a position.
func (t *transpositionTable) bucket(key uint64) *bucket {
	i, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// prefetch loads the bucket of a position into the cache. The table is far larger than any
// cache; prefetched while the move is being made, the bucket is there when the node
// starts.
func (t *transpositionTable) prefetch(key uint64) { simd.Prefetch(unsafe.Pointer(t.bucket(key))) }

// probe returns the entry of a position for a node at ply, and whether there is one.
func (t *transpositionTable) probe(key uint64, ply int) (entry, bool) {
	b := t.bucket(key)
	for i := range b {
		data := b[i].data.Load()
		if b[i].check.Load()^data != key || data == 0 {
			continue
		}
		e := unpack(data)
		e.score = scoreFromTable(e.score, ply)
		return e, true
	}
	return entry{}, false
}

// store stores the entry of a node at ply. It replaces the entry of the same position, or
// else the least valuable one. An entry of the same position and generation that is deeper
// by ageCost or more stays, unless the new score is exact.
func (t *transpositionTable) store(key uint64, e entry, ply int) {
	generation := t.generation.Load() % generations
	b := t.bucket(key)
	slot, lowest := &b[0], 1<<30
	for i := range b {
		data := b[i].data.Load()
		if b[i].check.Load()^data == key && data != 0 {
			old := unpack(data)
			if e.bound != exactBound && e.depth+ageCost <= old.depth && uint32(data>>58) == generation {
				return
			}
			if e.move == rules.NoMove {
				e.move = old.move
			}
			slot = &b[i]
			break
		}
		if v := replacementValue(data, generation); v < lowest {
			slot, lowest = &b[i], v
		}
	}
	e.score = scoreToTable(e.score, ply)
	data := e.pack(generation)
	slot.data.Store(data)
	slot.check.Store(key ^ data)
}

// replacementValue returns the value of an entry: depth minus age, lowest for an empty
// slot.
func replacementValue(data uint64, generation uint32) int {
	if data == 0 {
		return -1 << 20
	}
	age := (generation - uint32(data>>58)) % generations
	return unpack(data).depth - ageCost*int(age)
}

// newGeneration starts a new generation.
func (t *transpositionTable) newGeneration() { t.generation.Add(1) }

// clear empties the table with several goroutines, and without atomics, which is much
// faster. No search may be running.
func (t *transpositionTable) clear(threads int) {
	var g sync.WaitGroup
	for part := range slices.Chunk(t.buckets, 1+len(t.buckets)/threads) {
		g.Go(func() { clear(part) })
	}
	g.Wait()
	t.generation.Store(0)
}

// hashFull estimates from a sample how much of the table the current generation uses, in
// permille.
func (t *transpositionTable) hashFull() int {
	generation := t.generation.Load() % generations
	sample := t.buckets[:min(64, len(t.buckets))]
	used := 0
	for i := range sample {
		for j := range sample[i] {
			data := sample[i][j].data.Load()
			if data != 0 && uint32(data>>58) == generation {
				used++
			}
		}
	}
	return used * 1000 / (len(sample) * bucketSize)
}

// scoreToTable converts a mate score relative to the root to one relative to the node at
// ply.
func scoreToTable(score, ply int) int {
	switch {
	case score > mateBound:
		return score + ply
	case score < -mateBound:
		return score - ply
	}
	return score
}

// scoreFromTable converts a mate score relative to the node at ply to one relative to the
// root, which is a mate, too.
func scoreFromTable(score, ply int) int {
	switch {
	case score > mateBound:
		return max(score-ply, mateBound+1)
	case score < -mateBound:
		return min(score+ply, -mateBound-1)
	}
	return score
}

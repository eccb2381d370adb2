package engine

import (
	"math/bits"
	"sync/atomic"

	"github.com/zhbot/zhbot/rules"
)

// bound says what a stored score is a bound of.
type bound uint8

const (
	noBound    bound = iota
	upperBound       // the true score is at most this
	lowerBound       // the true score is at least this
	exactBound = upperBound | lowerBound
)

// table is the transposition table, shared by all searches of an engine. Its
// size never changes. Workers read and write it without locks: an entry holds
// its key xor its data, so that a torn entry matches no position.
type table struct {
	buckets    []bucket      // nobody keeps any of it longer than the table
	generation atomic.Uint32 // counts up move by move, so that old entries go first
}

// bucket is a cache line of entries that compete for their positions.
type bucket [bucketSize]slot

const bucketSize = 4

type slot struct {
	check atomic.Uint64 // key xor data
	data  atomic.Uint64
}

// entry is what the table knows of a position. In memory it is 64 bits:
//
//	bits  0-15  move
//	bits 16-31  score, mates counted from this position
//	bits 32-47  static evaluation, noScore if there is none
//	bits 48-55  depth
//	bits 56-57  bound
//	bits 58-63  generation
type entry struct {
	move  rules.Move
	score int
	eval  int
	depth int
	bound bound
}

const (
	generations = 64
	// ageCost is how many plies of depth an entry is worth less for each
	// generation of age.
	ageCost = 4
)

func newTable(mib int) *table {
	const bucketBytes = bucketSize * 16
	t := new(table)
	t.allocate(max(1, mib<<20/bucketBytes))
	return t
}

func (e entry) pack(generation uint32) uint64 {
	return uint64(e.move) |
		uint64(uint16(e.score))<<16 |
		uint64(uint16(e.eval))<<32 |
		uint64(uint8(e.depth))<<48 |
		uint64(e.bound)<<56 |
		uint64(generation)<<58
}

func unpack(data uint64) entry {
	return entry{
		move:  rules.Move(data),
		score: int(int16(data >> 16)),
		eval:  int(int16(data >> 32)),
		depth: int(uint8(data >> 48)),
		bound: bound(data >> 56 & 3),
	}
}

// bucket returns the entries among which a position has its place.
func (t *table) bucket(key uint64) *bucket {
	i, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// probe returns what is known of the position with the key, as seen from a
// node that is ply plies from the root.
func (t *table) probe(key uint64, ply int) (entry, bool) {
	b := t.bucket(key)
	for i := range b {
		data := b[i].data.Load()
		if b[i].check.Load()^data != key || data == 0 {
			continue
		}
		e := unpack(data)
		e.score = fromTable(e.score, ply)
		return e, true
	}
	return entry{eval: noScore}, false
}

// store remembers what a node at ply plies from the root found. It takes the
// place of the same position or else of the least valuable entry; a deeper
// entry of the same position and generation stays, unless the new score is
// exact.
func (t *table) store(key uint64, e entry, ply int) {
	generation := t.generation.Load() % generations
	b := t.bucket(key)
	place, least := &b[0], 1<<30
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
			place = &b[i]
			break
		}
		if v := value(data, generation); v < least {
			place, least = &b[i], v
		}
	}
	e.score = toTable(e.score, ply)
	data := e.pack(generation)
	place.data.Store(data)
	place.check.Store(key ^ data)
}

// value orders entries for replacement: depth less age, empty slots last.
func value(data uint64, generation uint32) int {
	if data == 0 {
		return -1 << 20
	}
	age := (generation - uint32(data>>58)) % generations
	return unpack(data).depth - ageCost*int(age)
}

// advance begins a new generation.
func (t *table) advance() { t.generation.Add(1) }

// clear empties the table. No search may be running: the words are cleared
// without atomics, many times faster.
func (t *table) clear() {
	clear(t.buckets)
	t.generation.Store(0)
}

// permilleFull estimates from a sample how much of the table the current
// generation uses.
func (t *table) permilleFull() int {
	generation := t.generation.Load() % generations
	sample := t.buckets[:min(250, len(t.buckets))]
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

// toTable turns a mate score counted from the root into one counted from the
// position itself, which is the same whatever path leads there.
func toTable(score, ply int) int {
	switch {
	case score > mateBound:
		return score + ply
	case score < -mateBound:
		return score - ply
	}
	return score
}

// fromTable undoes toTable at a node that is ply plies from the root.
func fromTable(score, ply int) int {
	switch {
	case score > mateBound:
		return score - ply
	case score < -mateBound:
		return score + ply
	}
	return score
}

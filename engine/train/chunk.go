package train

import (
	"slices"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// chunkSize is the number of positions of a chunk: enough for the lists by feature to be
// long, and few enough for the first layer of all of them to stay in the cache.
const chunkSize = 64

// chunk is a few positions that a worker learns from at a time, sorted by bucket. Each has
// two rows of the first layer: the perspective of the side to move and the other one.
type chunk struct {
	positions []chunkPosition
	counts    [chunkSize][nnue.AttackInputs]float32 // of the attacks

	features sparse // of each row
	rows     sparse // of each feature, and after the last feature of the bias: all
}

type chunkPosition struct {
	sample   int
	expected float32 // points of the side to move
	inHand   uint8
	bucket   uint8
}

// set makes the chunk that of some samples.
func (c *chunk) set(sh *sampleShard, samples []int, buckets int) {
	c.sort(sh, samples, buckets)
	c.features.starts, c.features.columns = append(c.features.starts[:0], 0), c.features.columns[:0]
	for i, p := range c.positions {
		sh.counts(p.sample, &c.counts[i])
		features, t := sh.sample(p.sample)
		var mirrored [2]bool
		mirrored[rules.White], mirrored[rules.Black] = nnue.Mirrored(features)
		for _, side := range [2]rules.Color{t.turn, t.turn.Other()} {
			orient := nnue.OrientationOf(side, mirrored[side])
			for _, f := range features {
				c.features.columns = append(c.features.columns, orient.Map(f))
			}
			c.features.starts = append(c.features.starts, uint32(len(c.features.columns)))
		}
	}
}

// sort reads what the samples teach and sorts them by bucket, so that the weights of one
// stack are used by consecutive positions.
func (c *chunk) sort(sh *sampleShard, samples []int, buckets int) {
	c.positions = c.positions[:0]
	for _, i := range samples {
		_, t := sh.sample(i)
		c.positions = append(c.positions,
			chunkPosition{i, t.sideToMoveTarget(), t.inHand, uint8(nnue.BucketOf(int(t.inHand), buckets))})
	}
	slices.SortStableFunc(c.positions, func(a, b chunkPosition) int { return int(a.bucket) - int(b.bucket) })
}

// transpose sets rows from features.
func (c *chunk) transpose() {
	var next [nnue.Inputs + 1]uint32
	for _, f := range c.features.columns {
		next[f+1]++
	}
	for f := range nnue.Inputs {
		next[f+1] += next[f]
	}
	n, rows := len(c.features.columns), len(c.features.starts)-1
	c.rows.starts = append(append(c.rows.starts[:0], next[:nnue.Inputs+1]...), uint32(n+rows))
	if cap(c.rows.columns) < n+rows {
		c.rows.columns = make([]uint16, n+rows+n/4)
	}
	c.rows.columns = c.rows.columns[:n+rows]
	for row := range rows {
		for _, f := range c.features.row(row) {
			c.rows.columns[next[f]] = uint16(row)
			next[f]++
		}
		c.rows.columns[n+row] = uint16(row)
	}
}

package train

import (
	"slices"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/engine/train/kernel"
	"github.com/zhbot/zhbot/rules"
)

// chunkSize is the number of positions of a chunk: enough for the lists by feature to be
// long, and few enough for the first layer of all of them to stay in the cache.
const chunkSize = 64

// chunk is a few positions that a worker learns from at a time, sorted by bucket. Each has
// two rows of the first layer: the perspective of the side to move and the other one.
type chunk struct {
	positions []chunkPosition

	features kernel.Sparse // of each row
	rows     kernel.Sparse // of each feature, and after the last feature of the bias: all
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
	c.features.Starts, c.features.Columns = append(c.features.Starts[:0], 0), c.features.Columns[:0]
	for _, p := range c.positions {
		features, t := sh.sample(p.sample)
		var mirrored [2]bool
		mirrored[rules.White], mirrored[rules.Black] = nnue.Mirrored(features)
		for _, side := range [2]rules.Color{t.turn, t.turn.Other()} {
			orient := nnue.Orientation(side, mirrored[side])
			for _, f := range features {
				c.features.Columns = append(c.features.Columns, orient[f])
			}
			c.features.Starts = append(c.features.Starts, uint32(len(c.features.Columns)))
		}
	}
}

// sort reads what the samples teach and sorts them by bucket, so that the weights of one
// stack are used by consecutive positions.
func (c *chunk) sort(sh *sampleShard, samples []int, buckets int) {
	c.positions = c.positions[:0]
	for _, i := range samples {
		_, t := sh.sample(i)
		c.positions = append(c.positions, chunkPosition{i, t.sideToMoveTarget(), t.inHand, uint8(nnue.BucketOf(int(t.inHand), buckets))})
	}
	slices.SortStableFunc(c.positions, func(a, b chunkPosition) int { return int(a.bucket) - int(b.bucket) })
}

// transpose sets rows from features.
func (c *chunk) transpose() {
	var next [nnue.Inputs + 1]uint32
	for _, f := range c.features.Columns {
		next[f+1]++
	}
	for f := range nnue.Inputs {
		next[f+1] += next[f]
	}
	n, rows := len(c.features.Columns), len(c.features.Starts)-1
	c.rows.Starts = append(append(c.rows.Starts[:0], next[:nnue.Inputs+1]...), uint32(n+rows))
	if cap(c.rows.Columns) < n+rows {
		c.rows.Columns = make([]uint16, n+rows+n/4)
	}
	c.rows.Columns = c.rows.Columns[:n+rows]
	for row := range rows {
		for _, f := range c.features.Row(row) {
			c.rows.Columns[next[f]] = uint16(row)
			next[f]++
		}
		c.rows.Columns[n+row] = uint16(row)
	}
}

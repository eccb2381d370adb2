package nnue

import "github.com/zhbot/zhbot/rules"

// refreshCache has, for each perspective and orientation, the first layer of the position
// for which it was last computed. Where the incremental update ends, because a perspective
// changes its orientation, it takes the difference from that position instead of a sum over
// all features.
type refreshCache [2][2]cachedLayer

type cachedLayer struct {
	features featureSet
	values   []int16
}

func newRefreshCache(w *Weights) (c refreshCache) {
	for perspective := range c {
		for orientation := range c[perspective] {
			c[perspective][orientation].values = append([]int16(nil), w.InputBias...) // of no features
		}
	}
	return c
}

// refresh sets dst to the first layer of a perspective for a set of features.
func (c *refreshCache) refresh(dst []int16, w *Weights, features *featureSet, perspective rules.Color, mirrored bool) {
	cached, orient := &c[perspective][boolToInt(mirrored)], Orientation(perspective, mirrored)
	var added, removed [maxActive]uint16
	accumulate(dst, cached.values, w.Input,
		features.appendDifference(added[:0], &cached.features, orient),
		cached.features.appendDifference(removed[:0], features, orient))
	copy(cached.values, dst)
	cached.features = *features
}

package nnue

// refreshCache has, for each perspective and whether files are mirrored, the first layer of the
// position for which it was last used. Where a perspective changes its orientation, it is
// computed from that position instead of as a sum over all features.
type refreshCache [2][2]cachedLayer

type cachedLayer struct {
	features featureSet
	values   []int16
}

func newRefreshCache(w *Weights) (c refreshCache) {
	for perspective := range c {
		for mirrored := range c[perspective] {
			c[perspective][mirrored].values = append([]int16(nil), w.InputBias...) // of no features
		}
	}
	return c
}

//go:build !unix

package engine

// allocate gives the table its memory.
func (t *table) allocate(buckets int) { t.buckets = make([]bucket, buckets) }

//go:build !unix

package engine

// allocate allocates the memory of the table.
func (t *transpositionTable) allocate(buckets int) { t.buckets = make([]bucket, buckets) }

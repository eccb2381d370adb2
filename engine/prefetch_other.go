//go:build !amd64 && !arm64

package engine

func (t *transpositionTable) prefetch(uint64) {}

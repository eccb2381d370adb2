//go:build !amd64

package engine

func maxIndex(scores []int32) int { return maxIndexPortable(scores) }

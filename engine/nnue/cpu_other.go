//go:build !amd64

package nnue

const hasAVX2, hasAVX512, hasVNNI = false, false, false

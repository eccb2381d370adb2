//go:build !amd64

package train

const hasAVX2, hasAVX512 = false, false

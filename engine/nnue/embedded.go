package nnue

import (
	_ "embed" // the embedded network
	"sync"
)

// embedded is the embedded network; the name of its file is its own.
//
//go:embed networks/zh-8a8b59b707c6.zhnn
var embedded []byte

// Default returns the embedded network.
var Default = sync.OnceValue(func() *Network {
	n, err := decode(embedded)
	if err != nil {
		panic(err) // a broken build, which a test detects
	}
	return n
})

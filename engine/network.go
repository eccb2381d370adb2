package engine

import "github.com/zhbot/zhbot/engine/nnue"

// Network is a trained network; see package nnue.
type Network = nnue.Network

// OpenNetwork returns the network of a file, or the embedded one if the path is empty.
func OpenNetwork(path string) (*Network, error) {
	if path == "" {
		return nnue.Default(), nil
	}
	return nnue.Load(path)
}

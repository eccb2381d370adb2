package engine

import "github.com/zhbot/zhbot/engine/nnue"

// Network is a trained evaluation.
type Network = nnue.Network

// LoadNetwork reads a network file.
func LoadNetwork(path string) (*Network, error) { return nnue.Load(path) }

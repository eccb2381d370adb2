package engine

import "github.com/zhbot/zhbot/engine/nnue"

// Network is a trained evaluation.
type Network = nnue.Network

// NoNetwork names the hand-written evaluation where a network can be named.
const NoNetwork = "none"

// OpenNetwork returns the network with a name: a file's path, "" for the one
// in the program, or [NoNetwork], whose network is nil.
func OpenNetwork(name string) (*Network, error) {
	switch name {
	case "":
		return nnue.Default(), nil
	case NoNetwork:
		return nil, nil
	}
	return nnue.Load(name)
}

// NetworkName returns the name of a network in records and tables, such as
// "zh-64b581950936"; [NoNetwork] for nil.
func NetworkName(n *Network) string {
	if n == nil {
		return NoNetwork
	}
	return "zh-" + n.Hash()
}

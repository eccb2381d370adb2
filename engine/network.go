package engine

import "github.com/zhbot/zhbot/engine/nnue"

// Network is a trained network; see package nnue.
type Network = nnue.Network

// NoNetwork is the name of the hand-written evaluation, used in place of a network's
// name.
const NoNetwork = "none"

// OpenNetwork returns a network by name: the path of its file, "" for the embedded
// network, or [NoNetwork], for which it returns nil.
func OpenNetwork(name string) (*Network, error) {
	switch name {
	case "":
		return nnue.Default(), nil
	case NoNetwork:
		return nil, nil
	}
	return nnue.Load(name)
}

// NetworkName returns the name of a network for records and tables, such as
// "zh-64b581950936", and [NoNetwork] for nil.
func NetworkName(n *Network) string {
	if n == nil {
		return NoNetwork
	}
	return "zh-" + n.Hash()
}

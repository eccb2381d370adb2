package nnue

import (
	"bytes"
	"embed"
	"fmt"
	"sync"
)

// The embedded network, a single file named zh-<hash>.zhnn.
//
//go:embed networks/zh-*.zhnn
var networks embed.FS

// Default returns the embedded network.
var Default = sync.OnceValue(func() *Network {
	n, err := embedded()
	if err != nil {
		panic(err) // a broken build, which a test detects
	}
	return n
})

func embedded() (*Network, error) {
	files, err := networks.ReadDir("networks")
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("embedded networks: %d files, want one: %w", len(files), err)
	}
	file, err := networks.ReadFile("networks/" + files[0].Name())
	if err != nil {
		return nil, fmt.Errorf("embedded network: %w", err)
	}
	n, err := Read(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("embedded network %s: %w", files[0].Name(), err)
	}
	if name := n.Name() + ".zhnn"; name != files[0].Name() {
		return nil, fmt.Errorf("embedded network %s: its content belongs to %s", files[0].Name(), name)
	}
	return n, nil
}

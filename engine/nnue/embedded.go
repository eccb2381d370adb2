package nnue

import (
	"bytes"
	"embed"
	"fmt"
	"sync"
)

// The network in the program, one file named zh-<hash>.zhnn.
//
//go:embed networks/zh-*.zhnn
var networks embed.FS

// Default returns the network in the program.
var Default = sync.OnceValue(func() *Network {
	n, err := embedded()
	if err != nil {
		panic(err) // a fault of the build: a test reads the file
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
	if name := "zh-" + n.Hash() + ".zhnn"; name != files[0].Name() {
		return nil, fmt.Errorf("embedded network %s: its content is that of %s", files[0].Name(), name)
	}
	return n, nil
}

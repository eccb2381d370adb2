package config

import (
	"strings"
	"testing"
)

func TestParse_Memory(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		memory     uint64
		want       string // the problem; "" for none
	}{
		{"not known", "engine: {hash_mb: 65536}", 0, ""},
		{"plenty", "engine: {hash_mb: 65536}", 128 << 30, ""},
		{"just enough", "\nengine:\n  hash_mb: 440", 512 << 20, ""},
		{"one too many", "\nengine:\n  hash_mb: 441", 512 << 20, "f:3: engine.hash_mb: 441 does not fit into the 512 MiB of memory here"},
		{"more than all", "engine: {hash_mb: 4096}", 1 << 30, "want at most 952"},
		{"the default", "", 256 << 20, ""},
		{"many threads", "engine: {hash_mb: 256, threads: 512}", 2 << 30, "2048 MiB of memory here: 512 threads and the rest of the program need 2112; want at most 0"},
		{"contenders", "contenders: [{name: a}, {name: b, network: none}]\nengine: {hash_mb: 409}", 512 << 20, "want at most 408"},
		{"next to nothing", "", 1 << 20, "want at most 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(Source{File: "f", Memory: tt.memory, Cores: 2}, []byte(tt.text))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// A size that is asked for stays; else the memory decides.
func TestParse_ChoosesHash(t *testing.T) {
	for _, tt := range []struct {
		text   string
		memory uint64 // in MiB
		want   int
	}{
		{"engine: {hash_mb: 100}", 64 << 10, 100},
		{"", 0, 256},
		{"", 512, 128},
		{"engine: {hash_mb: 0}", 2048, 512},
		{"", 64 << 10, 1024},
		{"", 60, 16},
	} {
		c, err := Parse(Source{}, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Engine.HashSize(tt.memory << 20); got != tt.want {
			t.Errorf("%q with %d MiB: %d, want %d", tt.text, tt.memory, got, tt.want)
		}
	}
}

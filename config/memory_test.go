package config

import (
	"strings"
	"testing"
)

func TestParse_Memory(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		memory     uint64
		cores      int
		want       string // the problem; "" for none
	}{
		{"not known", "engine: {hash_mb: 65536}", 0, 2, ""},
		{"plenty", "engine: {hash_mb: 65536}", 128 << 30, 2, ""},
		{"just enough", "\nengine:\n  hash_mb: 440", 512 << 20, 2, ""},
		{"one too many", "\nengine:\n  hash_mb: 441", 512 << 20, 2,
			"f:3: engine.hash_mb: 441 does not fit into the 512 MiB of memory here"},
		{"more than all", "engine: {hash_mb: 4096}", 1 << 30, 2, "want at most 952"},
		{"the default", "", 256 << 20, 2, ""},
		{"many threads", "engine: {hash_mb: 256, threads: 512}", 2 << 30, 2,
			"engine.threads: 512 and the rest of the program need 2112 of the 2048 MiB of memory here, " +
				"and the transposition table 16; want fewer"},
		{"many cores", "", 400 << 20, 64, ""},
		{"too many cores", "", 335 << 20, 64,
			"engine.threads: 64 and the rest of the program need 320 of the 335 MiB of memory here, " +
				"and the transposition table 16; want fewer"},
		{"a table for many cores", "\nengine:\n  hash_mb: 81", 400 << 20, 64, "f:3: engine.hash_mb: 81 does not fit"},
		{"contenders", "contenders: [{name: a}, {name: b, network: b.zhnn}]\nengine: {hash_mb: 409}", 512 << 20, 2,
			"want at most 408"},
		{"next to nothing", "", 1 << 20, 2,
			"engine.threads: 2 and the rest of the program need 72 of the 1 MiB of memory here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(Source{File: "f", Memory: tt.memory, Cores: tt.cores}, []byte(tt.text))
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
		cores  int
		want   int
	}{
		{"engine: {hash_mb: 100}", 64 << 10, 2, 100},
		{"", 0, 2, 256},
		{"", 512, 2, 128},
		{"engine: {hash_mb: 0}", 2048, 2, 512},
		{"", 64 << 10, 2, 1024},
		{"", 60, 2, 16},
		{"", 400, 64, 80},
		{"", 300, 64, 16},
	} {
		c, err := Parse(Source{}, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.HashSize(tt.memory<<20, tt.cores); got != tt.want {
			t.Errorf("%q with %d MiB and %d cores: %d, want %d", tt.text, tt.memory, tt.cores, got, tt.want)
		}
	}
}

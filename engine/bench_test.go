package engine

import "testing"

func TestBench_Deterministic(t *testing.T) {
	var nodes [2]uint64
	for i := range nodes {
		var err error
		if nodes[i], _, err = Bench(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
	}
	if nodes[0] != nodes[1] || nodes[0] == 0 {
		t.Errorf("two runs searched %d and %d nodes", nodes[0], nodes[1])
	}
}

func TestBench_RefusesBadDepth(t *testing.T) {
	for _, depth := range []int{-1, 0, maxPly} {
		if _, _, err := Bench(t.Context(), depth); err == nil {
			t.Errorf("depth %d: no error", depth)
		}
	}
}

// BenchmarkSearch_FixedNodes also records the profile of the hot paths: see docs/lab.md.
func BenchmarkSearch_FixedNodes(b *testing.B) {
	const nodes = 100_000
	e := New(Options{Threads: 1, HashMB: 16})
	for name, fen := range map[string]string{"start": start, "rich_pockets": richPockets} {
		b.Run(name, func(b *testing.B) {
			g := newGame(b, fen)
			for b.Loop() {
				e.Clear()
				mustSearch(b, e, g, Limits{Nodes: nodes})
			}
			b.ReportMetric(nodes*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

package engine

import "testing"

// Each parameter has a default within its bounds.
func TestParameters(t *testing.T) {
	var p Parameters
	for i, row := range p.List() {
		if row.Default < row.Min || row.Default > row.Max || row.Step < 1 {
			t.Errorf("%+v: want a default within the bounds and a step of at least 1", row)
		}
		row.Set(i + 1)
	}
	if p.MoveHorizon != 1 || p.GuardBonus != len(p.List()) {
		t.Errorf("set to %+v", p)
	}
}

// Parameters change the searches of their engine only.
func TestEngine_Parameters(t *testing.T) {
	other := DefaultParameters()
	other.RazorMargin, other.ReductionBase, other.CheckBonus = 600, -1000, 0
	nodes := func(e *Engine) uint64 {
		e.Clear()
		return mustSearch(t, e, newGame(t, richPockets), Limits{Depth: 5}).Info.Nodes
	}
	standard, changed := newTestEngine(), New(Options{Threads: 1, HashMB: 4, Parameters: other})
	before, after := nodes(standard), nodes(changed)
	if before == after || nodes(standard) != before {
		t.Errorf("%d nodes by default, %d with other parameters, then %d", before, after, nodes(standard))
	}
	changed.SetParameters(DefaultParameters())
	if n := nodes(changed); n != before {
		t.Errorf("%d nodes with the defaults again, want %d", n, before)
	}
}

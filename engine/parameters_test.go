package engine

import (
	"reflect"
	"testing"
)

// Each field is in the table, under its name and with a default within its bounds.
func TestParameters(t *testing.T) {
	var p Parameters
	fields, list := reflect.ValueOf(&p).Elem(), p.List()
	if len(list) != fields.NumField() {
		t.Fatalf("%d fields, %d in the table", fields.NumField(), len(list))
	}
	for i, row := range list {
		row.Set(row.Default)
		if name := fields.Type().Field(i).Name; row.Name != name || fields.Field(i).Int() != int64(row.Default) {
			t.Errorf("%s sets %s to %d", row.Name, name, fields.Field(i).Int())
		}
		if row.Default < row.Min || row.Default > row.Max || row.Step < 1 {
			t.Errorf("%+v: want a default within the bounds and a step of at least 1", row)
		}
	}
	if p != DefaultParameters() {
		t.Errorf("the defaults are %+v", p)
	}
}

// Parameters change the searches of their engine only.
func TestEngine_Parameters(t *testing.T) {
	other := DefaultParameters()
	other.razorMargin, other.reductionBase, other.checkBonus = 600, -1000, 0
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

package engine

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// With nodes as time, a search on a clock is repeatable, stays within its maximum, and
// reports the time that its nodes stand for.
func TestSearch_NodesTime(t *testing.T) {
	const perMS = 50
	l := Limits{White: 2 * time.Second, Black: 2 * time.Second, NodesTime: perMS}
	var first Result
	for i := range 2 {
		e := newTestEngine()
		r := mustSearch(t, e, newGame(t, richPockets), l)
		if want := time.Duration(r.Info.Nodes) * time.Millisecond / perMS; r.Info.Time != want {
			t.Errorf("%d nodes took %v, want %v", r.Info.Nodes, r.Info.Time, want)
		}
		root := rules.StartPosition()
		optimum, maximum := new(DefaultParameters()).plan(l, &root)
		if r.Info.Time < optimum/4 || r.Info.Time > maximum+time.Millisecond {
			t.Errorf("took %v, planned %v to %v", r.Info.Time, optimum, maximum)
		}
		if i == 0 {
			first = r
		} else if r.Move != first.Move || r.Info.Nodes != first.Info.Nodes {
			t.Errorf("%s after %d nodes, then %s after %d", first.Move, first.Info.Nodes, r.Move, r.Info.Nodes)
		}
	}

	for ms := 40; ms <= 160; ms += 10 { // used completely, wherever a depth ends
		l := Limits{MoveTime: time.Duration(ms) * time.Millisecond, NodesTime: perMS, Overhead: 10 * time.Millisecond}
		r := mustSearch(t, newTestEngine(), newGame(t, start), l)
		if want := uint64(ms * perMS); r.Info.Nodes < want || r.Info.Nodes > want+1 {
			t.Errorf("searched %d nodes in %d ms of %d nodes each", r.Info.Nodes, ms, perMS)
		}
	}
}

// Other programs get the time that our own search would.
func TestMoveTimer(t *testing.T) {
	root := rules.StartPosition()
	l := Limits{White: time.Minute, WhiteInc: time.Second, Overhead: 50 * time.Millisecond}
	_, maximum := new(DefaultParameters()).plan(l, &root)
	before := time.Now()
	timer := NewMoveTimer(l, &root)
	if d := timer.Deadline(); d.Before(before.Add(maximum)) || d.After(time.Now().Add(maximum)) {
		t.Errorf("deadline in %v, want %v", d.Sub(before), maximum)
	}
	if timer.ShouldStop(rules.NewMove(8, 16), 20, TypicalEffort, timer.Elapsed(0)) {
		t.Error("it stops at once")
	}
	timer.start = before.Add(-maximum)
	if !timer.ShouldStop(rules.NewMove(8, 16), 20, TypicalEffort, timer.Elapsed(0)) {
		t.Error("it does not stop after the maximum")
	}
	timer = NewMoveTimer(Limits{Nodes: 5}, &root)
	if d := timer.Deadline(); !d.IsZero() {
		t.Errorf("deadline %v without a time limit", d)
	}
}

func TestMoveTimer_ShouldStop(t *testing.T) {
	limits, root := Limits{White: time.Minute}, rules.StartPosition()
	move, other := rules.NewMove(8, 16), rules.NewMove(9, 17)
	settled := func(best rules.Move, score Score, effort int) time.Duration {
		tm := NewMoveTimer(limits, &root)
		for range 10 {
			tm.ShouldStop(move, 50, TypicalEffort, 0)
		}
		low, high := time.Duration(0), tm.maximum
		for high-low > time.Millisecond {
			probe, middle := tm, (low+high)/2
			if probe.ShouldStop(best, score, effort, middle) {
				high = middle
			} else {
				low = middle
			}
		}
		return high
	}
	stable, changed := settled(move, 50, TypicalEffort), settled(other, 50, TypicalEffort)
	dropped, contested := settled(move, -30, TypicalEffort), settled(move, 50, TypicalEffort/2)
	if stable >= changed {
		t.Errorf("a new best move is given %v, a stable one %v", changed, stable)
	}
	if stable >= dropped {
		t.Errorf("a falling score is given %v, a steady one %v", dropped, stable)
	}
	if stable >= contested {
		t.Errorf("a contested best move is given %v, a clear one %v", contested, stable)
	}

	untimed := NewMoveTimer(Limits{Depth: 3}, &root)
	if untimed.ShouldStop(move, 0, 0, time.Hour) || untimed.expired(time.Now().Add(time.Hour)) {
		t.Error("a search without a time limit ran out of time")
	}
}

package engine

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
)

func TestPlan(t *testing.T) {
	const ms = time.Millisecond
	type span struct{ low, high time.Duration }
	tests := []struct {
		name             string
		limits           Limits
		turn             rules.Color
		optimum, maximum span
	}{
		{"no limit", Limits{}, rules.White, span{0, 0}, span{0, 0}},
		{"infinite ignores clocks", Limits{White: time.Minute, Infinite: true}, rules.White, span{0, 0}, span{0, 0}},
		{"ponder ignores clocks", Limits{White: time.Minute, Ponder: true}, rules.White, span{0, 0}, span{0, 0}},
		{"move time", Limits{MoveTime: 500 * ms}, rules.White, span{500 * ms, 500 * ms}, span{500 * ms, 500 * ms}},
		{"move time with overhead", Limits{MoveTime: 500 * ms, Overhead: 50 * ms}, rules.White, span{500 * ms, 500 * ms}, span{500 * ms, 500 * ms}},
		{"move time below overhead", Limits{MoveTime: 20 * ms, Overhead: 50 * ms}, rules.White, span{20 * ms, 20 * ms}, span{20 * ms, 20 * ms}},
		{"move time caps the clock", Limits{White: time.Hour, MoveTime: 2 * time.Second}, rules.White, span{2000 * ms, 2000 * ms}, span{2000 * ms, 2000 * ms}},
		{"rapid", Limits{White: 10 * time.Minute, Black: time.Second, WhiteInc: 5 * time.Second, Overhead: 50 * ms}, rules.White, span{15 * time.Second, 30 * time.Second}, span{60 * time.Second, 130 * time.Second}},
		{"the mover's clock", Limits{White: 10 * time.Minute, Black: time.Second, Overhead: 10 * ms}, rules.Black, span{5 * ms, 40 * ms}, span{20 * ms, 200 * ms}},
		{"bullet without increment", Limits{White: 10 * time.Second, Overhead: 20 * ms}, rules.White, span{200 * ms, 350 * ms}, span{600 * ms, 2000 * ms}},
		{"increment larger than the clock", Limits{White: 500 * ms, WhiteInc: 2 * time.Second, Overhead: 20 * ms}, rules.White, span{100 * ms, 300 * ms}, span{200 * ms, 350 * ms}},
		{"last move before the refill", Limits{White: 3 * time.Second, MovesToGo: 1, Overhead: 20 * ms}, rules.White, span{1500 * ms, 2700 * ms}, span{1500 * ms, 2700 * ms}},
		{"scramble", Limits{White: 400 * ms, Overhead: 20 * ms}, rules.White, span{5 * ms, 5 * ms}, span{5 * ms, 5 * ms}},
		{"clock below overhead", Limits{White: 15 * ms, Overhead: 20 * ms}, rules.White, span{ms, ms}, span{ms, ms}},
		{"no clock left", Limits{White: 0, Black: time.Minute}, rules.White, span{ms, ms}, span{ms, ms}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			optimum, maximum := plan(tt.limits, tt.turn)
			if optimum < tt.optimum.low || optimum > tt.optimum.high {
				t.Errorf("optimum %v, want %v to %v", optimum, tt.optimum.low, tt.optimum.high)
			}
			if maximum < tt.maximum.low || maximum > tt.maximum.high {
				t.Errorf("maximum %v, want %v to %v", maximum, tt.maximum.low, tt.maximum.high)
			}
		})
	}
}

// The maximum plus the overhead leaves time on any clock that holds more than the
// overhead.
func TestPlan_NeverEmptiesTheClock(t *testing.T) {
	for remaining := 5 * time.Millisecond; remaining < 3*time.Hour; remaining += remaining/7 + 1 {
		for _, increment := range []time.Duration{0, 10 * time.Millisecond, time.Second, time.Minute} {
			for _, overhead := range []time.Duration{0, 5 * time.Millisecond, 100 * time.Millisecond, 2 * time.Second} {
				for _, movesToGo := range []int{0, 1, 2, 40} {
					optimum, maximum := planClock(remaining, increment, overhead, movesToGo)
					if optimum > maximum || optimum < minTime {
						t.Fatalf("clock %v+%v, overhead %v, %d to go: optimum %v, maximum %v", remaining, increment, overhead, movesToGo, optimum, maximum)
					}
					if maximum > minTime && maximum+overhead >= remaining {
						t.Fatalf("clock %v+%v, overhead %v, %d to go: maximum %v", remaining, increment, overhead, movesToGo, maximum)
					}
				}
			}
		}
	}
}

// A game of 150 moves stays within its clock if every move costs its optimum and twice the
// planned overhead, and every tenth its maximum.
func TestPlan_WholeGames(t *testing.T) {
	for _, tc := range []struct{ clock, increment, overhead time.Duration }{
		{10 * time.Second, 0, 10 * time.Millisecond},
		{15 * time.Second, 0, 20 * time.Millisecond},
		{30 * time.Second, 0, 50 * time.Millisecond},
		{time.Minute, 0, 100 * time.Millisecond},
		{2 * time.Minute, time.Second, 300 * time.Millisecond},
		{10 * time.Minute, 5 * time.Second, time.Second},
	} {
		clock := tc.clock
		for move := range 150 {
			optimum, maximum := planClock(clock, tc.increment, tc.overhead, 0)
			spent := optimum
			if move%10 == 9 {
				spent = maximum
			}
			clock -= spent + 2*tc.overhead
			if clock <= 0 && spent > maxMinTime {
				t.Fatalf("%v+%v: flagged at move %d after thinking %v", tc.clock, tc.increment, move+1, spent)
			}
			if clock <= 0 {
				break // twice the overhead alone exceeds this clock
			}
			clock += tc.increment
		}
	}
}

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
		optimum, maximum := plan(l, rules.White)
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

func TestTimeManager_ShouldStop(t *testing.T) {
	limits := Limits{White: time.Minute}
	move, other := rules.NewMove(8, 16), rules.NewMove(9, 17)
	settled := func(best rules.Move, score int) time.Duration {
		tm := newTimeManager(limits, rules.White, time.Time{})
		for range 10 {
			tm.shouldStop(move, 50, 0)
		}
		low, high := time.Duration(0), tm.maximum
		for high-low > time.Millisecond {
			probe, middle := tm, (low+high)/2
			if probe.shouldStop(best, score, middle) {
				high = middle
			} else {
				low = middle
			}
		}
		return high
	}
	stable, changed, dropped := settled(move, 50), settled(other, 50), settled(move, -30)
	if stable >= changed {
		t.Errorf("a new best move is given %v, a stable one %v", changed, stable)
	}
	if stable >= dropped {
		t.Errorf("a falling score is given %v, a steady one %v", dropped, stable)
	}

	untimed := newTimeManager(Limits{Depth: 3}, rules.White, time.Time{})
	if untimed.shouldStop(move, 0, time.Hour) || untimed.expired(time.Time{}.Add(time.Hour)) {
		t.Error("a search without a time limit ran out of time")
	}
}

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
		{"overheads of a long game", Limits{White: 2 * time.Second, Overhead: 50 * ms}, rules.White, span{5 * ms, 5 * ms}, span{5 * ms, 5 * ms}},
		{"made up for by the increment", Limits{White: 2 * time.Second, WhiteInc: 50 * ms, Overhead: 50 * ms}, rules.White, span{30 * ms, 50 * ms}, span{100 * ms, 250 * ms}},
		{"clock below overhead", Limits{White: 15 * ms, Overhead: 20 * ms}, rules.White, span{ms, ms}, span{ms, ms}},
		{"no clock left", Limits{White: 0, Black: time.Minute}, rules.White, span{ms, ms}, span{ms, ms}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := rules.StartPosition()
			if tt.turn == rules.Black {
				root = root.After(rules.NewMove(12, 28))
			}
			optimum, maximum := new(DefaultParameters()).plan(tt.limits, &root)
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
	p := DefaultParameters()
	for remaining := 5 * time.Millisecond; remaining < 3*time.Hour; remaining += remaining/7 + 1 {
		for _, increment := range []time.Duration{0, 10 * time.Millisecond, time.Second, time.Minute} {
			for _, overhead := range []time.Duration{0, 5 * time.Millisecond, 100 * time.Millisecond, 2 * time.Second} {
				for _, movesToGo := range []int{0, 1, 2, 40} {
					for _, move := range []int{1, 30, 300} {
						c := clock{remaining, increment, overhead, movesToGo, move}
						optimum, maximum := c.plan(&p)
						if optimum > maximum || optimum < minTime || maximum > minTime && maximum+overhead >= remaining {
							t.Fatalf("%+v: optimum %v, maximum %v", c, optimum, maximum)
						}
					}
				}
			}
		}
	}
}

// A game of 150 moves stays within its clock if every move costs its optimum and twice the
// planned overhead, and every tenth its maximum.
func TestPlan_WholeGames(t *testing.T) {
	p := DefaultParameters()
	for _, tc := range []struct{ remaining, increment, overhead time.Duration }{
		{10 * time.Second, 0, 10 * time.Millisecond},
		{15 * time.Second, 0, 20 * time.Millisecond},
		{30 * time.Second, 0, 50 * time.Millisecond},
		{time.Minute, 0, 100 * time.Millisecond},
		{2 * time.Minute, time.Second, 300 * time.Millisecond},
		{10 * time.Minute, 5 * time.Second, time.Second},
	} {
		c := clock{remaining: tc.remaining, increment: tc.increment, overhead: tc.overhead}
		for move := range 150 {
			c.move = move + 1
			optimum, maximum := c.plan(&p)
			spent := optimum
			if move%10 == 9 {
				spent = maximum
			}
			c.remaining -= spent + 2*tc.overhead
			if c.remaining <= 0 && spent > maxMinTime {
				t.Fatalf("%v+%v: flagged at move %d after thinking %v", tc.remaining, tc.increment, c.move, spent)
			}
			if c.remaining <= 0 {
				break // twice the overhead alone exceeds this clock
			}
			c.remaining += tc.increment
		}
	}
}

// Late in a game fewer moves are left, so each takes a larger share of the clock.
func TestPlan_Horizon(t *testing.T) {
	plan := func(move int) time.Duration {
		optimum, _ := clock{remaining: time.Minute, move: move}.plan(new(DefaultParameters()))
		return optimum
	}
	if early, late := plan(1), plan(40); late <= early {
		t.Errorf("%v at move 40, %v at move 1 of the same clock", late, early)
	}
	if late, latest := plan(150), plan(600); late != latest {
		t.Errorf("%v at move 600, %v at move 150, want the same", latest, late)
	}
}

package engine

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// The plan is that of the mover's clock: each row holds for White, and for Black with the
// clocks exchanged.
func TestPlan(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name       string
		limits     Limits
		low, high  time.Duration // of the optimum, in ms
		from, upTo time.Duration // of the maximum
	}{
		{"no limit", Limits{}, 0, 0, 0, 0},
		{"infinite ignores clocks", Limits{White: time.Minute, Infinite: true}, 0, 0, 0, 0},
		{"ponder ignores clocks", Limits{White: time.Minute, Ponder: true}, 0, 0, 0, 0},
		{"move time", Limits{MoveTime: 500 * ms, Overhead: 50 * ms}, 500, 500, 500, 500},
		{"move time below overhead", Limits{MoveTime: 20 * ms, Overhead: 50 * ms}, 20, 20, 20, 20},
		{"move time caps the clock", Limits{White: time.Hour, MoveTime: 2 * time.Second}, 2000, 2000, 2000, 2000},
		{"rapid", Limits{White: 10 * time.Minute, Black: time.Second, WhiteInc: 5 * time.Second, Overhead: 50 * ms},
			15_000, 30_000, 60_000, 130_000},
		{"bullet", Limits{White: time.Second, Black: 10 * time.Minute, Overhead: 10 * ms}, 5, 40, 20, 200},
		{"no increment", Limits{White: 10 * time.Second, Overhead: 20 * ms}, 200, 350, 600, 2000},
		{"increment larger than the clock", Limits{White: 500 * ms, WhiteInc: 2 * time.Second, Overhead: 20 * ms},
			100, 300, 200, 350},
		{"last move before the refill", Limits{White: 3 * time.Second, MovesToGo: 1, Overhead: 20 * ms},
			1500, 2700, 1500, 2700},
		{"scramble", Limits{White: 400 * ms, Overhead: 20 * ms}, 5, 5, 5, 5},
		{"overheads of a long game", Limits{White: 2 * time.Second, Overhead: 50 * ms}, 5, 5, 5, 5},
		{"made up for by the increment", Limits{White: 2 * time.Second, WhiteInc: 50 * ms, Overhead: 50 * ms},
			30, 50, 100, 250},
		{"clock below overhead", Limits{White: 15 * ms, Overhead: 20 * ms}, 1, 1, 1, 1},
		{"no clock left", Limits{White: 0, Black: time.Minute}, 1, 1, 1, 1},
	} {
		for turn, moves := range [][]string{{}, {"e2e4"}} {
			l := tt.limits
			if turn == 1 {
				l.White, l.WhiteInc, l.Black, l.BlackInc = l.Black, l.BlackInc, l.White, l.WhiteInc
			}
			optimum, maximum := new(DefaultParameters()).plan(l, newGame(t, start, moves...).Position())
			if optimum < tt.low*ms || optimum > tt.high*ms || maximum < tt.from*ms || maximum > tt.upTo*ms {
				t.Errorf("%s, colour %d: optimum %v, maximum %v; want %d to %d ms, %d to %d ms",
					tt.name, turn, optimum, maximum, tt.low, tt.high, tt.from, tt.upTo)
			}
		}
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
						if optimum > maximum || optimum < minTime ||
							maximum > minTime && maximum+overhead >= remaining {
							t.Fatalf("%+v: optimum %v, maximum %v", c, optimum, maximum)
						}
					}
				}
			}
		}
	}
}

// A game of so many moves stays within its clock if every move costs its optimum and twice the
// planned overhead, and every tenth its maximum. Without an increment, thinking is short by then.
func TestPlan_WholeGames(t *testing.T) {
	p := DefaultParameters()
	for _, tc := range []struct {
		remaining, increment, overhead time.Duration
		moves                          int
	}{
		{10 * time.Second, 0, 10 * time.Millisecond, 79},
		{15 * time.Second, 0, 20 * time.Millisecond, 75},
		{30 * time.Second, 0, 50 * time.Millisecond, 72},
		{time.Minute, 0, 100 * time.Millisecond, 70},
		{2 * time.Minute, time.Second, 300 * time.Millisecond, 150},
		{10 * time.Minute, 5 * time.Second, time.Second, 150},
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
			if c.remaining <= 0 {
				if c.move <= tc.moves || spent > maxMinTime {
					t.Errorf("%v+%v: flagged at move %d after thinking %v, want no flag up to move %d",
						tc.remaining, tc.increment, c.move, spent, tc.moves)
				}
				break
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

// A clock and an increment of a year, as UCI may give them, give a time that is no less than
// that of a day.
func TestPlan_Years(t *testing.T) {
	root, p := rules.StartPosition(), DefaultParameters()
	plan := func(d time.Duration) (time.Duration, time.Duration) {
		return p.plan(Limits{White: d, WhiteInc: d, Overhead: time.Second}, &root)
	}
	const day = 24 * time.Hour
	optimum, maximum := plan(365 * day)
	if o, m := plan(day); optimum < o || maximum < m {
		t.Errorf("optimum %s and maximum %s, of a day %s and %s", optimum, maximum, o, m)
	}
	timer := newMoveTimer(Limits{White: 365 * day, WhiteInc: 365 * day, NodesTime: 10_000}, &root, &p)
	if n := timer.nodeLimit(); n < 1e14 {
		t.Errorf("%d nodes", n)
	}
}

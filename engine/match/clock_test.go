package match

import (
	"fmt"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// An engine that stays within its time does not lose on time.
func TestRun_incrementsKeepClocksUp(t *testing.T) {
	t.Parallel()
	c := testMatch(t, scriptedEngine(playLegal), scriptedEngine(playLegal))
	c.Engine.Limit = Limit{Clock: 5 * time.Millisecond, Increment: time.Millisecond}
	c.Opponent.Limit = Limit{MoveTime: time.Millisecond}
	if s := mustRun(t, c); s.Endings[TooManyPlies] != 4 {
		t.Errorf("endings %v, want none before the last ply", s.Endings)
	}
}

// A player gets the current clocks.
func TestRun_clocks(t *testing.T) {
	t.Parallel()
	var limits []engine.Limits
	c := testMatch(t, scriptedEngine(playLegal),
		scriptedEngine(func(p *scriptedPlayer, g *rules.Game, l engine.Limits) (engine.Result, error) {
			limits = append(limits, l)
			return playLegal(p, g, l)
		}))
	c.Games, c.Adjudication.MaxPlies = 2, 6
	c.Engine.Limit = Limit{Clock: time.Second, Increment: 10 * time.Millisecond}
	c.Opponent.Limit = Limit{Clock: 100 * time.Millisecond, Nodes: 7}
	s := mustRun(t, c)
	want := engine.Limits{
		White: 1018 * time.Millisecond, WhiteInc: 10 * time.Millisecond,
		Black: 99 * time.Millisecond, Nodes: 7,
	}
	// Three moves each, of a millisecond: 1,027 and 97 ms are left.
	if got := fmt.Sprintf("%.3f %.3f, %.3f %.3f", s.Engine.MoveTime, s.Engine.ClockLeft, s.Opponent.MoveTime,
		s.Opponent.ClockLeft); got != "0.001 1.027, 0.001 0.970" {
		t.Errorf("time a move and clock left: %s", got)
	}
	if len(limits) != 6 || fmt.Sprint(limits[1]) != fmt.Sprint(want) {
		t.Errorf("the opponent's second search had the limits %+v, want %+v", limits, want)
	}
}

// A clock that has run out within the margin is still a clock: without one an engine would
// search without limit.
func TestRun_emptyClock(t *testing.T) {
	t.Parallel()
	var limits []engine.Limits
	c := testMatch(t, scriptedEngine(func(p *scriptedPlayer, g *rules.Game, l engine.Limits) (engine.Result, error) {
		limits = append(limits, l)
		return playLegal(p, g, l)
	}), scriptedEngine(playLegal))
	c.Engine.Limit, c.Margin = Limit{Clock: 2 * time.Millisecond}, time.Second
	if s := mustRun(t, c); s.Engine.Faults[TimeForfeit] != 0 || s.Engine.ClockLeft != 0 {
		t.Errorf("%d games lost on time, %.2f of the clock left", s.Engine.Faults[TimeForfeit], s.Engine.ClockLeft)
	}
	for _, l := range limits {
		if (l.White > 0) == (l.Black > 0) {
			t.Fatalf("limits %+v, want one clock", l)
		}
	}
}

// With nodes as time, clocks count only nodes: an engine that searches more of them than it
// has time for loses.
func TestRun_nodesTime(t *testing.T) {
	t.Parallel()
	limit := Limit{Clock: 400 * time.Millisecond, Increment: 4 * time.Millisecond, NodesTime: 20}
	c := testMatch(t, inProcessEngine(), inProcessEngine())
	c.Engine.Limit, c.Opponent.Limit = limit, limit
	if s := mustRun(t, c); s.Engine.Faults[TimeForfeit]+s.Opponent.Faults[TimeForfeit] != 0 {
		t.Errorf("%d and %d games lost on time", s.Engine.Faults[TimeForfeit], s.Opponent.Faults[TimeForfeit])
	}

	c = testMatch(t, scriptedEngine(playLegal), scriptedEngine(playLegal)) // 1,000 nodes, which are 50 ms, in 1 ms
	c.Engine.Limit, c.Opponent.Limit = limit, Limit{Clock: time.Second, NodesTime: 20}
	c.Engine.Limit.Clock = 120 * time.Millisecond
	if s := mustRun(t, c); s.Engine.Faults[TimeForfeit] != 4 {
		t.Errorf("%d of 4 games lost on time", s.Engine.Faults[TimeForfeit])
	}
}

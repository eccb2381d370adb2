package mover

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// openProgram returns a mover for which a fake engine program searches.
func openProgram(t *testing.T, behavior string, log *fixture.Log) *Mover {
	t.Helper()
	c := config.Default()
	c.Engine.Command, c.Games.Max = enginetest.Command(t, behavior), 1
	c.Engine.HashMB, c.Engine.Threads, c.Engine.Book = 2, 1, nil
	p, err := New(t.Context(), &c, Options{Log: zerolog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever the program does, a move is found in time, and if it is our own search's, the
// reason is given. For a single move, and with next to nothing on the clock, it is not asked.
func TestMover_Program(t *testing.T) {
	t.Parallel()
	minutes := engine.Limits{White: time.Minute, Black: time.Minute, Nodes: 500}
	short := engine.Limits{White: 80 * time.Millisecond, Overhead: 50 * time.Millisecond}
	for _, tt := range []struct {
		behavior string
		limits   engine.Limits
		fen      string // "" for the start position
		want     event.Fallback
	}{
		{"ok", minutes, "", ""},
		{"ok", engine.Limits{Plain: true, Nodes: 100}, "", event.FallbackPanicked},
		{"crash", minutes, "", event.FallbackCrashed},
		{"illegal", minutes, "", event.FallbackIllegal},
		{"hang", engine.Limits{White: 10 * time.Second, Nodes: 500}, "", event.FallbackLate},
		{"crash", short, "", event.FallbackShortOfTime},
		{"crash", minutes, "7k/6Q1/8/8/8/8/8/K7 b - - 0 1", ""},
	} {
		t.Run(tt.behavior+" "+string(tt.want), func(t *testing.T) {
			t.Parallel()
			var log fixture.Log
			p, g := openProgram(t, tt.behavior, &log), rules.NewGame(rules.StartPosition())
			if tt.fen != "" {
				g = rules.NewGame(fixture.Position(t, tt.fen))
			}
			reports := 0
			r, err := p.Search(t.Context(), g, game.SearchLimits{Limits: tt.limits, Game: "a"},
				func(engine.Info) { reports++ })
			if err != nil || r.Fallback != tt.want || !g.Position().IsLegal(r.Move) {
				t.Errorf("%+v, %v", r, err)
			}
			if tt.limits.Nodes > 0 && tt.fen == "" && (r.Info.Depth == 0 || r.Info.Nodes == 0 || reports == 0) {
				t.Errorf("%+v, %d reports", r, reports)
			}
			asked := tt.want != "" && !tt.limits.Plain
			if text := log.String(); strings.Contains(text, `"game":"a","reason":"`+string(tt.want)+`"`) != asked {
				t.Errorf("the log says\n%s", text)
			}
		})
	}
}

func TestMover_ProgramPonders(t *testing.T) {
	t.Parallel()
	p := openProgram(t, "ok", new(fixture.Log))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ponder := game.SearchLimits{Limits: engine.Limits{Ponder: true}, Game: "a"}
		r, err := p.Search(ctx, rules.NewGame(rules.StartPosition()), ponder, nil)
		if err != nil || r.Fallback != "" || !strings.HasPrefix(p.Program(), "zhbot fake") {
			t.Errorf("%s ponders: %+v, %v", p.Program(), r, err)
		}
	}()
	awaitSearching(t, p.program, true)
	cancel()
	<-ended
	p.EndGame("a")
}

func TestSplit(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		limits          engine.Limits
		clock, moveTime time.Duration // for the program
		grace           time.Duration
		ok              bool
	}{
		{limits: engine.Limits{}, grace: 250 * ms, ok: true},
		{limits: engine.Limits{White: time.Minute, Black: time.Second}, clock: 59 * time.Second, grace: 250 * ms,
			ok: true},
		{limits: engine.Limits{White: 1050 * ms, Overhead: 50 * ms}, clock: 950 * ms, grace: 50 * ms, ok: true},
		{limits: engine.Limits{White: 90 * ms, Overhead: 50 * ms}, clock: 70 * ms, grace: 10 * ms, ok: true},
		{limits: engine.Limits{White: 89 * ms, Overhead: 50 * ms}, clock: 69 * ms, grace: 10 * ms},
		{limits: engine.Limits{MoveTime: 5 * time.Second}, moveTime: 4500 * ms, grace: 250 * ms, ok: true},
		{limits: engine.Limits{White: time.Minute, MoveTime: 400 * ms}, clock: 59 * time.Second, moveTime: 360 * ms,
			grace: 20 * ms, ok: true},
		{limits: engine.Limits{MoveTime: 10 * ms}, moveTime: -10 * ms, grace: 10 * ms},
	} {
		got, grace, ok := split(tt.limits, rules.White)
		if got.White != tt.clock || got.MoveTime != tt.moveTime || grace != tt.grace || ok != tt.ok ||
			got.Black != tt.limits.Black {
			t.Errorf("%+v becomes %s, %s, grace %s, %t", tt.limits, got.White, got.MoveTime, grace, ok)
		}
	}
}

// However long the program takes, time for our own search and for the move's way remains.
func TestSplit_LeavesTime(t *testing.T) { synctest.Test(t, checkSplit) }

// checkSplit needs a clock that stands still between two calls.
func checkSplit(t *testing.T) {
	g := rules.NewGame(rules.StartPosition())
	for clock := 30 * time.Millisecond; clock < 4*time.Hour; clock = clock*3/2 + time.Millisecond {
		for _, inc := range []time.Duration{0, 100 * time.Millisecond, 2 * time.Second, time.Minute} {
			for _, overhead := range []time.Duration{0, 20 * time.Millisecond, 300 * time.Millisecond} {
				l := engine.Limits{White: clock, Black: clock, WhiteInc: inc, BlackInc: inc, Overhead: overhead}
				limits, grace, ok := split(l, rules.White)
				if !ok {
					if clock-overhead > 60*time.Millisecond {
						t.Errorf("the program is not asked with %s, overhead %s", clock, overhead)
					}
					continue
				}
				start := time.Now()
				timer := engine.NewMoveTimer(limits, g.Position())
				spent := timer.Deadline().Sub(start) + grace
				if left := clock - spent; left < overhead+minFallback/2 {
					t.Errorf("of %s+%s, overhead %s, %s remain after %s", clock, inc, overhead, left, spent)
				}
			}
		}
	}
}

func TestProgramSettings(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Engine.Threads = 7
	x, y := "x", "y"
	c.Contenders = []config.Contender{{Command: &x}, {Command: &y}, {Command: &x}, {}}
	for hash, want := range map[int]int{1024: 960, 64: 56, 2: 1} {
		if e := ProgramSettings(&c, config.Engine{HashMB: hash}); e.HashMB != want || e.Threads != 3 {
			t.Errorf("of %d MiB the program gets %d, want %d, and %d threads, want 3", hash, e.HashMB, want, e.Threads)
		}
	}
}

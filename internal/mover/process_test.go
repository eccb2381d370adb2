package mover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/fixture"
)

// A program that cannot be used is reported, unless it may just be slow.
func TestPool_AwaitReady(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ command, option, want string }{
		{"/no/such/engine", "", `engine.command: start engine "/no/such/engine": `},
		{"'x", "", "a quote ' is not closed"},
		{enginetest.Command(t, "chess"), "",
			"Chess only does not play crazyhouse: its option UCI_Variant has no such value"},
		{enginetest.Command(t, "ok"), "Contempt", `has no option "Contempt"`},
		{enginetest.Command(t, "crash-at-start"), "", `the engine ended: exit status 3 (it said "no network file")`},
		{enginetest.Command(t, "silent"), "", context.DeadlineExceeded.Error()},
	} {
		e, timing := config.Engine{Command: tt.command}, quick
		if tt.option != "" {
			e.Options = []config.Option{{Name: tt.option, Value: "1"}}
		}
		ctx, wantSearch := t.Context(), errNotRunning
		if tt.want == context.DeadlineExceeded.Error() {
			timing.start, wantSearch = 100*time.Millisecond, errStarting
			short, cancel := context.WithTimeout(ctx, 400*time.Millisecond)
			defer cancel()
			ctx = short
		} else {
			timing.pause = time.Hour // one start tells
		}
		p := &testPool{T: t, pool: newPool(t.Context(), e, 2, Options{})}
		p.timing = timing
		defer p.Close()
		p.Start()
		if err := p.AwaitReady(ctx); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.command, err, tt.want)
		}
		p.play("a", wantSearch)
	}
}

// One process is enough to begin.
func TestPool_AwaitReady_one(t *testing.T) {
	t.Parallel()
	timing, refused := quick, errors.New("no license for another")
	timing.pause = time.Hour
	first := make(chan struct{}, 1)
	p := newPool(t.Context(), config.Engine{Command: enginetest.Command(t, "ok"), Threads: 1, HashMB: 1}, 3, Options{
		StartProgram: func(c external.Command) (Process, error) {
			select {
			case first <- struct{}{}:
				return c.Start()
			default:
				return nil, refused
			}
		},
	})
	p.timing = timing
	defer p.Close()
	p.Start()
	if err := p.AwaitReady(t.Context()); err != nil {
		t.Error(err)
	}
}

// A process that fails between or in searches is killed, and started again after growing
// pauses.
func TestPool_restarts(t *testing.T) {
	t.Parallel()
	p := openPool(t, "crash", 1)
	for n := range 3 {
		p.awaitRunning(1)
		p.play("a", external.ErrExited)
		fixture.Until(t, "the process is replaced", func() bool { return len(p.starts()) == n+2 })
	}
	if list := p.pauses(); !slices.IsSorted(list) || list[2] < 2*list[0] {
		t.Errorf("pauses %v", list)
	}
	if n := p.log.Count("(it said "); n != 3 {
		t.Errorf("standard error is quoted %d times", n)
	}
}

// pauses returns the logged pauses before restarts.
func (p *testPool) pauses() (list []time.Duration) {
	p.Helper()
	for line := range strings.Lines(p.log.String()) {
		var entry struct {
			RetryIn string `json:"retry_in"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			p.Fatal(err)
		}
		if pause, err := time.ParseDuration(entry.RetryIn); err == nil {
			list = append(list, pause)
		}
	}
	return list
}

// The pauses of a program that works for a while begin again.
func TestPool_restartsProvenProgram(t *testing.T) {
	t.Parallel()
	p := openPool(t, "ok", 1)
	for n := range 3 {
		p.awaitRunning(1)
		for range provenMoves {
			p.play("a", nil)
		}
		p.starts()[n].Kill()
		fixture.Until(t, "the restart is logged", func() bool { return len(p.pauses()) == n+1 })
	}
	for _, pause := range p.pauses() {
		if pause > quick.pause*6/5 {
			t.Errorf("a pause of %s", pause)
		}
	}
}

// After a crash our own search plays, until the process runs again and plays on.
func TestPool_recovers(t *testing.T) {
	t.Parallel()
	p := openPool(t, "once:"+filepath.Join(t.TempDir(), "crashed"), 1,
		func(_ *config.Engine, t *timing) { t.pause = time.Second })
	p.play("a", external.ErrExited)
	fixture.Until(t, "it waits", func() bool { return len(p.pauses()) == 1 })
	p.play("a", errNotRunning)
	p.awaitRunning(1)
	p.play("a", nil)
	if games := fmt.Sprint(p.games()); games != "[a]" {
		t.Errorf("the places belong to %s", games)
	}
}

// A process that fails, in a search or between two, is replaced; no search waits for its end.
func TestPool_replaces(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string][]error{
		"hang":       {errLate},
		"late":       {errLate},
		"flood":      {errLate, external.ErrFlood},
		"idle-flood": nil,
		"ok":         {errPanicked}, // in the report
	} {
		t.Run(behavior, func(t *testing.T) {
			t.Parallel()
			p := openPool(t, behavior, 1)
			if len(want) > 0 {
				l, report := clocks, func(engine.Info) {}
				l.MoveTime = 50 * time.Millisecond
				if behavior == "ok" {
					l, report = engine.Limits{Infinite: true}, func(engine.Info) { panic(errPanicked) }
				}
				began := time.Now()
				err := p.searchPanicking(l, report)
				is := func(target error) bool { return errors.Is(err, target) }
				if took := time.Since(began); !slices.ContainsFunc(want, is) || took > 30*time.Second {
					t.Errorf("after %s: %v", took, err)
				}
			}
			fixture.Until(t, "the process is replaced", func() bool { return len(p.starts()) > 1 })
			if behavior == "ok" { // the next one is not busy with the last search
				p.awaitRunning(1)
				p.play("a", nil)
			}
		})
	}
}

// searchPanicking searches, and returns the error with which the report has panicked, if it has.
func (p *testPool) searchPanicking(l engine.Limits, report func(engine.Info)) (err error) {
	defer func() {
		if value, panicked := recover().(error); panicked {
			err = value
		}
	}()
	_, err = p.Search(p.Context(), "a", fixture.Game(p), l, 50*time.Millisecond, report)
	return err
}

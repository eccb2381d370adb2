package mover

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/logtest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// A program that cannot be used is reported, unless it may just be slow.
func TestPool_AwaitReady(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ command, option, want string }{
		{"/no/such/engine", "", `engine.command: start engine "/no/such/engine": `},
		{"'x", "", "a quote ' is not closed"},
		{command(t, "chess"), "", "Chess only does not play crazyhouse: its option UCI_Variant has no such value"},
		{command(t, "ok"), "Contempt", `has no option "Contempt"`},
		{command(t, "crash-at-start"), "", `the engine ended: exit status 4 (it said "no network file")`},
		{command(t, "silent"), "", context.DeadlineExceeded.Error()},
	} {
		e := config.Engine{Command: tt.command, Processes: 2}
		if tt.option != "" {
			e.Options = []config.Option{{Name: tt.option, Value: "1"}}
		}
		timing := quick
		ctx, wantSearch := t.Context(), ErrNotRunning
		if tt.want == context.DeadlineExceeded.Error() {
			timing.start, wantSearch = 100*time.Millisecond, ErrStarting
			short, cancel := context.WithTimeout(ctx, 400*time.Millisecond)
			defer cancel()
			ctx = short
		}
		p := newPool(t.Context(), e, Options{}, timing)
		defer p.Close()
		p.Start()
		if err := p.AwaitReady(ctx); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.command, err, tt.want)
		}
		if _, err := p.Search(t.Context(), "a", rulestest.Game(t), someTime, time.Second, nil); !errors.Is(err, wantSearch) {
			t.Errorf("%s: a search returned %v, want %v", tt.command, err, wantSearch)
		}
	}
}

// A program that keeps crashing is started again with growing pauses.
func TestPool_restarts(t *testing.T) {
	t.Parallel()
	p, s, out := openPool(t, "crash", 1, quick)
	for n := range 3 {
		waittest.Until(t, "the process runs", func() bool { return len(s.all()) == n+1 && p.alive() == 1 })
		if _, err := p.Search(t.Context(), "a", rulestest.Game(t), someTime, time.Second, nil); !errors.Is(err, external.ErrExited) {
			t.Fatal(err)
		}
	}
	waittest.Until(t, "the log tells of three restarts", func() bool { return out.Count("it is started again") == 3 })
	if list := pauses(t, out); !slices.IsSorted(list) || list[2] < 2*list[0] {
		t.Errorf("pauses %v", list)
	}
	if n := out.Count("(it said "); n != 3 {
		t.Errorf("standard error is quoted %d times", n)
	}
	if _, err := p.Search(t.Context(), "a", rulestest.Game(t), someTime, time.Second, nil); err == nil {
		t.Error("a search while the program crashes")
	}
}

// pauses returns the logged pauses before restarts.
func pauses(t *testing.T, log *logtest.Log) (list []time.Duration) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var entry struct {
			RetryIn string `json:"retry_in"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if pause, err := time.ParseDuration(entry.RetryIn); err == nil {
			list = append(list, pause)
		}
	}
	return list
}

// A program that floods while nobody searches is noticed, and started again.
func TestPool_idleFlood(t *testing.T) {
	t.Parallel()
	_, s, out := openPool(t, "idle-flood", 1, quick)
	waittest.Until(t, "the process is replaced", func() bool { return len(s.all()) > 1 })
	if !strings.Contains(out.String(), external.ErrFlood.Error()) {
		t.Errorf("the log says\n%s", out)
	}
}

// The pauses of a program that works for a while begin again.
func TestPool_restartsProvenProgram(t *testing.T) {
	t.Parallel()
	p, s, out := openPool(t, "ok", 1, quick)
	for n := range 4 {
		waittest.Until(t, "the process runs", func() bool { return len(s.all()) == n+1 && p.alive() == 1 })
		for range provenAnswers {
			if _, err := p.Search(t.Context(), "a", rulestest.Game(t), someTime, time.Second, nil); err != nil {
				t.Fatal(err)
			}
		}
		s.all()[n].Kill()
		waittest.Until(t, "the restart is logged", func() bool { return len(pauses(t, out)) == n+1 })
	}
	for _, pause := range pauses(t, out) {
		if pause > quick.pause*6/5 {
			t.Errorf("a pause of %s", pause)
		}
	}
}

// After a crash the game gets a new process and goes on.
func TestPool_recovers(t *testing.T) {
	t.Parallel()
	p, _, _ := openPool(t, "once:"+filepath.Join(t.TempDir(), "crashed"), 1, quick)
	g := rulestest.Game(t)
	if _, err := p.Search(t.Context(), "a", g, someTime, time.Second, nil); !errors.Is(err, external.ErrExited) {
		t.Fatal(err)
	}
	if _, err := p.Search(t.Context(), "a", g, someTime, time.Second, nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("at once: %v", err)
	}
	waittest.Until(t, "the process runs again", func() bool { return p.alive() == 1 })
	if _, err := p.Search(t.Context(), "a", g, someTime, time.Second, nil); err != nil {
		t.Error(err)
	}
}

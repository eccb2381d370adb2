//go:build unix

package mover

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// A stopped process is noticed before the time of the move is spent, and is killed.
func TestPool_Search_stoppedProcess(t *testing.T) {
	t.Parallel()
	timing := quick
	timing.answer = 300 * time.Millisecond
	p, s, _ := openPool(t, "ok", 1, timing)
	g := rulestest.Game(t)
	if _, err := p.Search(t.Context(), "a", g, someTime, time.Second, nil); err != nil {
		t.Fatal(err)
	}
	pid := s.all()[0].Pid()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Wait4(pid, nil, syscall.WUNTRACED, nil); err != nil { // until all its threads are stopped
		t.Fatal(err)
	}
	began := time.Now()
	_, err := p.Search(t.Context(), "a", g, engine.Limits{MoveTime: time.Hour}, time.Second, nil)
	if took := time.Since(began); !errors.Is(err, ErrLate) && !errors.Is(err, external.ErrTimeout) || took > time.Minute {
		t.Errorf("after %s: %v", took, err)
	}
	waittest.Until(t, "it is killed", func() bool { return p.alive() == 1 && len(s.all()) == 2 })
	if _, err := p.Search(t.Context(), "a", g, someTime, time.Second, nil); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

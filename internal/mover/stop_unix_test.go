//go:build unix

package mover

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/fixture"
)

// A stopped process is noticed before the time of the move is spent, and is killed.
func TestPool_Search_stoppedProcess(t *testing.T) {
	t.Parallel()
	p := openPool(t, "ok", 1, func(_ *config.Engine, t *timing) { t.answer = 300 * time.Millisecond })
	p.play("a", nil)
	pid := p.starts()[0].Pid()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.Wait4(pid, nil, syscall.WUNTRACED, nil); err != nil { // until all its threads are stopped
		t.Fatal(err)
	}
	began := time.Now()
	_, err := p.Search(t.Context(), "a", fixture.Game(t), engine.Limits{MoveTime: time.Hour}, time.Second, nil)
	if took := time.Since(began); !errors.Is(err, external.ErrTimeout) || took > time.Minute {
		t.Errorf("after %s: %v", took, err)
	}
	fixture.Until(t, "it is replaced", func() bool { return len(p.starts()) == 2 })
	p.awaitRunning(1)
	p.play("a", nil)
}

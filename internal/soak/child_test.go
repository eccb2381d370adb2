package soak

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/uci/ucitest"
	"github.com/zhbot/zhbot/internal/file"
)

func newTestChild(t *testing.T) *child {
	return &child{
		command: external.Command{Line: ucitest.Command(t, "crash")}, log: io.Discard,
		program: programFile{path: filepath.Join(t.TempDir(), "program"), zhbot: "true"},
	}
}

// await waits until a child runs, or until it does not.
func await(t *testing.T, b *child, running bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); (b.pid() != 0) != running; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("running %t", !running)
		}
	}
}

// A child that is drained between two starts is not started again.
func TestChild_DrainBetweenStarts(t *testing.T) {
	b, ended := newTestChild(t), make(chan error, 1)
	go func() { ended <- b.run(t.Context()) }()
	await(t, b, true)
	b.kill()
	await(t, b, false)
	b.drain()
	if err := <-ended; err != nil || b.starts != 1 || len(b.failures) > 0 {
		t.Errorf("%d starts, %v, %v", b.starts, b.failures, err)
	}
}

// An interrupted soak leaves no child.
func TestChild_Interrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b, ended := newTestChild(t), make(chan error, 1)
	go func() { ended <- b.run(ctx) }()
	await(t, b, true)
	cancel()
	if err := <-ended; err != context.Canceled || b.pid() != 0 || len(b.failures) > 0 {
		t.Errorf("process %d, %v, %v", b.pid(), b.failures, err)
	}
}

// Only an end that was asked for, or for lack of the program, is no failure; after too many
// failures the child is not started again.
func TestChild_Ended(t *testing.T) {
	exit := func(code string) error { return exec.CommandContext(t.Context(), "sh", "-c", "exit "+code).Run() }
	b := newTestChild(t)
	if err := b.ended(exit("1")); err != nil || len(b.failures) > 0 || !file.Exists(b.program.path) {
		t.Errorf("without the program: %v, %v", b.failures, err)
	}
	b = newTestChild(t)
	if err := b.ended(exit("2")); err != nil || len(b.failures) != 1 {
		t.Errorf("a panic: %v, %v", b.failures, err)
	}
	b.draining = true
	if err := b.ended(nil); err != nil || len(b.failures) != 1 {
		t.Errorf("drained: %v, %v", b.failures, err)
	}
	var err error
	for range maxFailures {
		err = b.ended(exit("3"))
	}
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("after %d failures: %v", len(b.failures), err)
	}
}

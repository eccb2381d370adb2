package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/fixture"
)

func newTestChild(t *testing.T) *child {
	return &child{
		command: external.Command{Line: enginetest.Command(t, "crash"), Stderr: io.Discard},
		program: filepath.Join(t.TempDir(), "program"), self: "true",
	}
}

// await waits until a child runs, or until it does not.
func await(t *testing.T, c *child, running bool) {
	t.Helper()
	fixture.Until(t, fmt.Sprintf("running %t", running), func() bool { return (c.pid() != 0) == running })
}

// A child that is drained between two starts is not started again.
func TestChild_DrainBetweenStarts(t *testing.T) {
	c, ended := newTestChild(t), make(chan error, 1)
	go func() { ended <- c.run(t.Context()) }()
	await(t, c, true)
	c.kill(false)
	await(t, c, false)
	c.drain()
	if err := <-ended; err != nil || c.starts != 1 || len(c.failures) > 0 {
		t.Errorf("%d starts, %v, %v", c.starts, c.failures, err)
	}
}

// The child's command line does not show that of its engine.
func TestNewChild(t *testing.T) {
	settings, dir := config.Default(), t.TempDir()
	settings.Engine.Command = "x uci"
	c, err1 := newChild(&settings, "", dir, io.Discard)
	got, err2 := config.Load(config.Source{File: filepath.Join(dir, "config.yaml")})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if got.Engine.Command != "x uci" || strings.Contains(c.command.Line, "engine.command") {
		t.Errorf("engine %q, started by %s", got.Engine.Command, c.command.Line)
	}
}

// An interrupted soak leaves no child.
func TestChild_Interrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, ended := newTestChild(t), make(chan error, 1)
	go func() { ended <- c.run(ctx) }()
	await(t, c, true)
	cancel()
	if err := <-ended; err != context.Canceled || c.pid() != 0 || len(c.failures) > 0 {
		t.Errorf("process %d, %v, %v", c.pid(), c.failures, err)
	}
}

// Only an end that was asked for, or for lack of the program, is no failure; after too many
// failures the child is not started again.
func TestChild_Ended(t *testing.T) {
	exit := func(code string) error { return exec.CommandContext(t.Context(), "sh", "-c", "exit "+code).Run() }
	c := newTestChild(t)
	if err := c.ended(exit("1")); err != nil || len(c.failures) > 0 || !file.Exists(c.program) {
		t.Errorf("without the program: %v, %v", c.failures, err)
	}
	c = newTestChild(t)
	if err := c.ended(exit("2")); err != nil || len(c.failures) != 1 {
		t.Errorf("a panic: %v, %v", c.failures, err)
	}
	c.draining = true
	if err := c.ended(nil); err != nil || len(c.failures) != 1 {
		t.Errorf("drained: %v, %v", c.failures, err)
	}
	var err error
	for range maxFailures {
		err = c.ended(exit("3"))
	}
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("after %d failures: %v", len(c.failures), err)
	}
}

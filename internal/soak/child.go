package soak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/file"
)

// child is the bot as a process of its own, "zhbot run", which is started again whenever it
// ends. Some of its contenders are played by a program: our own search, started by a script
// that can be slow, or missing.
type child struct {
	command       external.Command
	program, self string // files: the script, and zhbot

	mu       sync.Mutex        // guards the fields below
	process  *external.Process // nil while there is none
	draining bool              // it ends and is not started again
	killed   bool              // so that its end is expected
	starts   int
	failures []string // unexpected ends
}

const (
	restartPause = 200 * time.Millisecond
	// drainTimeout is how long a child without games may take to end.
	drainTimeout = 30 * time.Second
	// maxFailures is how often a child may end unexpectedly before the soak is given up.
	maxFailures = 10
	// slowestStart is the longest that the program takes to start.
	slowestStart = 8 * time.Second
)

// childSettings are in the child's file: contenders that share the games (our own search, a
// program, and one that only a game of an earlier run can have), and the command of the engine,
// in which there may be secrets.
const childSettings = `engine: {command: %[2]q}
contenders:
  - {name: own, weight: 2}
  - {name: program, weight: 1, command: %[1]q}
  - {name: retired, weight: 0, command: %[1]q, options: ["Skill Level=19"]}
`

// newChild prepares a child with settings for a folder.
func newChild(settings *config.Config, token config.Secret, folder string, log io.Writer) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{program: filepath.Join(folder, "program"), self: self}
	path := filepath.Join(folder, "config.yaml")
	text := fmt.Appendf(nil, childSettings, "'"+c.program+"'", settings.Engine.Command)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	line, usual := fmt.Sprintf("'%s' run --config '%s'", self, path), config.Default()
	for _, key := range config.Diff(settings, &usual) {
		if key != "engine.command" {
			line += fmt.Sprintf(" --set '%s=%s'", key, config.Format(settings, key))
		}
	}
	c.command.Line, c.command.Stderr = line, log
	ours := func(v string) bool { return strings.HasPrefix(v, "ZHBOT_") }
	c.command.Env = append(slices.DeleteFunc(os.Environ(), ours),
		"ZHBOT_LICHESS_TOKEN="+token.Reveal())
	return c, nil
}

// restoreProgram writes the script, which starts the program after a delay.
func (c *child) restoreProgram(delay time.Duration) error {
	script := fmt.Sprintf("#!/bin/sh\nsleep %.1f\nexec '%s' uci\n", delay.Seconds(), c.self)
	written := c.program + ".new" // since a script that is being written cannot be executed
	//nolint:gosec // it is executed
	if err := os.WriteFile(written, []byte(script), 0o700); err != nil {
		return err
	}
	return os.Rename(written, c.program)
}

// spoilProgram makes the next start of the program slow, or impossible.
func (c *child) spoilProgram(rng *rand.Rand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if rng.IntN(2) == 0 {
		_ = os.Remove(c.program)
		return
	}
	_ = c.restoreProgram(time.Duration(rng.Int64N(int64(slowestStart))))
}

// run starts the child, again and again, until it has drained or the context ends.
func (c *child) run(ctx context.Context) error {
	if err := c.restoreProgram(0); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { c.kill(true) })()
	for {
		p, err := c.start()
		if p == nil {
			return cmp.Or(err, ctx.Err())
		}
		<-p.Done()
		if err := errors.Join(c.ended(p.ExitError()), p.Close()); err != nil {
			return err
		}
		time.Sleep(restartPause)
	}
}

// start starts the child. It returns nil if it is draining.
func (c *child) start() (*external.Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return nil, nil
	}
	p, err := c.command.Start()
	if err != nil {
		return nil, fmt.Errorf("start the bot: %w", err)
	}
	c.process, c.killed = p, false
	c.starts++
	return p, nil
}

// ended records how the child ended. If it did for lack of a program, as its log says, the
// program is restored, as an operator would.
func (c *child) ended(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.process = nil
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode() // -1 if a signal ended it
	}
	switch {
	case c.killed, c.draining && code <= 0: // SIGTERM may come before the child handles it
	case code == 1 && !file.Exists(c.program):
		return c.restoreProgram(0)
	default:
		c.failures = append(c.failures, fmt.Sprintf("start %d of the bot: %v", c.starts, err))
	}
	if n := len(c.failures); n >= maxFailures {
		return fmt.Errorf("the bot ended %d times; the last was %s", n, c.failures[n-1])
	}
	return nil
}

// pid returns the process id of the child, 0 while there is none.
func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil {
		return 0
	}
	return c.process.Pid()
}

// kill kills the child without notice, for good or to be started again.
func (c *child) kill(forGood bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining = c.draining || forGood
	if c.process != nil {
		c.killed = true
		c.process.Kill()
	}
}

// drain ends the child once its games are over, and kills it if it does not end.
func (c *child) drain() {
	c.mu.Lock()
	c.draining = true
	p := c.process
	c.mu.Unlock()
	if p == nil {
		return
	}
	if process, err := os.FindProcess(p.Pid()); err == nil {
		_ = process.Signal(syscall.SIGTERM)
	}
	select {
	case <-p.Done():
	case <-time.After(drainTimeout):
		c.mu.Lock()
		c.failures = append(c.failures, fmt.Sprintf("start %d: it did not end within %s", c.starts, drainTimeout))
		c.mu.Unlock()
		c.kill(true)
	}
}

package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/zhbot/zhbot/config"
)

// child is the bot as a process of its own, "zhbot run", which is started again whenever it
// ends.
type child struct {
	command []string // the program and its arguments
	env     []string
	log     io.Writer // gets what it logs
	program programFile

	mu       sync.Mutex // guards the fields below
	process  *os.Process
	reader   *os.File // of its log
	draining bool     // it ends and is not started again
	killed   bool     // so that its end is no surprise
	starts   int
	failures []string // ends that were not asked for
}

const (
	restartPause = 200 * time.Millisecond
	// drainTimeout is how long a child without games may take to end.
	drainTimeout = 30 * time.Second
)

// newChild prepares a child with settings for a folder. Its name servers may be nil.
func newChild(c *config.Config, token config.Secret, folder string, names *nameServers, log io.Writer) (*child, error) {
	zhbot, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &child{log: log, program: programFile{path: filepath.Join(folder, "program"), zhbot: zhbot}}
	settings := filepath.Join(folder, "config.yaml")
	if err := writeSettings(settings, c, b.program.path); err != nil {
		return nil, err
	}
	b.command = names.wrap([]string{zhbot, "run", "--config", settings})
	b.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ZHBOT_") }),
		"ZHBOT_LICHESS_TOKEN="+token.Reveal(), "GODEBUG=netdns=go")
	return b, nil
}

// contenders share the games: our own search, a program, and one that only a game of an
// earlier run can have.
const contenders = `contenders:
  - {name: own, weight: 2}
  - {name: program, weight: 1, command: %[1]q}
  - {name: retired, weight: 0, command: %[1]q, options: ["Skill Level=19"]}
`

// writeSettings writes a config file with the settings that differ from the defaults.
func writeSettings(path string, c *config.Config, program string) error {
	usual, changes := config.Default(), []config.Change(nil)
	for _, key := range config.Diff(c, &usual) {
		changes = append(changes, config.Change{Key: key, Value: strings.Trim(config.Format(c, key), "[]")})
	}
	text, err := config.Edit(path, nil, changes)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, fmt.Sprintf(contenders, "'"+program+"'")...), 0o600)
}

// run starts the child, again and again, until it has drained or the context ends.
func (b *child) run(ctx context.Context) error {
	if err := b.program.restore(0); err != nil {
		return err
	}
	for {
		wait, err := b.start(ctx)
		if err != nil {
			return fmt.Errorf("start the bot: %w", err)
		}
		lacked := b.ended(wait())
		if b.isDraining() || ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(restartPause)
		if lacked { // the log says so, and an operator would see to it
			if err := b.program.restore(0); err != nil {
				return err
			}
		}
	}
}

// start starts the child; wait returns the error with which it ends.
func (b *child) start(ctx context.Context) (wait func() error, err error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer writer.Close()
	cmd := exec.CommandContext(ctx, b.command[0], b.command[1:]...) //nolint:gosec // our own program
	cmd.Env, cmd.Stderr = b.env, writer
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, reader.Close())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.process, b.reader, b.killed = cmd.Process, reader, false
	b.starts++
	return func() error {
		_, _ = io.Copy(b.log, reader) // until the child ends, or its log is cut off
		err := cmd.Wait()
		b.cutLog()
		return err
	}, nil
}

// ended records how the child ended, and reports whether it did for lack of a program.
func (b *child) ended(err error) (lacked bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.process = nil
	lacked = !b.killed && b.program.isMissing()
	if asked := b.killed || b.draining && err == nil; !asked && !lacked {
		b.failures = append(b.failures, fmt.Sprintf("start %d of the bot: %v", b.starts, err))
	}
	return lacked
}

func (b *child) isDraining() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.draining
}

// pid returns the process id of the child, 0 while there is none.
func (b *child) pid() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.process == nil {
		return 0
	}
	return b.process.Pid
}

// kill kills the child without notice.
func (b *child) kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.process != nil && !b.draining {
		b.killed = true
		_ = b.process.Kill()
	}
}

// cutLog closes the reader of the child's log.
func (b *child) cutLog() {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.reader.Close()
}

// drain ends the child once its games are over, and kills it if it does not end.
func (b *child) drain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draining = true
	if p := b.process; p != nil {
		_ = p.Signal(syscall.SIGTERM)
		time.AfterFunc(drainTimeout, func() { _ = p.Kill() })
	}
}

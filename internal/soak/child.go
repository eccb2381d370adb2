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
	"sync/atomic"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/file"
)

// child is the bot as a process of its own, "zhbot run", which is started again whenever it
// ends.
type child struct {
	command external.Command
	log     io.Writer // gets what it logs

	mu       sync.Mutex // guards the fields below
	program  programFile
	process  *external.Process // nil while there is none
	reader   *logReader
	draining bool // it ends and is not started again
	killed   bool // so that its end is expected
	starts   int
	failures []string // unexpected ends
}

const (
	restartPause = 200 * time.Millisecond
	// drainTimeout is how long a child without games may take to end.
	drainTimeout = 30 * time.Second
	// maxFailures is how often a child may end unexpectedly before the soak is given up.
	maxFailures = 10
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
	b.command.Line = names.wrap(fmt.Sprintf("'%s' run --config '%s'", zhbot, settings))
	b.command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ZHBOT_") }),
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
	usual, settings := config.Default(), map[string]any{}
	for _, key := range config.Diff(c, &usual) {
		section, names := settings, strings.Split(key, ".")
		for _, name := range names[:len(names)-1] {
			if section[name] == nil {
				section[name] = map[string]any{}
			}
			section = section[name].(map[string]any)
		}
		text := config.Format(c, key)
		section[names[len(names)-1]] = text
		if strings.HasPrefix(text, "[") {
			section[names[len(names)-1]] = strings.Split(strings.Trim(text, "[]"), ", ")
		}
	}
	text, err := yaml.Marshal(settings)
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
	defer context.AfterFunc(ctx, b.abort)()
	for {
		p, err := b.start()
		if p == nil {
			return cmp.Or(err, ctx.Err())
		}
		<-p.Done()
		if err := errors.Join(b.ended(p.ExitError()), p.Close()); err != nil {
			return err
		}
		time.Sleep(restartPause)
	}
}

// start starts the child. It returns nil if it is draining.
func (b *child) start() (*external.Process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.draining {
		return nil, nil
	}
	b.reader = &logReader{Writer: b.log}
	command := b.command
	command.Stderr = b.reader
	p, err := command.Start()
	if err != nil {
		return nil, fmt.Errorf("start the bot: %w", err)
	}
	b.process, b.killed = p, false
	b.starts++
	return p, nil
}

// ended records how the child ended. If it did for lack of a program, as its log says, the
// program is restored, as an operator would.
func (b *child) ended(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.process = nil
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode() // -1 if a signal ended it
	}
	switch {
	case b.killed, b.draining && code <= 0: // SIGTERM may come before the child handles it
	case code == 1 && !file.Exists(b.program.path):
		return b.program.restore(0)
	default:
		b.failures = append(b.failures, fmt.Sprintf("start %d of the bot: %v", b.starts, err))
	}
	if n := len(b.failures); n >= maxFailures {
		return fmt.Errorf("the bot ended %d times; the last was %s", n, b.failures[n-1])
	}
	return nil
}

// pid returns the process id of the child, 0 while there is none.
func (b *child) pid() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.process == nil {
		return 0
	}
	return b.process.Pid()
}

// kill kills the child without notice.
func (b *child) kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.process != nil {
		b.killed = true
		b.process.Kill()
	}
}

// abort kills the child for good.
func (b *child) abort() {
	b.mu.Lock()
	b.draining = true
	b.mu.Unlock()
	b.kill()
}

// spoilProgram makes the next start of the engine program slow, or impossible.
func (b *child) spoilProgram(rng *rand.Rand) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.program.spoil(rng)
}

// cutLog ends the reader of the child's log.
func (b *child) cutLog() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reader.cut.Store(true)
}

// drain ends the child once its games are over, and kills it if it does not end.
func (b *child) drain() {
	b.mu.Lock()
	b.draining = true
	p := b.process
	b.mu.Unlock()
	if p == nil {
		return
	}
	if process, err := os.FindProcess(p.Pid()); err == nil {
		_ = process.Signal(syscall.SIGTERM)
	}
	select {
	case <-p.Done():
	case <-time.After(drainTimeout):
		b.mu.Lock()
		b.failures = append(b.failures, fmt.Sprintf("start %d of the bot: it did not end within %s", b.starts, drainTimeout))
		b.mu.Unlock()
		b.kill()
	}
}

// logReader passes on what a child logs until it is cut off; the next line then ends it.
type logReader struct {
	io.Writer
	cut atomic.Bool
}

func (l *logReader) Write(b []byte) (int, error) {
	if l.cut.Load() {
		return 0, io.ErrClosedPipe
	}
	return l.Writer.Write(b)
}

package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// killAfter is how long an engine may take to exit after its input was closed or its
// context ended.
const killAfter = 2 * time.Second

// Process is a running engine program, for [New]: Read reads its standard
// output, Write writes its standard input.
type Process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	stderr tail
	exited chan struct{}
	err    error // of Wait, once exited is closed
}

// Command is a program to start.
type Command struct {
	Line   string    // split at spaces outside quotes; no shell is involved
	Env    []string  // "NAME=value"; nil means this process's, without zhbot's settings
	Stderr io.Writer // gets its standard error; nil for nobody
}

// StartProcess starts a program by its command line, and kills it if it still runs 2
// seconds after the context is done.
func StartProcess(ctx context.Context, command string) (*Process, error) {
	p, err := Command{Line: command}.Start()
	if err == nil {
		context.AfterFunc(ctx, p.killUnlessExited)
	}
	return p, err
}

// Start starts the program. Its error does not show the arguments, which may be secret.
func (c Command) Start() (*Process, error) {
	words, err := splitWords(c.Line)
	if err != nil {
		return nil, fmt.Errorf("start engine: %w", err)
	}
	path, err := findProgram(words[0])
	if err != nil {
		return nil, fmt.Errorf("start engine %q: %w", words[0], err)
	}
	program := exec.Command(path, words[1:]...) //nolint:noctx // Close ends it
	program.Env = c.Env
	if c.Env == nil {
		program.Env = slices.DeleteFunc(os.Environ(), isSetting)
	}
	p := &Process{cmd: program, exited: make(chan struct{})}
	program.Stderr = &p.stderr
	if c.Stderr != nil {
		program.Stderr = io.MultiWriter(&p.stderr, c.Stderr)
	}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("start engine %q: %w", words[0], err)
	}
	return p, nil
}

// gamesDir is where Debian installs engines; services and root lack it in their PATH.
const gamesDir = "/usr/games"

// findProgram returns the path of a program.
func findProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if !errors.Is(err, exec.ErrNotFound) {
		return path, err
	}
	if path, err := exec.LookPath(filepath.Join(gamesDir, name)); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("%w or %s: install it, or give its path", err, gamesDir)
}

// isSetting reports whether a variable of the environment is a setting of zhbot: some are
// secret, and none concerns an engine.
func isSetting(variable string) bool { return strings.HasPrefix(strings.ToUpper(variable), "ZHBOT_") }

func (p *Process) start() error {
	detach(p.cmd)
	p.cmd.WaitDelay = killAfter // for children that keep standard error open
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer childOut.Close()
	p.in, p.out, p.cmd.Stdout = in, out, childOut
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		out.Close()
		return err
	}
	return nil
}

// run starts the program and waits for its exit, on one thread: the program does not
// outlive the thread that has started it (see detach).
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	kill(p.cmd) // the children that it has left behind
	close(p.exited)
}

// Read reads the program's output. At its end the error is the program's exit error, if
// any, else io.EOF.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	select {
	case <-p.exited:
		if err := p.ExitError(); err != nil {
			return n, err
		}
	case <-time.After(killAfter): // still running with its output closed
	}
	return n, io.EOF
}

// Done returns a channel that is closed when the program has exited.
func (p *Process) Done() <-chan struct{} { return p.exited }

// ExitError returns the exit error of a program that is done, with the last line of its
// standard error, and nil if it ended without an error.
func (p *Process) ExitError() error {
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("%w%s", p.err, p.stderr.last())
}

// Pid returns the program's process id, which is also that of its process group on Unix.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Kill kills the program and its children at once, even if they are stopped. Close still
// has to be called.
func (p *Process) Kill() { kill(p.cmd) }

// Write writes to the program's input.
func (p *Process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close closes the program's input, and kills the program if it has not exited after 2
// seconds.
func (p *Process) Close() error {
	_ = p.in.Close() // the program may have exited already
	p.killUnlessExited()
	<-p.exited
	return p.out.Close()
}

// killUnlessExited kills the program if it has not exited after killAfter.
func (p *Process) killUnlessExited() {
	select {
	case <-p.exited:
	case <-time.After(killAfter):
		kill(p.cmd)
	}
}

// splitWords splits a command line at spaces outside quotes of either kind.
func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	inWord := false
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	case len(words) == 0 || words[0] == "":
		return nil, errors.New("the command names no program")
	}
	return words, nil
}

// tail keeps the last bytes written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 2048

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(b), nil
}

// last returns the last line, formatted as a suffix of an error.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if line := strings.TrimSpace(lines[len(lines)-1]); line != "" {
		return fmt.Sprintf(" (it said %q)", line)
	}
	return ""
}

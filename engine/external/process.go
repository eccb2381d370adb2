package external

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// killAfter is how long an engine may take to exit after its input was closed.
const killAfter = 2 * time.Second

// Process is a running engine program, for [NewUCI] or [NewCECP]: Read reads its standard
// output, Write writes its standard input.
type Process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	stderr tail
	exited chan struct{}
	err    error // of Wait, once exited is closed
}

// StartProcess starts a program. The command is split at spaces outside quotes; no shell
// is involved.
func StartProcess(command string) (*Process, error) {
	words, err := splitWords(command)
	if err != nil {
		return nil, fmt.Errorf("start engine %q: %w", command, err)
	}
	program := exec.Command(words[0], words[1:]...) //nolint:noctx // Close ends it
	p := &Process{cmd: program, exited: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("start engine %q: %w", command, err)
	}
	return p, nil
}

func (p *Process) start() error {
	detach(p.cmd)
	p.cmd.Stderr = &p.stderr
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
	if err := p.cmd.Start(); err != nil {
		out.Close()
		return err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	return nil
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
		if p.err != nil {
			return n, fmt.Errorf("%w%s", p.err, p.stderr.last())
		}
	case <-time.After(killAfter): // still running with its output closed
	}
	return n, io.EOF
}

// Write writes to the program's input.
func (p *Process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close closes the program's input, and kills the program if it has not exited after 2
// seconds.
func (p *Process) Close() error {
	_ = p.in.Close() // the program may have exited already
	select {
	case <-p.exited:
	case <-time.After(killAfter):
		kill(p.cmd)
		<-p.exited
	}
	return p.out.Close()
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

package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Prompt asks questions and reads the answers, a line each. It must be used by one
// goroutine at a time, and not after a question whose context has ended: its reader stays
// blocked.
type Prompt struct {
	in    *os.File
	lines *bufio.Reader
	out   io.Writer
}

// NewPrompt returns a prompt that writes questions to out. It is nil if nobody can be asked:
// both ends must be terminals.
func NewPrompt(in io.Reader, out io.Writer) *Prompt {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || !Is(out) {
		return nil
	}
	return &Prompt{in: f, lines: bufio.NewReader(f), out: out}
}

// Line asks a question and returns the answer without the space around it. The error is
// [io.EOF] if the input has ended, or that of the context.
func (p *Prompt) Line(ctx context.Context, question string) (string, error) {
	fmt.Fprint(p.out, question)
	return await(ctx, func() (string, error) {
		text, err := p.lines.ReadString('\n')
		if text = strings.TrimSpace(text); text != "" && errors.Is(err, io.EOF) {
			err = nil
		}
		return text, err
	})
}

// Secret is Line for an answer that the terminal does not show, not even while it prints
// the question. Ctrl-C ends the input.
func (p *Prompt) Secret(ctx context.Context, question string) (string, error) {
	fd := int(p.in.Fd())
	shown, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{p.in, p.out}, "")
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		_ = screen.SetSize(width, height) // only this prompt's lines depend on it
	}
	text, err := await(ctx, func() (string, error) { return screen.ReadPassword(question) })
	err = errors.Join(err, term.Restore(fd, shown))
	if err != nil {
		fmt.Fprintln(p.out)
	}
	return strings.TrimSpace(text), err
}

// await returns what read returns, or the context's error if it ends first.
func await(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := read()
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// MaxLine is the maximum length of a line of the protocol in bytes. A game of 600 plies needs
// 3,600.
const MaxLine = 1 << 16

// readLines reads lines on its own goroutine, up to and including quit. Input without one
// ends in endOfInput or, after a read error, which is sent to the second channel, in quit.
func readLines(ctx context.Context, in io.Reader) (<-chan string, <-chan error) {
	lines, readErr := make(chan string), make(chan error, 1)
	go func() {
		r := bufio.NewReaderSize(in, MaxLine)
		for {
			line, err := ReadLine(r, tooLong)
			if err != nil && line == "" {
				line = endOfInput
				if !errors.Is(err, io.EOF) {
					line = "quit"
					readErr <- err
				}
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
			if name, _ := splitCommand(line); name == "quit" || name == endOfInput {
				return
			}
		}
	}()
	return lines, readErr
}

// ReadLine returns the next line of a reader, trimmed. A line that is longer than its buffer
// is skipped, and substitute returned for it.
func ReadLine(r *bufio.Reader, substitute string) (string, error) {
	part, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return strings.TrimSpace(string(part)), err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	return substitute, err
}

// Commands that stand for what is no line.
const (
	tooLong    = "\x00" // a line longer than MaxLine
	endOfInput = "\x04"
)

// splitCommand returns the first word of a line and the others.
func splitCommand(line string) (name string, args []string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", nil
	}
	return words[0], words[1:]
}

// lineWriter writes complete lines and is safe for concurrent use. After an error it
// writes nothing.
type lineWriter struct {
	mu       sync.Mutex
	w        io.Writer
	firstErr error
	onError  func() // called on the first error
}

func (w *lineWriter) writeLine(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.firstErr != nil {
		return
	}
	if _, w.firstErr = fmt.Fprintf(w.w, format+"\n", args...); w.firstErr != nil {
		w.onError()
	}
}

// writeError reports an error to the user.
func (w *lineWriter) writeError(err error) {
	w.writeLine("info string error: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
}

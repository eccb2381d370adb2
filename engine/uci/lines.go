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

// maxLine bounds a command. The longest game of 600 plies needs 3,600 bytes.
const maxLine = 1 << 16

// readLines reads lines on its own goroutine, up to and including quit, and
// gives "quit" at the end of input. A read error goes to the second channel,
// before that quit.
func readLines(ctx context.Context, in io.Reader) (<-chan string, <-chan error) {
	lines, readErr := make(chan string), make(chan error, 1)
	go func() {
		r := bufio.NewReaderSize(in, maxLine)
		for {
			line, err := readLine(r)
			if err != nil && line == "" {
				line = "quit"
				if !errors.Is(err, io.EOF) {
					readErr <- err
				}
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
			if name, _ := splitCommand(line); name == "quit" {
				return
			}
		}
	}()
	return lines, readErr
}

// readLine returns the next line, trimmed. A line that is too long is read to
// its end and comes back as the command overlong.
func readLine(r *bufio.Reader) (string, error) {
	part, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return strings.TrimSpace(string(part)), err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	return tooLong, err
}

// tooLong stands for a line beyond maxLine. Nobody types it.
const tooLong = "\x00"

// splitCommand returns the first word of a line and the rest of its words.
func splitCommand(line string) (name string, args []string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", nil
	}
	return words[0], words[1:]
}

// lineWriter writes whole lines, from several goroutines. After an error it
// writes nothing more.
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

// writeError tells the user what is wrong with a command.
func (w *lineWriter) writeError(err error) {
	w.writeLine("info string error: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
}

func (w *lineWriter) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.firstErr
}

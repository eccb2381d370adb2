package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far long work has come: a bar on a terminal, a line now
// and then elsewhere, and nothing of work that is done in a moment.
type progress struct {
	bar      *progressbar.ProgressBar // nil while there is none
	terminal bool
	out      io.Writer
	total    int
	unit     string
	start    time.Time
	next     time.Time // when the bar appears, or the next line is due
}

const (
	progressBarAfter = time.Second
	progressLines    = 30 * time.Second // the time between lines where there is no terminal
)

func newProgress(out io.Writer, total int, unit string) *progress {
	p := &progress{out: out, total: total, unit: unit, start: time.Now(), terminal: isTerminal(out)}
	if p.terminal {
		p.next = p.start.Add(progressBarAfter)
	} else {
		p.next = p.start.Add(progressLines)
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (p *progress) set(done int) {
	now := time.Now()
	switch {
	case p.bar != nil:
		_ = p.bar.Set(min(done, p.total)) // a bar that cannot be drawn is no failure
	case now.Before(p.next):
	case p.terminal:
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(p.out), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(p.unit), progressbar.OptionThrottle(200*time.Millisecond))
		_ = p.bar.Set(min(done, p.total))
	default:
		p.next = now.Add(progressLines)
		took := now.Sub(p.start)
		fmt.Fprintf(p.out, "%d of %d %s, %.3g/s, %s\n", done, p.total, p.unit, float64(done)/took.Seconds(), took.Round(time.Second))
	}
}

// clear makes room for a line of output.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Exit()
		fmt.Fprintln(p.out)
	}
}

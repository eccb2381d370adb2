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
// and then elsewhere.
type progress struct {
	bar   *progressbar.ProgressBar // nil without a terminal
	out   io.Writer
	total int
	unit  string
	start time.Time
	next  time.Time // when the next line is due
}

// progressLines is the time between lines where there is no terminal.
const progressLines = 30 * time.Second

func newProgress(out io.Writer, total int, unit string) *progress {
	p := &progress{out: out, total: total, unit: unit, start: time.Now(), next: time.Now().Add(progressLines)}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit), progressbar.OptionThrottle(200*time.Millisecond))
	}
	return p
}

func (p *progress) set(done int) {
	if p.bar != nil {
		_ = p.bar.Set(min(done, p.total)) // a bar that can not be drawn is no failure
		return
	}
	if now := time.Now(); now.After(p.next) {
		p.next = now.Add(progressLines)
		took := now.Sub(p.start)
		fmt.Fprintf(p.out, "%d of %d %s, %.0f/s, %s\n", done, p.total, p.unit, float64(done)/took.Seconds(), took.Round(time.Second))
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

package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows how far long work has come: a bar on a terminal, a line now
// and then elsewhere, and nothing of work that is done in a moment.
type Progress struct {
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

// NewProgress begins to show work of so many units, such as "positions".
func NewProgress(out io.Writer, total int, unit string) *Progress {
	p := &Progress{out: out, total: total, unit: unit, start: time.Now(), terminal: Is(out)}
	p.next = p.start.Add(progressLines)
	if p.terminal {
		p.next = p.start.Add(progressBarAfter)
	}
	return p
}

// Set shows how many units are done.
func (p *Progress) Set(done int) {
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

// Clear makes room for a line of output.
func (p *Progress) Clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// Finish leaves the line of the bar.
func (p *Progress) Finish() {
	if p.bar != nil {
		_ = p.bar.Exit()
		fmt.Fprintln(p.out)
	}
}

package term

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows the progress of long work: as a bar on a terminal, as an occasional line
// elsewhere, and not at all if the work is done in a moment.
type Progress struct {
	bar      *progressbar.ProgressBar // nil while there is none
	terminal bool
	out      io.Writer
	total    int
	resumed  int // of those done, from an earlier run
	unit     string
	status   string // shown beside the progress
	start    time.Time
	next     time.Time // when the bar appears, or the next line is due
}

const (
	progressBarAfter = time.Second
	progressLines    = 30 * time.Second // the time between lines where there is no terminal
)

// NewProgress begins to show work of total units, such as "positions".
func NewProgress(out io.Writer, total int, unit string) *Progress {
	p := &Progress{out: out, total: total, unit: unit, start: time.Now(), terminal: Is(out)}
	p.next = p.start.Add(progressLines)
	if p.terminal {
		p.next = p.start.Add(progressBarAfter)
	}
	return p
}

// Resume sets how many of the finished units come from an earlier run: they took none of
// this run's time.
func (p *Progress) Resume(done int) { p.resumed = done }

// SetStatus sets what is shown beside the progress, such as a score.
func (p *Progress) SetStatus(status string) { p.status = status }

// Set shows how many units are done.
func (p *Progress) Set(done int) {
	now := time.Now()
	switch {
	case p.bar != nil:
		p.bar.Describe(p.status)
		_ = p.bar.Set(min(done, p.total)) // failing to draw a bar is not an error
	case now.Before(p.next):
	case p.terminal:
		width := 40 // characters
		if p.status != "" {
			width = 8 // leaves room for it
		}
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(p.out), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(p.unit),
			progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionSetWidth(width),
			progressbar.OptionSetDescription(p.status))
		_ = p.bar.Set(min(done, p.total))
	default:
		p.next = now.Add(progressLines)
		took := now.Sub(p.start)
		rate := float64(done-p.resumed) / took.Seconds()
		fmt.Fprintf(p.out, "%d of %d %s, %.3g/s, %s", done, p.total, p.unit, rate, took.Round(time.Second))
		if rate > 0 && done < p.total {
			fmt.Fprintf(p.out, ", about %s left", timeFor(float64(p.total-done)/rate))
		}
		if p.status != "" {
			fmt.Fprint(p.out, ": ", p.status)
		}
		fmt.Fprintln(p.out)
	}
}

// timeFor returns a number of seconds as a duration, at most a century, without false
// precision.
func timeFor(seconds float64) time.Duration {
	d := time.Duration(min(seconds, math.MaxInt64/2e9) * float64(time.Second))
	if d >= time.Hour {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}

// Clear clears the bar to make room for a line of output. A nil Progress has no bar.
func (p *Progress) Clear() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
}

// Finish ends the line of the bar. A nil Progress has none.
func (p *Progress) Finish() {
	if p != nil && p.bar != nil {
		_ = p.bar.Exit()
		fmt.Fprintln(p.out)
	}
}

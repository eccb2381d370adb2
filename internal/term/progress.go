package term

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"golang.org/x/term"
)

// Progress shows the progress of long work: in a line that changes on a terminal, in an
// occasional line elsewhere, and not at all if the work is done in a moment.
type Progress struct {
	out     io.Writer
	width   int // of the terminal; 0 for none
	total   int // 0 if unknown
	resumed int // of those done, from an earlier run
	unit    string
	status  string // shown beside the progress
	shown   bool   // the terminal's last line
	start   time.Time
	next    time.Time // when the progress is shown
}

const (
	firstLineAfter = time.Second
	lineInterval   = 200 * time.Millisecond
	progressLines  = 30 * time.Second // the time between lines where there is no terminal
)

// NewProgress begins to show work of total units, such as "positions".
func NewProgress(out io.Writer, total int, unit string) *Progress {
	p := &Progress{out: out, width: terminalWidth(out), total: total, unit: unit, start: time.Now()}
	p.next = p.start.Add(progressLines)
	if p.width > 0 {
		p.next = p.start.Add(firstLineAfter)
	}
	return p
}

// terminalWidth returns the width of the terminal to which w writes, 0 for none.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, _ := term.GetSize(int(f.Fd()))
	return width
}

// Resume sets how many of the finished units come from an earlier run: they took none of
// this run's time.
func (p *Progress) Resume(done int) { p.resumed = done }

// SetStatus sets what is shown beside the progress, such as a score.
func (p *Progress) SetStatus(status string) { p.status = status }

// Set shows how many units are done.
func (p *Progress) Set(done int) {
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	took := now.Sub(p.start)
	rate := float64(done-p.resumed) / took.Seconds()
	line := fmt.Sprint(done)
	if p.total > 0 {
		line += fmt.Sprintf(" of %d", p.total)
	}
	line += fmt.Sprintf(" %s, %.3g/s, %s", p.unit, rate, took.Round(time.Second))
	if rate > 0 && done < p.total {
		line += fmt.Sprintf(", about %s left", timeFor(float64(p.total-done)/rate))
	}
	if p.status != "" {
		line += ": " + p.status
	}
	if p.width == 0 {
		p.next = now.Add(progressLines)
		fmt.Fprintln(p.out, line)
		return
	}
	p.next, p.shown = now.Add(lineInterval), true
	p.overwrite(line)
}

// overwrite replaces the terminal's last line, but for the last column, in which some begin
// another line.
func (p *Progress) overwrite(line string) {
	fmt.Fprintf(p.out, "\r%-*.*s\r", p.width-1, p.width-1, line)
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

// Clear clears the terminal's line to make room for another one.
func (p *Progress) Clear() {
	if p.shown {
		p.overwrite("")
	}
}

// Finish ends the terminal's line.
func (p *Progress) Finish() {
	if p.shown {
		fmt.Fprintln(p.out)
	}
}

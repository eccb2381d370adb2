package main

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/terminal"
)

// matchProgress shows how a match stands: a line that is kept up to date on a
// terminal, and else a line every few games.
type matchProgress struct {
	out io.Writer
	bar *progressbar.ProgressBar // nil unless out is a terminal
}

// plainEvery is how many games there are between two plain lines.
const plainEvery = 10

func newMatchProgress(out io.Writer, games int) *matchProgress {
	p := &matchProgress{out: out}
	if terminal.Is(out) {
		p.bar = progressbar.NewOptions(games,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(8),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionShowCount(),
			progressbar.OptionSetDescription("first game"),
		)
		_ = p.bar.RenderBlank()
	}
	return p
}

// game shows the summary after a game.
func (p *matchProgress) game(_ match.Game, s match.Summary) {
	switch {
	case p.bar != nil:
		p.bar.Describe(s.Line())
		_ = p.bar.Set(s.Games)
	case s.Games%plainEvery == 0 || s.Games < plainEvery:
		fmt.Fprintf(p.out, "%d games  %s\n", s.Games, s.Line())
	}
}

// finish leaves the line.
func (p *matchProgress) finish() {
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
}

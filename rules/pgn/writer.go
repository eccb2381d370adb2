package pgn

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// String returns the game as a file has it: tags, an empty line, the moves on one line, an
// empty line. Missing tags are added: FEN and SetUp for a start position other than the usual
// one, and Variant, without which others take the game for chess.
func (g *Game) String() string {
	var b strings.Builder
	for _, t := range g.tagsToWrite() {
		fmt.Fprintf(&b, "[%s \"%s\"]\n", t.Name, escapeTag(t.Value))
	}
	b.WriteByte('\n')
	g.writeMoves(&b)
	b.WriteString(g.Result.String())
	b.WriteString("\n\n")
	return b.String()
}

// WriteTo writes the game as String returns it.
func (g *Game) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, g.String())
	if err != nil {
		return int64(n), fmt.Errorf("write PGN: %w", err)
	}
	return int64(n), nil
}

func (g *Game) tagsToWrite() []Tag {
	out := Game{Tags: slices.Clone(g.Tags)}
	if start := g.start(); start != rules.StartPosition() && g.Tag("FEN") == "" {
		out.SetTag("FEN", start.FEN())
		out.SetTag("SetUp", "1")
	}
	if g.Tag("Variant") == "" && len(out.Tags) > 0 {
		out.SetTag("Variant", "Crazyhouse")
	}
	return out.Tags
}

// start returns the start position; the zero value means the usual one.
func (g *Game) start() rules.Position {
	if g.Start == (rules.Position{}) {
		return rules.StartPosition()
	}
	return g.Start
}

func (g *Game) writeMoves(b *strings.Builder) {
	p := g.start()
	commented := true // Black's move needs a number
	if g.Comment != "" {
		fmt.Fprintf(b, "{ %s } ", commentText.Replace(g.Comment))
	}
	for _, m := range g.Moves {
		switch {
		case p.Turn() == rules.White:
			fmt.Fprintf(b, "%d. ", p.Fullmove())
		case commented:
			fmt.Fprintf(b, "%d... ", p.Fullmove())
		}
		b.WriteString(p.SAN(m.Move))
		b.WriteByte(' ')
		if m.NAG != 0 {
			fmt.Fprintf(b, "$%d ", m.NAG)
		}
		for _, n := range m.Symbols {
			fmt.Fprintf(b, "$%d ", n)
		}
		comment := m.comment()
		if commented = comment != ""; commented {
			fmt.Fprintf(b, "{ %s } ", comment)
		}
		p = p.After(m.Move)
	}
}

// commentText replaces what a comment cannot have.
var commentText = strings.NewReplacer("{", "(", "}", ")", "\r\n", " ", "\n", " ", "\r", " ")

// comment returns the text between the braces.
func (m *Move) comment() string {
	var parts []string
	if m.Eval.Known {
		parts = append(parts, m.Eval.String())
	}
	if m.HasClock {
		parts = append(parts, "[%clk "+formatClock(m.Clock)+"]")
	}
	if m.Comment != "" {
		parts = append(parts, commentText.Replace(m.Comment))
	}
	return strings.Join(parts, " ")
}

// String returns the evaluation as a comment writes it: [%eval 0.35],
// [%eval #-3], [%eval 1.2,18] with a depth.
func (e Eval) String() string {
	value := fmt.Sprintf("%.2f", float64(e.Centipawns)/100)
	if e.Mate != 0 {
		value = fmt.Sprintf("#%d", e.Mate)
	}
	if e.Depth > 0 {
		value += fmt.Sprintf(",%d", e.Depth)
	}
	return "[%eval " + value + "]"
}

// formatClock writes a clock as Lichess does, with tenths only if they are
// not zero: 0:03:00, 0:00:07.5.
func formatClock(d time.Duration) string {
	d = max(d, 0).Truncate(100 * time.Millisecond)
	text := fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d/time.Minute%60, d/time.Second%60)
	if tenths := d % time.Second / (100 * time.Millisecond); tenths != 0 {
		text += fmt.Sprintf(".%d", tenths)
	}
	return text
}

// escapeTag makes any text a tag's value: quotes and backslashes escaped,
// control characters as spaces.
func escapeTag(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s)
}

package pgn

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// addComment adds a comment to the last move, or to the game before the first.
func (g *Game) addComment(text string) {
	if n := len(g.Moves); n > 0 {
		g.Moves[n-1].addComment(text)
	} else {
		g.Comment = joined(g.Comment, text)
	}
}

func joined(a, b string) string { return strings.TrimSpace(a + " " + b) }

// addComment adds a comment: clocks and evaluations from their commands, the rest
// as text.
func (m *Move) addComment(text string) {
	var rest []string
	for text != "" {
		before, command, after := cutCommand(text)
		if t := strings.TrimSpace(before); t != "" {
			rest = append(rest, t)
		}
		if command != "" && !m.setCommand(command) {
			rest = append(rest, "[%"+command+"]")
		}
		text = after
	}
	if len(rest) > 0 {
		m.Comment = joined(m.Comment, strings.Join(rest, " "))
	}
}

// cutCommand splits a comment around its first command, such as [%clk 0:01:00].
func cutCommand(text string) (before, command, after string) {
	before, rest, _ := strings.Cut(text, "[%")
	command, after, closed := strings.Cut(rest, "]")
	if !closed {
		return text, "", ""
	}
	return before, command, after
}

// setCommand applies a command and reports whether it is known.
func (m *Move) setCommand(text string) bool {
	name, value, _ := strings.Cut(text, " ")
	switch value = strings.TrimSpace(value); name {
	case "clk":
		clock, ok := parseClock(value)
		if ok {
			m.Clock, m.HasClock = clock, true
		}
		return ok
	case "eval":
		eval, ok := parseEval(value)
		if ok {
			m.Eval = eval
		}
		return ok
	}
	return false
}

// parseClock reads h:mm:ss with optional fractions of a second.
func parseClock(s string) (time.Duration, bool) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return 0, false
	}
	h, err1 := strconv.ParseUint(parts[0], 10, 16)
	m, err2 := strconv.ParseUint(parts[1], 10, 8)
	sec, err3 := strconv.ParseFloat(parts[2], 64)
	if err1 != nil || err2 != nil || err3 != nil || !(sec >= 0 && sec < 100) {
		return 0, false
	}
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute +
		time.Duration(math.Round(sec*1000))*time.Millisecond, true
}

// parseEval reads 0.35, -1.2,18 or #-3.
func parseEval(s string) (e Eval, ok bool) {
	value, depth, hasDepth := strings.Cut(s, ",")
	if hasDepth {
		n, err := strconv.ParseUint(depth, 10, 10)
		if err != nil {
			return e, false
		}
		e.Depth = int(n)
	}
	e.Known = true
	if mate, isMate := strings.CutPrefix(value, "#"); isMate {
		n, err := strconv.ParseInt(mate, 10, 16)
		e.Mate = int(n)
		return e, err == nil && n != 0
	}
	pawns, err := strconv.ParseFloat(value, 64)
	if err != nil || !(math.Abs(pawns) < 10000) {
		return e, false
	}
	e.Centipawns = int(math.Round(pawns * 100))
	return e, true
}

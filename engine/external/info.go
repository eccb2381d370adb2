package external

import (
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/engine"
)

// parseInfo updates depth, score and nodes from the words after info. Fields that are
// missing or malformed stay as they are. All but the best line of several are ignored. It
// returns the moves of a line that has a depth and a score that is not a bound.
func parseInfo(i *engine.Info, text string) (line []string) {
	words := strings.Fields(text)
	parsed := *i
	hasDepth, exact := false, false
	for len(words) > 1 {
		name, value := words[0], words[1]
		words = words[1:]
		switch name {
		case "depth":
			hasDepth = true
			setCount(&parsed.Depth, value)
		case "nodes":
			if n, err := strconv.ParseUint(value, 10, 63); err == nil {
				parsed.Nodes = n
			}
		case "score":
			if len(words) > 1 {
				exact = true
				setScore(&parsed.Score, value, words[1])
			}
		case "lowerbound", "upperbound":
			exact = false
		case "multipv":
			if value != "1" {
				return nil
			}
		case "pv":
			if hasDepth && exact {
				line = words
			}
			words = nil
		case "string":
			words = nil // the rest is text
		}
	}
	*i = parsed
	return line
}

// setCount sets a number that must not be negative.
func setCount(to *int, value string) {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		*to = clampCount(n)
	}
}

// setScore sets a score in centipawns ("cp") or moves to mate ("mate").
func setScore(to *engine.Score, unit, value string) {
	const limit = 30000 // centipawns; mates lie beyond
	n, err := strconv.Atoi(value)
	switch {
	case err != nil:
	case unit == "cp":
		*to = engine.Score(min(max(n, -limit), limit))
	case unit == "mate":
		*to = engine.MateScore(n)
	}
}

// clampCount limits a number of an engine to a small natural number.
func clampCount(n int64) int { return int(min(max(n, 0), 1<<20)) }

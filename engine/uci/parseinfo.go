package uci

import (
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/engine"
)

// parseInfo takes depth, score and nodes from the words after info. It leaves
// what the line does not tell, or tells in a strange way, as it was. Lines
// other than the best one are not looked at.
func parseInfo(i *engine.Info, text string) {
	words := strings.Fields(text)
	told := *i
	for len(words) > 1 {
		name, value := words[0], words[1]
		words = words[1:]
		switch name {
		case "depth":
			setCount(&told.Depth, value)
		case "seldepth":
			setCount(&told.SelDepth, value)
		case "hashfull":
			setCount(&told.HashFull, value)
		case "nodes":
			if n, err := strconv.ParseUint(value, 10, 63); err == nil {
				told.Nodes = n
			}
		case "score":
			if len(words) > 1 {
				setScore(&told.Score, value, words[1])
			}
		case "multipv":
			if value != "1" {
				return
			}
		case "pv", "string":
			words = nil // the rest is moves, or text for people
		}
	}
	*i = told
}

// setCount sets a natural number that is told by an engine.
func setCount(to *int, value string) {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		*to = count(n)
	}
}

// setScore sets a score that is told in centipawns ("cp") or moves to mate.
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

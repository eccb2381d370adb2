package external

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/engine"
)

// features are the features of a CECP engine, name to value. Each of its options is a
// feature named "option NAME".
type features map[string]string

// add parses the arguments of a feature command, each NAME=VALUE or NAME="VALUE", and
// returns their names.
func (f features) add(text string) (names []string) {
	for {
		name, rest, ok := strings.Cut(strings.TrimSpace(text), "=")
		if !ok {
			return names
		}
		var value string
		if strings.HasPrefix(rest, `"`) {
			value, text, _ = strings.Cut(rest[1:], `"`)
		} else {
			value, text, _ = strings.Cut(rest, " ")
		}
		name = strings.TrimSpace(name)
		names = append(names, name)
		if name == "option" {
			option, declaration, _ := strings.Cut(value, " -")
			name, value = "option "+option, declaration
		}
		f[name] = value
	}
}

// check returns an error for an engine that this package cannot play with.
func (f features) check() error {
	variants := strings.FieldsFunc(f["variants"], func(r rune) bool { return r == ',' || r == ' ' })
	switch {
	case !slices.Contains(variants, "crazyhouse"):
		return fmt.Errorf("does not play crazyhouse, only %.40q", f["variants"])
	case f["ping"] != "1":
		return fmt.Errorf("does not support ping, which is required (feature ping=1)")
	case f["san"] == "1":
		return fmt.Errorf("wants moves in SAN (feature san=1), which is not supported")
	}
	return nil
}

// setOption returns the command that sets an option, if the engine has it. Hash and Threads
// have their own commands in CECP.
func (f features) setOption(o Option) (line string, ok bool) {
	_, declared := f["option "+o.Name]
	switch {
	case declared && o.Value == "":
		return "option " + o.Name, true
	case declared:
		return fmt.Sprintf("option %s=%s", o.Name, o.Value), true
	case o.Name == "Hash" && f["memory"] == "1":
		return "memory " + o.Value, true
	case o.Name == "Threads" && f["smp"] == "1":
		return "cores " + o.Value, true
	}
	return "", false
}

// parseThinking sets depth, score and nodes from a line of thinking output: depth,
// centipawns, centiseconds, nodes, maybe more numbers, and moves. Other lines change nothing.
func parseThinking(i *engine.Info, line string) (pv []string, ok bool) {
	words := strings.Fields(line)
	var numbers []int64
	for at, word := range words {
		if at == 0 {
			word = strings.TrimRight(word, ".&+-") // some engines mark the depth
		}
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 4 {
		return nil, false
	}
	const mate = 100000 // and the moves to mate
	i.Depth = clampCount(numbers[0])
	switch score := numbers[1]; {
	case score > mate:
		i.Score = engine.MateScore(int(score - mate))
	case score <= -mate:
		i.Score = engine.MateScore(int(score + mate))
	default:
		setScore(&i.Score, "cp", words[1])
	}
	i.Nodes = uint64(max(numbers[3], 0))
	return words[len(numbers):], true
}

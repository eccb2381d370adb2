package uci

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
)

// The bounds and defaults of numeric options.
const (
	maxThreads  = 512
	maxHashMB   = 1 << 16
	maxOverhead = 5000 // milliseconds

	defaultHashMB   = 256
	defaultOverhead = 10 * time.Millisecond
)

// options are the values of the UCI options.
type options struct {
	threads  int
	hashMB   int
	overhead time.Duration
	chess960 bool // write castling as e1h1 instead of e1g1
	network  *engine.Network
	ownBook  bool      // play book moves
	book     book.Book // nil for the embedded one
	search   SearchOptions
}

func defaultOptions(o engine.Options) options {
	if o.Threads < 1 {
		o.Threads = runtime.NumCPU()
	}
	if o.HashMB < 1 {
		o.HashMB = defaultHashMB
	}
	return options{threads: o.Threads, hashMB: o.HashMB, overhead: defaultOverhead, network: o.Network, search: DefaultSearchOptions()}
}

// declare returns the option lines of the answer to uci.
func (o options) declare() string {
	lines := []string{
		fmt.Sprintf("option name Threads type spin default %d min 1 max %d", o.threads, maxThreads),
		fmt.Sprintf("option name Hash type spin default %d min 1 max %d", o.hashMB, maxHashMB),
		"option name Ponder type check default false",
		fmt.Sprintf("option name Move Overhead type spin default %d min 0 max %d", o.overhead.Milliseconds(), maxOverhead),
		o.search.declare(),
		"option name EvalFile type string default <empty>",
		"option name OwnBook type check default false",
		"option name BookFile type string default <empty>",
		"option name UCI_Variant type combo default crazyhouse var crazyhouse",
		"option name UCI_Chess960 type check default false",
	}
	for _, p := range engine.Parameters() {
		lines = append(lines, fmt.Sprintf("option name %s type spin default %d min %d max %d", p.Name, p.Default, p.Min, p.Max))
	}
	return strings.Join(lines, "\n")
}

// setOption executes "setoption name NAME [value VALUE]"; both may be several words, and
// case is ignored.
func (c *session) setOption(args []string) error {
	if len(args) < 2 || args[0] != "name" {
		return errors.New("setoption: want setoption name NAME value VALUE")
	}
	words, value := args[1:], ""
	if i := slices.Index(words, "value"); i >= 0 {
		words, value = words[:i], strings.Join(words[i+1:], " ")
	}
	name := strings.Join(words, " ")
	if err := c.setValue(strings.ToLower(name), value); err != nil {
		return fmt.Errorf("setoption %s: %w", truncate(name), err)
	}
	return nil
}

// setValue sets an option. If it affects the engine, a new engine is created when next
// needed.
func (c *session) setValue(name, value string) (err error) {
	o := &c.options
	if known, err := o.search.Set(name, value); known {
		return err
	}
	switch name {
	case "threads":
		if err = setNumber(&o.threads, value, 1, maxThreads); err == nil {
			c.engine = nil
		}
	case "hash":
		if err = setNumber(&o.hashMB, value, 1, maxHashMB); err == nil {
			c.engine = nil
		}
	case "move overhead":
		ms := 0
		if err = setNumber(&ms, value, 0, maxOverhead); err == nil {
			o.overhead = time.Duration(ms) * time.Millisecond
		}
	case "evalfile":
		if o.network, err = openNetwork(value); err == nil {
			c.engine = nil
		}
	case "ownbook":
		err = setBool(&o.ownBook, value)
	case "bookfile":
		err = setBook(&o.book, value)
	case "uci_chess960":
		err = setBool(&o.chess960, value)
	case "ponder":
		// The GUI may ponder; go ponder says when.
		var ignored bool
		err = setBool(&ignored, value)
	case "uci_variant":
		if !strings.EqualFold(value, "crazyhouse") {
			err = fmt.Errorf("value %q: only crazyhouse is played", truncate(value))
		}
	default:
		return setParameter(name, value)
	}
	return err
}

// setParameter sets a constant of the search, in a build with the tag tune.
func setParameter(name, value string) error {
	for _, p := range engine.Parameters() {
		if strings.ToLower(p.Name) == name {
			n := 0
			if err := setNumber(&n, value, p.Min, p.Max); err != nil {
				return err
			}
			return engine.SetParameter(p.Name, n)
		}
	}
	return errors.New("no such option; uci lists them")
}

// openNetwork opens a network; the protocol's "<empty>" stands for the embedded network.
func openNetwork(path string) (*engine.Network, error) {
	if path == "<empty>" {
		path = ""
	}
	return engine.OpenNetwork(path)
}

func setNumber(to *int, value string, low, high int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return fmt.Errorf("value %q: want a number from %d to %d", truncate(value), low, high)
	}
	*to = n
	return nil
}

func setBool(to *bool, value string) error {
	switch strings.ToLower(value) {
	case "true":
		*to = true
	case "false":
		*to = false
	default:
		return fmt.Errorf("value %q: want true or false", truncate(value))
	}
	return nil
}

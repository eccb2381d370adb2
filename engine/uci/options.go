package uci

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/human"
)

// The bounds and defaults of numeric options.
const (
	maxThreads   = 512
	maxHashMB    = 1 << 16
	maxOverhead  = 5000   // milliseconds
	maxMultiPV   = 500    // exceeds the number of legal moves in most positions
	maxNodesTime = 10_000 // exceeds the nodes that one thread searches in a millisecond

	defaultHashMB   = 16
	defaultOverhead = 10 * time.Millisecond
)

// Options are the values of the UCI options, also for other packages that use the same
// names.
type Options struct {
	Engine        engine.Options // Threads, Hash, EvalFile and the parameters of the search
	Overhead      time.Duration
	MultiPV       int
	Skill         int  // 0 to [human.MaxLevel]
	LimitStrength bool // use Elo instead of Skill
	Elo           int
	ShowWDL       bool
	NodesTime     int       // nodes per millisecond; 0 means real time
	OwnBook       bool      // play book moves
	Book          book.Book // nil for the embedded one
	maxHashMB     int
}

// DefaultOptions returns the defaults: one line at full strength, without a book. What
// o does not set gets a default, too.
func DefaultOptions(o engine.Options) Options {
	if o.HashMB < 1 {
		o.HashMB = defaultHashMB
	}
	return Options{Engine: o.WithDefaults(), Overhead: defaultOverhead, MultiPV: 1, Skill: human.MaxLevel,
		Elo: human.MinElo, maxHashMB: maxHashMB}
}

// Strength returns the playing strength. The seed determines the random choices of the
// levels.
func (o *Options) Strength(seed uint64) human.Strength {
	if o.LimitStrength {
		return human.AtElo(o.Elo, seed)
	}
	return human.AtLevel(float64(o.Skill), seed)
}

// Books returns the book to play from, none without OwnBook.
func (o *Options) Books() (book.Books, error) {
	switch {
	case !o.OwnBook:
		return nil, nil
	case o.Book != nil:
		return book.Books{o.Book}, nil
	}
	return book.OpenBooks([]string{book.Embedded})
}

// Set sets the option with a name, whose case is ignored. An unknown name or an invalid
// value is an error and changes nothing.
func (o *Options) Set(name, value string) error {
	for _, option := range append(o.table(), o.parameters()...) {
		if strings.EqualFold(option.name, name) {
			return option.set(value)
		}
	}
	return errors.New("no such option; uci lists them")
}

// option is a UCI option.
type option struct {
	name string
	kind string // type, default (its value) and bounds, as declared to the GUI
	set  func(value string) error
}

// table returns the options, which set the fields of o.
func (o *Options) table() []option {
	return []option{
		spin("Threads", &o.Engine.Threads, 1, maxThreads),
		spin("Hash", &o.Engine.HashMB, 1, o.maxHashMB),
		{"Clear Hash", "button", func(string) error { return nil }}, // the session clears it
		check("Ponder", new(bool)),                                  // the GUI may ponder; go ponder says when
		spinFunc("Move Overhead", int(o.Overhead.Milliseconds()), 0, maxOverhead, func(ms int) {
			o.Overhead = time.Duration(ms) * time.Millisecond
		}),
		spin("MultiPV", &o.MultiPV, 1, maxMultiPV),
		spin("Skill Level", &o.Skill, 0, human.MaxLevel),
		check("UCI_LimitStrength", &o.LimitStrength),
		spin("UCI_Elo", &o.Elo, human.MinElo, human.MaxElo),
		spin("nodestime", &o.NodesTime, 0, maxNodesTime),
		{"EvalFile", "string default <empty>", o.setNetwork},
		check("OwnBook", &o.OwnBook),
		{"BookFile", "string default <empty>", o.setBook},
		{"UCI_Variant", "combo default crazyhouse var crazyhouse", checkVariant},
		check("UCI_ShowWDL", &o.ShowWDL),
		check("UCI_AnalyseMode", new(bool)), // all modes search alike
	}
}

// parameters returns those of the search as options.
func (o *Options) parameters() (options []option) {
	for _, p := range o.Engine.Parameters.List() {
		options = append(options, spinFunc(p.Name, p.Default, p.Min, p.Max, p.Set))
	}
	return options
}

// spin is the option of a number.
func spin(name string, to *int, low, high int) option {
	return spinFunc(name, *to, low, high, func(n int) { *to = n })
}

func spinFunc(name string, value, low, high int, set func(n int)) option {
	kind := fmt.Sprintf("spin default %d min %d max %d", value, low, high)
	return option{name, kind, func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < low || n > high {
			return fmt.Errorf("value %.40q: want a number from %d to %d", value, low, high)
		}
		set(n)
		return nil
	}}
}

// check is an option that is on or off.
func check(name string, to *bool) option {
	return option{name, fmt.Sprintf("check default %t", *to), func(value string) error {
		on := strings.EqualFold(value, "true")
		if !on && !strings.EqualFold(value, "false") {
			return fmt.Errorf("value %.40q: want true or false", value)
		}
		*to = on
		return nil
	}}
}

// noFile is the protocol's name of no file: the embedded network or book.
const noFile = "<empty>"

func (o *Options) setNetwork(path string) error {
	if path == noFile {
		path = ""
	}
	network, err := engine.OpenNetwork(path)
	if err == nil {
		o.Engine.Network = network
	}
	return err
}

func (o *Options) setBook(path string) error {
	if path == "" || path == noFile {
		path = book.Embedded
	}
	b, err := book.Open(path)
	if err == nil {
		o.Book = b
	}
	return err
}

func checkVariant(value string) error {
	if !strings.EqualFold(value, "crazyhouse") {
		return fmt.Errorf("value %.40q: only crazyhouse is played", value)
	}
	return nil
}

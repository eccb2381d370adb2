package main

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess"
)

// settings are the flags from which commands that talk to Lichess load the
// configuration.
type settings struct {
	file string
	set  []string
}

func (s *settings) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.file, "config", "", "YAML file with settings (default config.yaml if it exists)")
	f.StringArrayVar(&s.set, "set", nil, "a setting, such as games.max=2; may be repeated")
}

// defaultFile is read when no file is named, if it exists.
const defaultFile = "config.yaml"

// load returns the settings of file, environment and flags.
func (s *settings) load() (*config.Config, error) {
	source, err := s.source()
	if err != nil {
		return nil, err
	}
	return config.Load(source)
}

// source returns where the settings are, or a usage error.
func (s *settings) source() (config.Source, error) {
	source := config.Source{File: s.file, Env: true, Flags: map[string]string{}, Memory: mover.Memory(), Cores: mover.Cores()}
	if source.File == "" {
		source.File, source.Optional = defaultFile, true
	}
	for _, text := range s.set {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return source, &usageError{fmt.Errorf("--set %q: want the form games.max=2", text)}
		}
		if err := config.CheckFlag(key); err != nil {
			return source, &usageError{fmt.Errorf("--set %w", err)}
		}
		source.Flags[key] = value
	}
	return source, nil
}

// checkAddress returns a usage error if a flag's value is not host:port.
func checkAddress(flag, value string) error {
	if _, _, err := net.SplitHostPort(value); err != nil {
		return &usageError{fmt.Errorf("--%s %q: want host:port, such as 127.0.0.1:8080, or :8080", flag, value)}
	}
	return nil
}

// notation is a flag's value that has a notation of its own, such as a clock.
type notation[T fmt.Stringer] struct {
	value *T
	parse func(string) (T, error)
	kind  string
}

// clockFlag adds the flag for a clock in Lichess's notation.
func clockFlag(f *pflag.FlagSet, c *lichess.Clock, initial string, parse func(string) (lichess.Clock, error), usage string) {
	f.Var(notation[lichess.Clock]{c, parse, "clock"}, "tc", usage)
	f.Lookup("tc").DefValue = initial
}

// Set implements pflag.Value.
func (n notation[T]) Set(text string) (err error) {
	*n.value, err = n.parse(text)
	return err
}

// String implements pflag.Value.
func (n notation[T]) String() string {
	if n.value == nil { // pflag asks a zero value
		return ""
	}
	return (*n.value).String()
}

// Type implements pflag.Value.
func (n notation[T]) Type() string { return n.kind }

// choice is a flag's value from a fixed set, which the shell can complete.
type choice struct {
	value   *string
	choices []string
}

// choiceFlag adds the flag for one of a fixed set of values.
func choiceFlag(f *pflag.FlagSet, value *string, name, initial string, choices []string, usage string) {
	*value = initial
	f.Var(choice{value, choices}, name, usage)
}

// Set implements pflag.Value.
func (c choice) Set(text string) error {
	if !slices.Contains(c.choices, text) {
		return config.NotOneOf(text, c.choices)
	}
	*c.value = text
	return nil
}

// String implements pflag.Value.
func (c choice) String() string {
	if c.value == nil { // pflag asks a zero value
		return ""
	}
	return *c.value
}

// Type implements pflag.Value.
func (c choice) Type() string { return "string" }

// Choices returns the values that Set accepts.
func (c choice) Choices() []string { return c.choices }

// boundedInt is a flag's whole number that must be within bounds.
type boundedInt struct {
	value *int
	min   int
	max   func() int // asked when the flag is given; nil for none
}

// Set implements pflag.Value.
func (b boundedInt) Set(text string) error {
	n, err := strconv.Atoi(text)
	bad := err != nil || n < b.min
	if b.max == nil && bad {
		return fmt.Errorf("want at least %d", b.min)
	}
	if b.max != nil && (bad || n > b.max()) {
		return fmt.Errorf("want a number from %d to %d", b.min, b.max())
	}
	*b.value = n
	return nil
}

// String implements pflag.Value.
func (b boundedInt) String() string {
	if b.value == nil { // pflag asks a zero value
		return "0"
	}
	return strconv.Itoa(*b.value)
}

// Type implements pflag.Value.
func (b boundedInt) Type() string { return "int" }

// countFlag adds the flag for a whole number of at least 1.
func countFlag(f *pflag.FlagSet, n *int, name string, value int, usage string) {
	*n = value
	f.Var(boundedInt{n, 1, nil}, name, usage)
}

// hashFlag adds the flag for a transposition table, which must fit into memory.
func hashFlag(f *pflag.FlagSet, hashMB *int, value int, usage string) {
	*hashMB = value
	f.Var(boundedInt{hashMB, 1, func() int {
		if memory := mover.Memory(); memory > 0 {
			return int(memory >> 20)
		}
		return config.MaxHashMB
	}}, "hash", usage)
}

// threadsFlag adds the flag for search threads; a default of 0 is one for each
// core.
func threadsFlag(f *pflag.FlagSet, threads *int, value int, usage string) {
	*threads = value
	f.Var(boundedInt{threads, min(value, 1), func() int { return config.MaxThreads }}, "threads", usage)
}

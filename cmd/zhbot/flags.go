package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/match"
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

// load returns the settings of file, environment and flags, of which some sections are needed, or all.
func (s *settings) load(sections ...string) (*config.Config, error) {
	source, err := s.source()
	if err != nil {
		return nil, err
	}
	source.Sections = sections
	return config.Load(source)
}

// settingsCommand returns a command that runs with a source of settings.
func settingsCommand(use string, run func(cmd *cobra.Command, source config.Source) error) *cobra.Command {
	var s settings
	cmd := command(use, func(cmd *cobra.Command, _ []string) error {
		source, err := s.source()
		if err != nil {
			return err
		}
		return run(cmd, source)
	})
	s.addFlags(cmd.Flags())
	return cmd
}

// source returns where the settings are, or a usage error.
func (s *settings) source() (config.Source, error) {
	source := config.Source{
		File: s.file, Env: true, Flags: map[string]string{}, Memory: mover.Memory(), Cores: mover.Cores(),
	}
	if source.File == "" {
		source.File, source.Optional = defaultFile, true
	}
	for _, text := range s.set {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return source, usagef("--set %q: want the form games.max=2", text)
		}
		if err := config.CheckFlag(key); err != nil {
			return source, usagef("--set %w", err)
		}
		source.Flags[key] = value
	}
	return source, nil
}

// checkAddress returns a usage error if a flag's value is not host:port.
func checkAddress(flag, value string) error {
	if _, ok := config.SplitAddress(value); !ok {
		return usagef("--%s %q: want host:port, such as 127.0.0.1:8080, or :8080", flag, value)
	}
	return nil
}

// parsed is the value of a flag that has a parser.
type parsed struct {
	set           func(text string) error
	initial, kind string
}

// parsedFlag adds a flag that has a parser. initial is its default as it is typed.
func parsedFlag[T any](
	f *pflag.FlagSet, value *T, name, initial string, parse func(string) (T, error), kind, usage string,
) {
	set := func(text string) error {
		parsed, err := parse(text)
		if err == nil {
			*value = parsed
		}
		return err
	}
	f.Var(&parsed{set, initial, kind}, name, usage)
}

// Set implements pflag.Value.
func (p *parsed) Set(text string) error { return p.set(text) }

// String implements pflag.Value. It is asked for the default.
func (p *parsed) String() string { return p.initial }

// Type implements pflag.Value.
func (p *parsed) Type() string { return p.kind }

// networkFlag adds the flag for a network.
func networkFlag(f *pflag.FlagSet, path *string, usage string) {
	f.StringVar(path, "network", "", usage+" (default: the one in the program)")
}

// clockFlag adds the flag for a clock in Lichess's notation.
func clockFlag(f *pflag.FlagSet, c *lichess.Clock, initial, usage string) {
	parsedFlag(f, c, "tc", initial, lichess.ParseClock, "clock", usage)
}

// shardFlag adds the flag for a shard of numbered work.
func shardFlag(f *pflag.FlagSet, s *match.Shard, usage string) {
	parsedFlag(f, s, "shard", "", match.ParseShard, "index/count", usage)
}

// choiceFlag adds the flag for one of a fixed set of values.
func choiceFlag(f *pflag.FlagSet, value *string, name, initial string, choices []string, usage string) {
	*value = initial
	parsedFlag(f, value, name, initial, func(text string) (string, error) {
		return text, config.CheckChoice(text, choices)
	}, "string", usage)
}

// numberFlag adds the flag for a whole number within bounds. The upper one is asked for
// when the flag is given; nil is none.
func numberFlag(f *pflag.FlagSet, n *int, name string, initial, lower int, upper func() int, usage string) {
	*n = initial
	parsedFlag(f, n, name, strconv.Itoa(initial), func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		bad := err != nil || n < lower
		if upper == nil && bad {
			return 0, fmt.Errorf("want at least %d", lower)
		}
		if upper != nil && (bad || n > upper()) {
			return 0, fmt.Errorf("want a number from %d to %d", lower, upper())
		}
		return n, nil
	}, "int", usage)
}

// countFlag adds the flag for a whole number of at least 1.
func countFlag(f *pflag.FlagSet, n *int, name string, value int, usage string) {
	numberFlag(f, n, name, value, 1, nil, usage)
}

// shareFlag adds the flag for a share, whose default is its value.
func shareFlag(f *pflag.FlagSet, share *float64, name, usage string) {
	parsedFlag(f, share, name, fmt.Sprint(*share), func(text string) (float64, error) {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n <= 1) {
			return 0, fmt.Errorf("%s is not a share, 0 to 1", text)
		}
		return n, nil
	}, "float", usage)
}

// durationFlag adds the flag for a duration with a lower bound.
func durationFlag(f *pflag.FlagSet, d *time.Duration, name string, initial, lower time.Duration, usage string) {
	*d = initial
	text := initial.String()
	if initial == 0 {
		text = "" // shown as no default
	}
	parsedFlag(f, d, name, text, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err == nil && d < lower {
			err = fmt.Errorf("want at least %s", lower)
		}
		return d, err
	}, "duration", usage)
}

// hashFlag adds the flag for a transposition table, which must fit into memory.
func hashFlag(f *pflag.FlagSet, hashMB *int, value int, usage string) {
	numberFlag(f, hashMB, "hash", value, 1, maxHash, usage)
}

// maxHash returns the size of the largest transposition table in MiB.
func maxHash() int {
	if memory := mover.Memory(); memory > 0 {
		return int(memory >> 20)
	}
	return config.Max("engine.hash_mb")
}

// threadsFlag adds the flag for search threads; a default of 0 is one for each
// core.
func threadsFlag(f *pflag.FlagSet, threads *int, value int, usage string) {
	upper := func() int { return config.Max("engine.threads") }
	numberFlag(f, threads, "threads", value, min(value, 1), upper, usage)
}

// parseSince parses a day, month or year (in UTC), or a time before now; "" is the zero
// time.
func parseSince(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return time.Now().AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return time.Now().Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q: want a date such as 2026-08-15 or 2026-08, or a time such as 30d or 12h", text)
}

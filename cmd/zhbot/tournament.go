package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/match"
)

// tournament is a match between more than two engines: one for each pairing.
type tournament struct {
	match.Tournament
	sides []match.Side
	flags []sideFlags
}

// tournamentFormats are the pairings by format; the first is the default.
var tournamentFormats = []struct {
	name     string
	pairings func(engines int) []match.Pairing
}{{"round-robin", match.RoundRobin}, {"gauntlet", match.Gauntlet}}

// maxEngines bounds the pairings of a tournament.
const maxEngines = 100

// readTournament reads the file of a tournament.
func (f *matchFlags) readTournament(flags *pflag.FlagSet) error {
	var err error
	flags.Visit(func(flag *pflag.Flag) {
		if strings.HasPrefix(flag.Name, "opponent") || slices.Contains([]string{"engine", "engine-protocol", "option", "sprt", "time-factor", "shard"}, flag.Name) {
			err = &usageError{fmt.Errorf("--%s is for a match of two engines: leave it out, the file of --engines has the engines with their options", flag.Name)}
		}
	})
	if err != nil {
		return err
	}
	text, err := os.ReadFile(f.engines)
	if err != nil {
		return fmt.Errorf("read engines: %w", err)
	}
	t := new(tournament)
	pairings, engines, err := parseTournament(text)
	for i := 0; i < len(engines) && err == nil; i++ {
		e := &engines[i]
		if e.unlimited() {
			e.tc, e.limit = f.engine.tc, f.engine.limit
		}
		var side match.Side
		if side, err = f.side(e.name, "option", e.sideFlags); err == nil {
			err = side.Limit.Check()
		}
		if err != nil {
			err = fmt.Errorf("line %d: %s: %w", e.line, e.name, err)
		}
		side.Name = e.name
		t.sides, t.flags, t.Names = append(t.sides, side), append(t.flags, e.sideFlags), append(t.Names, e.name)
	}
	if err != nil {
		return &usageError{fmt.Errorf("engines %s: %w", f.engines, err)}
	}
	t.Pairings, f.tournament = pairings(len(engines)), t
	return nil
}

// engineEntry is an engine in the file of a tournament.
type engineEntry struct {
	sideFlags
	name string
	line int
}

// parseTournament parses the file of a tournament: the format, and the engines.
func parseTournament(text []byte) (pairings func(int) []match.Pairing, engines []engineEntry, err error) {
	root, line, err := config.ParseYAML(text)
	if err != nil {
		return nil, nil, lineError(line, err)
	}
	pairings = tournamentFormats[0].pairings
	var list *yaml.Node
	if root != nil {
		err = eachKey(root, "format and engines", func(key string, value *yaml.Node) error {
			switch key {
			case "format":
				return setFormat(&pairings, value)
			case "engines":
				list = value
				return nil
			}
			return unknownKey(key, []string{"format", "engines"})
		})
	}
	if err == nil && (list == nil || list.Kind != yaml.SequenceNode) {
		err = errors.New("want engines, a list")
	}
	for i := 0; err == nil && i < len(list.Content); i++ {
		var e engineEntry
		e, err = parseEngine(list.Content[i])
		if err == nil && slices.ContainsFunc(engines, func(other engineEntry) bool { return other.name == e.name }) {
			err = lineError(e.line, fmt.Errorf("a second engine with the name %q", e.name))
		}
		engines = append(engines, e)
	}
	if n := len(engines); err == nil && (n < 2 || n > maxEngines) {
		err = fmt.Errorf("%d engines: want 2 to %d", n, maxEngines)
	}
	return pairings, engines, err
}

func setFormat(pairings *func(int) []match.Pairing, value *yaml.Node) error {
	var names []string
	for _, f := range tournamentFormats {
		if f.name == value.Value {
			*pairings = f.pairings
			return nil
		}
		names = append(names, f.name)
	}
	return config.CheckChoice(value.Value, names)
}

// parseEngine parses an engine. Its keys have the names of the flags for an engine.
func parseEngine(n *yaml.Node) (engineEntry, error) {
	e := engineEntry{line: n.Line}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.StringVar(&e.name, "name", "", "")
	flags.StringVar(&e.command, "command", self, "")
	protocolFlag(flags, &e.protocol, "protocol", "")
	e.register(flags, "", "", "")
	option := flags.Lookup("option").Value
	err := eachKey(n, "an engine, such as name: new", func(key string, value *yaml.Node) error {
		flag := flags.Lookup(key)
		switch {
		case key == "options":
			return eachKey(value, "options by name, such as Hash: 64", func(name string, value *yaml.Node) error {
				return setScalar(option, value, name+"="+value.Value)
			})
		case flag == nil || flag.Name == "option":
			return unknownKey(key, []string{"name", "command", "protocol", "tc", "movetime", "nodes", "depth", "options"})
		}
		return setScalar(flag.Value, value, value.Value)
	})
	if err == nil && (e.name == "" || strings.ContainsFunc(e.name, func(r rune) bool { return r < ' ' })) {
		err = lineError(n.Line, errors.New("an engine without a name"))
	}
	return e, err
}

func setScalar(to pflag.Value, n *yaml.Node, text string) error {
	if n.Kind != yaml.ScalarNode {
		return errors.New("want a single value")
	}
	err := to.Set(text)
	if _, ok := errors.AsType[*strconv.NumError](err); ok {
		return fmt.Errorf("%q is not a whole number", n.Value)
	}
	return err
}

func unknownKey(key string, known []string) error {
	if hint := config.DidYouMean(key, known); hint != "" {
		return errors.New("unknown key" + hint)
	}
	return fmt.Errorf("unknown key; there are %s", strings.Join(known, ", "))
}

// eachKey calls set with each key of a mapping, and adds line and key to its error.
func eachKey(n *yaml.Node, want string, set func(key string, value *yaml.Node) error) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return lineError(n.Line, errors.New("want "+want))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if seen[key.Value] {
			return lineError(key.Line, fmt.Errorf("%s: given twice", key.Value))
		}
		seen[key.Value] = true
		err := set(key.Value, value)
		if _, ok := errors.AsType[*errorAtLine](err); err != nil && !ok {
			err = lineError(key.Line, fmt.Errorf("%s: %w", key.Value, err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errorAtLine is an error with the line of a file.
type errorAtLine struct {
	line int
	err  error
}

func (e *errorAtLine) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e *errorAtLine) Unwrap() error { return e.err }

// lineError adds a line to an error; 0 is none.
func lineError(line int, err error) error {
	if line == 0 {
		return err
	}
	return &errorAtLine{line, err}
}

// pairing returns the match of a pairing. Each has its own state file.
func (t *tournament) pairing(c match.Config, p match.Pairing) match.Config {
	c.Engine, c.Opponent = t.sides[p.Engine], t.sides[p.Opponent]
	if c.StateFile != "" { // escaped, a name has no comma
		c.StateFile += "." + url.PathEscape(c.Engine.Name) + "," + url.PathEscape(c.Opponent.Name)
	}
	return c
}

func (t *tournament) validate(c match.Config) error {
	c = t.pairing(c, t.Pairings[0])
	return c.Validate()
}

// play plays the pairings one after another, and prints the standings, also after an error.
func (t *tournament) play(cmd *cobra.Command, c match.Config, f *matchFlags) (err error) {
	games := 0
	for i := 0; i < len(t.Pairings) && err == nil; i++ {
		p := &t.Pairings[i]
		pairing := t.pairing(c, *p)
		p.Summary, err = f.playMatch(cmd, pairing)
		names := pairing.Engine.Name + " against " + pairing.Opponent.Name
		if games += p.Summary.Games; err == nil && !f.json {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", names, p.Summary.Line())
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", names, err)
		}
	}
	switch {
	case games == 0:
		return err
	case f.json:
		return errors.Join(err, printJSON(cmd.OutOrStdout(), struct {
			Standings []match.Standing `json:"standings"`
			Pairings  []match.Pairing  `json:"pairings"`
		}{t.Standings(), t.Pairings}))
	}
	_, printed := fmt.Fprint(cmd.OutOrStdout(), "\n", t.Table())
	return errors.Join(err, printed)
}

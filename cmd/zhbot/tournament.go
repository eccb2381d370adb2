package main

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"

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

// maxEngines bounds the pairings of a tournament.
const maxEngines = 100

// readTournament reads the file of a tournament.
func (f *matchFlags) readTournament(flags *pflag.FlagSet) error {
	var err error
	ofTwo := []string{"engine", "engine-protocol", "option", "sprt", "time-factor", "shard"}
	flags.Visit(func(flag *pflag.Flag) {
		if strings.HasPrefix(flag.Name, "opponent") || slices.Contains(ofTwo, flag.Name) {
			err = usagef("--%s is for a match of two engines: leave it out, "+
				"the file of --engines has the engines with their options", flag.Name)
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
		if side, err = f.side("option", e.sideFlags); err == nil {
			err = side.Limit.Check()
		}
		if err != nil {
			err = fmt.Errorf("line %d: %s: %w", e.line, e.name, err)
		}
		side.Name = e.name
		t.sides, t.flags, t.Names = append(t.sides, side), append(t.flags, e.sideFlags), append(t.Names, e.name)
	}
	if err != nil {
		return usagef("engines %s: %w", f.engines, err)
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
	if line > 0 {
		err = fmt.Errorf("line %d: %w", line, err)
	}
	if err != nil {
		return nil, nil, err
	}
	format := "round-robin"
	var list []yaml.Node
	formats := map[string]func(int) []match.Pairing{format: match.RoundRobin, "gauntlet": match.Gauntlet}
	err = eachKey(root, []string{"format", "engines"}, func(key string, value *yaml.Node) error {
		if key == "engines" {
			return value.Decode(&list)
		}
		if err := value.Decode(&format); err != nil {
			return err
		}
		return config.CheckChoice(format, slices.Sorted(maps.Keys(formats)))
	})
	names := map[string]bool{"": true}
	for i := 0; err == nil && i < len(list); i++ {
		e := engineEntry{line: list[i].Line}
		if err = e.parse(&list[i]); err == nil && (names[e.name] || strings.ContainsFunc(e.name, unicode.IsControl)) {
			err = fmt.Errorf("line %d: %q is no name, or that of two engines", e.line, e.name)
		}
		names[e.name] = true
		engines = append(engines, e)
	}
	if n := len(engines); err == nil && (n < 2 || n > maxEngines) {
		err = fmt.Errorf("%d engines: want 2 to %d", n, maxEngines)
	}
	return formats[format], engines, err
}

// parse parses an engine. Its keys have the names of the flags for an engine.
func (e *engineEntry) parse(n *yaml.Node) error {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.StringVar(&e.name, "name", "", "")
	flags.StringVar(&e.command, "command", self, "")
	protocolFlag(flags, &e.protocol, "protocol", "")
	e.register(flags, "", "", "")
	known := strings.Fields("name command protocol tc movetime nodes depth options")
	return eachKey(n, known, func(key string, value *yaml.Node) error {
		if key != "options" {
			return set(flags.Lookup(key), "", value)
		}
		var options map[string]yaml.Node
		err := value.Decode(&options)
		for _, name := range slices.Sorted(maps.Keys(options)) {
			value := options[name]
			err = errors.Join(err, set(flags.Lookup("option"), name+"=", &value))
		}
		return err
	})
}

// set sets a flag to a scalar, after a text.
func set(flag *pflag.Flag, before string, value *yaml.Node) error {
	var text string
	if err := value.Decode(&text); err != nil {
		return err
	}
	return flag.Value.Set(before + text)
}

// eachKey calls set with each key of a mapping, in alphabetical order, and adds its line to
// an error.
func eachKey(n *yaml.Node, known []string, set func(key string, value *yaml.Node) error) error {
	if n == nil {
		return nil
	}
	var values map[string]yaml.Node
	if err := n.Decode(&values); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value := values[key]
		err := config.CheckChoice(key, known)
		if err == nil {
			err = set(key, &value)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", value.Line, key, err)
		}
	}
	return nil
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

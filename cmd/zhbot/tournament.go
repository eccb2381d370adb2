package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
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
	if err := f.setTournament(text); err != nil {
		return usagef("engines %s: %w", f.engines, err)
	}
	return nil
}

// tournamentFile is the file of a tournament. The keys of an engine have the names of the
// flags for one.
type tournamentFile struct {
	Format  string
	Engines []struct {
		Name     string
		Command  string
		Protocol string
		TC       string
		MoveTime time.Duration
		Nodes    uint64
		Depth    int
		Options  map[string]string
	}
}

// setTournament sets the tournament that the text of a file describes.
func (f *matchFlags) setTournament(text []byte) error {
	formats := map[string]func(int) []match.Pairing{"round-robin": match.RoundRobin, "gauntlet": match.Gauntlet}
	file := tournamentFile{Format: "round-robin"}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return err
	}
	if n := len(file.Engines); n < 2 || n > maxEngines {
		return fmt.Errorf("%d engines: want 2 to %d", n, maxEngines)
	}
	if err := config.CheckChoice(file.Format, slices.Sorted(maps.Keys(formats))); err != nil {
		return err
	}
	t := &tournament{}
	t.Pairings = formats[file.Format](len(file.Engines))
	for _, e := range file.Engines {
		if e.Name == "" || slices.Contains(t.Names, e.Name) || strings.ContainsFunc(e.Name, unicode.IsControl) {
			return fmt.Errorf("%q is no name, or that of two engines", e.Name)
		}
		s := sideFlags{command: cmp.Or(e.Command, self), protocol: cmp.Or(e.Protocol, string(external.UCI))}
		s.limit.MoveTime, s.limit.Nodes, s.limit.Depth = e.MoveTime, e.Nodes, e.Depth
		err := config.CheckChoice(s.protocol, protocols())
		if e.TC != "" && err == nil {
			s.tc, err = parseTC(e.TC)
		}
		for _, name := range slices.Sorted(maps.Keys(e.Options)) {
			err = errors.Join(err, s.addOption(name+"="+e.Options[name]))
		}
		if s.unlimited() {
			s.tc, s.limit = f.engine.tc, f.engine.limit
		}
		side := match.Side{}
		if err == nil {
			side, err = f.side("option", s)
		}
		if err = cmp.Or(err, side.Limit.Check()); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		side.Name = e.Name
		t.sides, t.flags, t.Names = append(t.sides, side), append(t.flags, s), append(t.Names, e.Name)
	}
	f.tournament = t
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

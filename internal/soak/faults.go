package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// When a fault can happen; "" is always.
const (
	inProcess     = "not with --child"
	engineProgram = "only with --engine-command, without --child"
	asChild       = "only with --child"
)

const (
	// longestHang bounds how long the disk does not answer.
	longestHang = 10 * time.Second
	// restartCost is what a kill costs until the bot plays again: one of its first calls may
	// hang in a connection that nobody answers.
	restartCost = 6 * time.Second
	// holdOff is how long the bot may leave a stream to another program that uses its token.
	holdOff = 10 * time.Second
)

// faultTable returns the faults of the server and those of what is around it.
func (s *soak) faultTable() []*lichesstest.Fault {
	type injection = lichesstest.Injection
	table := lichesstest.FaultTable()
	for _, f := range []struct {
		name, doc, when string
		weight          int
		cost            time.Duration
		do              func(*injection)
	}{
		{"second", "another program uses the token", "", 1, holdOff, s.useToken},

		{"disk", "the disk is full", inProcess, 2, 0, func(i *injection) { s.disk.fill(i.UpTo(time.Minute)) }},
		{"stuck", "writes to the disk hang", inProcess, 4, 0, func(i *injection) { s.disk.block(i.UpTo(longestHang)) }},
		{
			"panic", "searches panic", inProcess, 4, 0,
			func(i *injection) { s.engine.due.Add(int64(1 + i.Rand.IntN(3))) },
		},

		{"kill", "the engine program is killed", engineProgram, 4, 0, s.harm((*faultyProgram).kill)},
		{"freeze", "the engine program stops", engineProgram, 4, 0, s.harm((*faultyProgram).freeze)},
		{
			"corrupt", "the engine program writes nonsense, or nothing", engineProgram,
			6, 0, s.harm((*faultyProgram).corrupt),
		},

		{"crash", "the bot is killed", asChild, 2, restartCost, s.killChild},
		{
			"start", "the bot is killed, and then its engine program is slow to start, or missing", asChild,
			2, restartCost, func(i *injection) {
				s.child.spoilProgram(i.Rand)
				s.killChild(i)
			},
		},
		{"log", "the reader of the bot's log ends", asChild, 2, 0, func(*injection) { s.child.cutLog() }},
	} {
		table = append(table, &lichesstest.Fault{
			Name: f.name, Doc: f.doc, When: f.when, Weight: f.weight, Cost: f.cost, Inject: f.do,
		})
	}
	return table
}

// faults returns the faults that are asked for and can happen.
func (s *soak) faults() []*lichesstest.Fault {
	can := map[string]bool{
		"": true, inProcess: !s.Child, engineProgram: s.watchesProgram(), asChild: s.Child,
	}
	return slices.DeleteFunc(s.faultTable(), func(f *lichesstest.Fault) bool {
		return !slices.Contains(s.Faults.names, f.Name) || !can[f.When]
	})
}

// watchesProgram reports whether an engine program searches that can be watched.
func (o *Options) watchesProgram() bool { return o.Command != "" && !o.Child }

// CannotHappen reports whether there is nothing that any of the faults hits.
func (o *Options) CannotHappen() bool {
	return len(o.Faults.names) > 0 && len((&soak{Options: *o}).faults()) == 0
}

// Faults are faults that happen, as [ParseFaults] reads them.
type Faults struct {
	text  string
	names []string
}

// String returns what [ParseFaults] accepts.
func (f Faults) String() string { return f.text }

// group is a group of faults.
type group struct {
	name, doc string
	has       func(*lichesstest.Fault) bool
}

// groups returns the groups of faults.
func groups() []group {
	return []group{
		{"all", "all that can happen", func(*lichesstest.Fault) bool { return true }},
		{"mild", "those that cost no time", isMild},
		{"engine", "those of an engine program", func(f *lichesstest.Fault) bool { return f.When == engineProgram }},
		{"none", "none at all", func(*lichesstest.Fault) bool { return false }},
	}
}

// isMild reports whether a fault costs no time.
func isMild(f *lichesstest.Fault) bool { return f.Chance > 0 && f.Cost == 0 }

// FaultHelp lists what [ParseFaults] accepts, a line each, as Markdown has lists.
func FaultHelp() string {
	var text strings.Builder
	for _, g := range groups() {
		fmt.Fprintf(&text, "- %s: %s\n", g.name, g.doc)
	}
	for _, f := range new(soak).faultTable() {
		note := f.When
		if isMild(f) {
			note = "mild"
		}
		fmt.Fprintf(&text, "- %s: %s\n", f.Name, strings.TrimSuffix(f.Doc+" ("+note+")", " ()"))
	}
	return text.String()
}

// FaultChoices returns the groups and the names of all faults.
func FaultChoices() (names []string) {
	for _, g := range groups() {
		names = append(names, g.name)
	}
	all, _ := ParseFaults(names[0])
	return append(names, all.names...)
}

// ParseFaults parses a group, or names separated by commas.
func ParseFaults(text string) (Faults, error) {
	f := Faults{text: text}
	for _, g := range groups() {
		if g.name == text {
			for _, fault := range new(soak).faultTable() {
				if g.has(fault) {
					f.names = append(f.names, fault.Name)
				}
			}
			return f, nil
		}
	}
	choices := FaultChoices()
	if f.names = strings.Split(text, ","); len(f.names) > 1 { // a group stands alone
		choices = choices[len(groups()):]
	}
	for _, name := range f.names {
		if err := config.CheckChoice(name, choices); err != nil {
			return Faults{}, err
		}
	}
	return f, nil
}

// injectFaults injects faults at random until the context ends, and counts them by name. None
// takes more than half of what is left on a clock of the bot, and what it takes is given back.
func (s *soak) injectFaults(ctx context.Context) {
	var faults []*lichesstest.Fault
	for _, f := range s.faults() {
		switch {
		case f.Chance > 0:
			s.server.Faults.Inject(f.Name, lichesstest.When{Chance: f.Chance})
		case f.Inject != nil:
			faults = append(faults, f)
		}
	}
	rng := rand.New(rand.NewPCG(s.Seed, 500)) //nolint:gosec // chance, not secrets
	i := lichesstest.Injection{Server: s.server, Bot: app.SandboxBot, Rand: rng}
	defer s.disk.restore()
	for len(faults) > 0 {
		if lichess.Sleep(ctx, i.Lasts+time.Duration(rng.ExpFloat64()*float64(s.Every))) != nil {
			return
		}
		i.Lasts = 0
		if i.Fault = pick(faults, &i); i.Fault != nil {
			s.report.faults[i.Name]++
			i.Inject(&i)
			s.server.Refund(i.Bot, i.Lasts)
		}
	}
}

// pick draws one of the faults for which there is time, by their weights; nil if there is
// none.
func pick(faults []*lichesstest.Fault, i *lichesstest.Injection) (drawn *lichesstest.Fault) {
	left, playing := i.Server.LeastTime(i.Bot)
	if !playing {
		i.Server.Faults.ClearNext() // all would hit the next challenge
		return nil
	}
	i.Budget = left / 2
	total := 0
	for _, f := range faults {
		if max(f.Cost, lichesstest.ShortestFault) < i.Budget {
			if total += f.Weight; i.Rand.IntN(total) < f.Weight {
				drawn = f
			}
		}
	}
	return drawn
}

// useToken does what another start of the bot would: its event stream ends the first one's,
// and its stream of a game the first one's of that game.
func (s *soak) useToken(i *lichesstest.Injection) {
	i.Lasts = holdOff
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if stream, err := s.second.StreamEvents(ctx); err == nil {
		stream.Close()
	}
	if _, err := s.second.Account(ctx); err != nil { // for the same User-Agent
		return
	}
	if ids := i.Server.Playing(i.Bot); len(ids) > 0 { // one is enough
		if stream, err := s.second.StreamGame(ctx, ids[0]); err == nil {
			stream.Close()
		}
	}
}

// killChild kills the bot.
func (s *soak) killChild(i *lichesstest.Injection) {
	i.Lasts = restartCost
	s.child.kill()
}

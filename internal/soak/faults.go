package soak

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// What faults need beside the server.
const (
	inProcess     = "not with --child"
	engineProgram = "only with --engine-command, without --child"
	asChild       = "only with --child"
	nameServer    = "only with --child, as root on Linux"
)

// faultTable returns the faults of the server and those of what is around it.
func (k *soak) faultTable() []*lichesstest.Fault {
	return append(lichesstest.FaultTable(), []*lichesstest.Fault{
		{Name: "second", Doc: "another program uses the token", Weight: 1, Inject: k.useToken},

		{Name: "disk", Doc: "the disk is full", Needs: inProcess, Weight: 2, Inject: func(i *lichesstest.Injection) { k.disk.fill(i.UpTo(time.Minute)) }},
		{Name: "stuck", Doc: "writes to the disk hang", Needs: inProcess, Weight: 4, Inject: func(i *lichesstest.Injection) { k.disk.block(i.UpTo(longestHang)) }},
		{Name: "panic", Doc: "searches panic", Needs: inProcess, Weight: 4, Inject: func(i *lichesstest.Injection) { k.engine.due.Add(int64(1 + i.Rand.IntN(3))) }},

		{Name: "kill", Doc: "the engine program is killed", Needs: engineProgram, Weight: 4, Inject: k.harm((*faultyProgram).kill)},
		{Name: "freeze", Doc: "the engine program stops", Needs: engineProgram, Weight: 4, Inject: k.harm((*faultyProgram).freeze)},
		{Name: "corrupt", Doc: "the engine program writes nonsense, or nothing", Needs: engineProgram, Weight: 6, Inject: k.harm((*faultyProgram).corrupt)},

		{Name: "crash", Doc: "the bot is killed", Needs: asChild, Weight: 2, Cost: restartCost, Inject: k.killChild},
		{Name: "start", Doc: "the bot is killed, and then its engine program is slow to start, or missing", Needs: asChild, Weight: 2, Cost: restartCost, Inject: func(i *lichesstest.Injection) {
			k.child.spoilProgram(i.Rand)
			k.killChild(i)
		}},
		{Name: "log", Doc: "the reader of the bot's log ends", Needs: asChild, Weight: 2, Inject: func(*lichesstest.Injection) { k.child.cutLog() }},
		{Name: "names", Doc: "no name server answers", Needs: nameServer, Weight: 4, Inject: k.silenceNames},
	}...)
}

// hasFor reports whether a soak with these options has what a fault needs.
func (o *Options) hasFor(f *lichesstest.Fault) bool {
	switch f.Needs {
	case inProcess:
		return !o.Child
	case engineProgram:
		return o.watchesProgram()
	case asChild, nameServer:
		return o.Child
	}
	return true
}

// watchesProgram reports whether an engine program searches that can be watched.
func (o *Options) watchesProgram() bool { return o.Command != "" && !o.Child }

// group is a group of faults.
type group struct {
	name, doc string
	has       func(*lichesstest.Fault) bool
}

var groups = []group{
	{"all", "all that can happen", func(*lichesstest.Fault) bool { return true }},
	{"mild", "those that cost no time", isMild},
	{"engine", "those of an engine program", func(f *lichesstest.Fault) bool { return f.Needs == engineProgram }},
	{"none", "none at all", func(*lichesstest.Fault) bool { return false }},
}

// isMild reports whether a fault costs no time.
func isMild(f *lichesstest.Fault) bool { return f.Chance > 0 && f.Cost == 0 }

// faults returns the names of the faults in a group.
func (g *group) faults() (names Faults) {
	for _, f := range new(soak).faultTable() {
		if g.has(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Faults are the names of the faults that happen.
type Faults []string

// AllFaults returns the names of all faults.
func AllFaults() Faults { return groups[0].faults() }

// FaultHelp lists what [ParseFaults] accepts, a line each, as Markdown has lists.
func FaultHelp() string {
	var text strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&text, "- %s: %s\n", g.name, g.doc)
	}
	for _, f := range new(soak).faultTable() {
		note := f.Needs
		if isMild(f) {
			note = "mild"
		}
		fmt.Fprintf(&text, "- %s: %s\n", f.Name, strings.TrimSuffix(f.Doc+" ("+note+")", " ()"))
	}
	return text.String()
}

// FaultChoices returns the groups and the names of all faults.
func FaultChoices() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return append(names, AllFaults()...)
}

// ParseFaults parses a group, or names separated by commas.
func ParseFaults(text string) (Faults, error) {
	for _, g := range groups {
		if g.name == text {
			return g.faults(), nil
		}
	}
	names, choices := strings.Split(text, ","), FaultChoices()
	if len(names) > 1 { // a group stands alone
		choices = AllFaults()
	}
	for _, name := range names {
		if err := config.CheckChoice(name, choices); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// String returns what [ParseFaults] accepts.
func (f Faults) String() string {
	for _, g := range groups {
		if slices.Equal(f, g.faults()) {
			return g.name
		}
	}
	return strings.Join(f, ",")
}

// CannotHappen reports whether there is nothing that any of the faults hits.
func (o *Options) CannotHappen() bool {
	return len(o.Faults) > 0 && len((&soak{Options: *o}).faults()) == 0
}

// faults returns the faults that are asked for and can happen.
func (k *soak) faults() []*lichesstest.Fault {
	return slices.DeleteFunc(k.faultTable(), func(f *lichesstest.Fault) bool {
		return !slices.Contains(k.Faults, f.Name) || !k.hasFor(f)
	})
}

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
)

// faultTable returns the faults of the server and those of what is around it.
func (s *soak) faultTable() []*lichesstest.Fault {
	type injection = lichesstest.Injection
	return append(lichesstest.FaultTable(), []*lichesstest.Fault{
		{Name: "disk", Doc: "the disk is full", When: inProcess, Weight: 2, Inject: func(i *injection) {
			s.disk.fill(i.UpTo(time.Minute))
		}},
		{Name: "stuck", Doc: "writes to the disk hang", When: inProcess, Weight: 4, Inject: func(i *injection) {
			s.disk.block(i.UpTo(longestHang))
		}},
		{Name: "panic", Doc: "searches panic", When: inProcess, Weight: 4, Inject: func(i *injection) {
			s.engine.due.Add(int64(1 + i.Rand.IntN(3)))
		}},

		{Name: "kill", Doc: "the engine program is killed", When: engineProgram, Weight: 4, Inject: s.harm(kill)},
		{Name: "freeze", Doc: "the engine program stops", When: engineProgram, Weight: 4, Inject: s.harm(freeze)},
		{Name: "corrupt", Doc: "the engine program writes nonsense, or nothing", When: engineProgram, Weight: 6,
			Inject: s.harm(corrupt)},

		{Name: "crash", Doc: "the bot is killed", When: asChild, Weight: 2, Cost: restartCost, Inject: s.killChild},
		{Name: "start", Doc: "the bot is killed, and then its engine program is slow to start, or missing", When: asChild,
			Weight: 2, Cost: restartCost, Inject: func(i *injection) {
				s.child.spoilProgram(i.Rand)
				s.killChild(i)
			}},
	}...)
}

// faults returns the faults that are asked for and can happen.
func (s *soak) faults() []*lichesstest.Fault {
	can := map[string]bool{"": true, inProcess: !s.Child, engineProgram: s.watchesProgram(), asChild: s.Child}
	return slices.DeleteFunc(s.faultTable(), func(f *lichesstest.Fault) bool {
		return !slices.Contains(s.Faults.names, f.Name) || !can[f.When]
	})
}

// watchesProgram reports whether an engine program searches that can be watched.
func (o *Options) watchesProgram() bool { return o.Engine.Command != "" && !o.Child }

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

// isIn reports whether a fault is one of a group.
func isIn(group string, f *lichesstest.Fault) bool {
	switch group {
	case "all":
		return true
	case "mild":
		return f.Chance > 0 && f.Cost == 0
	}
	return group == "engine" && f.When == engineProgram
}

// FaultHelp lists what [ParseFaults] accepts, a line each, as Markdown has lists.
func FaultHelp() string {
	text := "- all: all that can happen\n- mild: those that cost no time\n" +
		"- engine: those of an engine program\n- none: none at all\n"
	for _, f := range new(soak).faultTable() {
		note := f.When
		if isIn("mild", f) {
			note = "mild"
		}
		text += fmt.Sprintf("- %s: %s\n", f.Name, strings.TrimSuffix(f.Doc+" ("+note+")", " ()"))
	}
	return text
}

// ParseFaults parses groups and names, separated by commas.
func ParseFaults(text string) (Faults, error) {
	f, parts, choices := Faults{text: text}, strings.Split(text, ","), []string{"all", "mild", "engine", "none"}
	for _, fault := range new(soak).faultTable() {
		choices = append(choices, fault.Name)
		if slices.ContainsFunc(parts, func(part string) bool { return part == fault.Name || isIn(part, fault) }) {
			f.names = append(f.names, fault.Name)
		}
	}
	for _, part := range parts {
		if err := config.CheckChoice(part, choices); err != nil {
			return Faults{}, err
		}
	}
	return f, nil
}

// injectFaults injects faults at random until the context ends, and counts them by name. None
// takes more than half of what is left on a clock of the bot, nor of its last seconds.
func (s *soak) injectFaults(ctx context.Context) {
	var faults []*lichesstest.Fault
	for _, f := range s.faults() {
		if f.Chance > 0 {
			s.server.Faults.Inject(f.Name, lichesstest.When{Chance: f.Chance})
		} else {
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

// killChild kills the bot.
func (s *soak) killChild(i *lichesstest.Injection) {
	i.Lasts = restartCost
	s.child.kill(false)
}

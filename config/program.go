package config

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine/human"
)

// The values of [Engine.Protocol].
const (
	UCI    = "uci"
	XBoard = "xboard"
)

// The values of [Engine.Clock]: who plans the time of the program's moves.
const (
	BotClock     = "bot"
	ProgramClock = "program" // it is told the clocks, and only stopped before the flag falls
)

// variantOption is the UCI option that the bot sets itself.
const variantOption = "UCI_Variant"

// Option is a UCI option of the engine program.
type Option struct{ Name, Value string }

// String returns the option in the form of [Option.UnmarshalText].
func (o Option) String() string { return o.Name + "=" + o.Value }

// UnmarshalText parses an option such as "Skill Level=15".
func (o *Option) UnmarshalText(text []byte) error {
	name, value, ok := strings.Cut(string(text), "=")
	*o = Option{strings.TrimSpace(name), strings.TrimSpace(value)}
	switch {
	case !ok || o.Name == "" || strings.ContainsAny(string(text), "\r\n"):
		return fmt.Errorf("%q is not an option; want the form Name=Value", text)
	case strings.EqualFold(o.Name, variantOption):
		return fmt.Errorf("%s is set by the bot, always to crazyhouse", variantOption)
	}
	return nil
}

// programWarnings adds the effects of the engine program's settings that may surprise.
func (e *Engine) programWarnings(add func(format string, args ...any)) {
	switch {
	case e.Command == "" && (len(e.Options) > 0 || e.Protocol == XBoard || e.Clock == ProgramClock):
		add("engine.command: without a program, engine.protocol, clock and options have no effect")
	case e.Protocol == XBoard && e.MaxNodes > 0:
		add("engine.max_nodes: it limits only our own search, as xboard's protocol has no limit of nodes")
	case e.Command != "" && e.Skill < human.MaxLevel:
		add("engine.skill: it limits only our own search, not the program of engine.command; see the program's own " +
			"options")
	}
}

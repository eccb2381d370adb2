package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/term"
)

// newCtlCommand has a command for each of those that package control lists.
func newCtlCommand() *cobra.Command {
	var s settings
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "ctl",
		Args: asFailure(&asJSON, checkArgs),
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return asFailure(&asJSON, func(*cobra.Command, []string) error { return &usageError{err} })(cmd, nil)
	})
	s.addFlags(cmd.PersistentFlags())
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print the result, or the error, as JSON")
	for _, c := range control.Commands() {
		cmd.AddCommand(newControlCommand(&s, &asJSON, c))
	}
	return cmd
}

// newControlCommand sends one command to the bot.
func newControlCommand(s *settings, asJSON *bool, c control.Command) *cobra.Command {
	option, count := false, ""
	request := func(args []string) control.Request {
		if option {
			args = append(args, "--"+c.Option)
		}
		if count != "" {
			args = append(args, "--"+c.Count+"="+count)
		}
		return control.Request{Command: c.Name, Args: args}
	}
	cmd := &cobra.Command{
		Use:     strings.TrimSpace(c.Name + " " + c.Args),
		Short:   c.Short,
		Long:    strings.TrimSpace(c.Short + ".\n\n" + c.Long),
		Example: strings.TrimRight("  zhbot ctl "+c.Name+" "+c.Example, " "),
		Args: asFailure(asJSON, func(_ *cobra.Command, args []string) error {
			if err := request(args).Check(); err != nil {
				return &usageError{fmt.Errorf("zhbot ctl %w", err)}
			}
			return nil
		}),
		RunE: asFailure(asJSON, func(cmd *cobra.Command, args []string) error {
			settings, err := s.load()
			if err != nil {
				return err
			}
			result, err := control.Send(cmd.Context(), settings, request(args))
			switch {
			case errors.As(err, new(*control.UsageError)): // an older bot may not know the command
				return &usageError{fmt.Errorf("zhbot ctl: %w", err)}
			case err != nil:
				return fmt.Errorf("ctl %s: %w", c.Name, err)
			}
			return printResult(cmd.OutOrStdout(), &result, *asJSON)
		}),
	}
	if c.Option != "" {
		cmd.Flags().BoolVar(&option, c.Option, false, c.OptionUsage)
		cmd.Example += "\n" + cmd.Example + " --" + c.Option
	}
	if c.Count != "" {
		cmd.Flags().StringVar(&count, c.Count, "", c.CountUsage+" (default 10)")
	}
	if strings.HasSuffix(c.Args, "TEXT") {
		cmd.Flags().SetInterspersed(false) // the text may begin with a dash
	}
	return cmd
}

// asFailure has an error of f printed as JSON, too, if the output is.
func asFailure(asJSON *bool, f func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd, args)
		if err != nil && *asJSON {
			return errors.Join(err, printJSON(cmd.OutOrStdout(), control.Failure{Error: err.Error()}))
		}
		return err
	}
}

// printResult prints what a command has done.
func printResult(out io.Writer, r *control.Result, asJSON bool) error {
	switch {
	case asJSON && r.Status != nil:
		return printJSON(out, r.Status)
	case asJSON:
		return printJSON(out, r)
	case r.Status != nil:
		return printStatus(out, r.Status)
	}
	_, err := fmt.Fprintln(out, term.Printable(r.Message))
	return err
}

// printJSON prints a value for machines.
func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// printStatus prints what a bot is doing, for people.
func printStatus(out io.Writer, s *bot.Status) error {
	connection := "connected"
	if !s.Connected {
		connection = "not connected"
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, term.Printable(fmt.Sprintf(format, args...)))
	}
	row("bot", "%s on %s, %s, zhbot %s, up for %s", cmp.Or(s.Account, "not logged in"), s.Server, connection, s.Version, since(s.Started))
	if s.Records != (record.Backlog{}) {
		row("records", "%s", s.Records)
	}
	if s.Draining {
		row("draining", "ends when its games are over")
	}
	if p := s.Paused; p != nil {
		until := "until the program ends or is resumed"
		if p.Keep {
			until = "until it is resumed"
		}
		row("paused", "since %s, %s", p.Since.Local().Format("15:04 on 2 January"), until)
	}
	row("games", "%d of %d, %d against bots", s.Slots.Games, s.Slots.Max, s.Slots.Bots)
	for i := range s.Games {
		row("", "%s", describeGame(&s.Games[i]))
	}
	for _, c := range s.Challenges {
		row("challenge", "%s to %s, to be cancelled in %s unless answered", c.ID, cmp.Or(c.User, "somebody"), max(0, time.Until(c.CancelAt)).Round(time.Second))
	}
	matchmaking := map[bool]string{true: "on", false: "off"}[s.Matchmaking.On]
	if s.Matchmaking.Operator {
		matchmaking += ", by \"zhbot ctl matchmaking\""
	}
	if s.Matchmaking.Note != "" {
		matchmaking += ", " + s.Matchmaking.Note
	}
	row("matchmaking", "%s", matchmaking)
	if g := s.Gauntlet; g != nil {
		state := map[bool]string{true: "over: ", false: ""}[g.Over]
		row("gauntlet", "%s%s", state, g.Summary())
	}
	for _, a := range s.Arenas {
		row("arena", "%s (%s): %s", a.Name, a.ID, a.State)
	}
	if s.SPRT != nil {
		row("test", "%s", s.SPRT)
	}
	return w.Flush()
}

// since returns how long ago a time was.
func since(at time.Time) string {
	d := time.Since(at)
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// describeGame describes a game in a line.
func describeGame(g *bot.GameStatus) string {
	them := strings.TrimSpace(g.Opponent.Title + " " + g.Opponent.Name)
	if g.Opponent.Rating > 0 {
		them += fmt.Sprintf(" (%d)", g.Opponent.Rating)
	}
	mode := map[bool]string{true: "rated", false: "casual"}[g.Rated]
	turn := map[bool]string{true: "our turn", false: "their turn"}[g.OurTurn]
	text := fmt.Sprintf("%s  %s against %s, %s, move %d, %s", g.ID, g.Color, them, strings.TrimSpace(g.Clock+" "+mode), g.Plies/2+1, turn)
	if g.Clock != "" {
		text += fmt.Sprintf(", clock %s to %s", clock(g.Left), clock(g.TheirLeft))
	}
	return text
}

// clock formats seconds as 3:07.
func clock(s float64) string { return fmt.Sprintf("%d:%02d", int(s)/60, int(s)%60) }

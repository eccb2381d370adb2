package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/term"
)

// ctlCommand is a command of "zhbot ctl".
type ctlCommand struct {
	use string
	set func(r *control.Request, args []string) // nil if it has no arguments
}

// ctlCommands returns the commands, in the order in which help lists them.
func ctlCommands() []ctlCommand {
	return []ctlCommand{
		{"status", nil}, {"pause", nil}, {"resume", nil},
		{"challenge USER CLOCK [rated|casual] [white|black]", setChallenge},
		{"rematch", nil},
		{"gauntlet USERS|stop [CLOCK] [rated|casual]", setGauntlet},
		{"cancel", nil},
		{"block USER", setUser}, {"allow USER", setUser}, {"unblock USER", setUser},
		{"matchmaking on|off", setMatchmaking},
		{"arena [leave] ID", setArena},
		{"resign GAME", setGame}, {"abort GAME", setGame}, {"draw GAME", setGame}, {"say GAME TEXT...", setGame},
		{"drain", nil}, {"reload", nil},
	}
}

func setUser(r *control.Request, args []string) { r.User = args[0] }

func setGame(r *control.Request, args []string) {
	r.Game, r.Text = args[0], strings.Join(args[1:], " ")
}

func setChallenge(r *control.Request, args []string) {
	setUser(r, args)
	setTerms(r, args[1:])
}

func setGauntlet(r *control.Request, args []string) {
	if r.Stop = slices.Equal(args, []string{"stop"}); !r.Stop {
		r.Users = strings.Split(args[0], ",")
		setTerms(r, args[1:])
	}
}

func setMatchmaking(r *control.Request, args []string) {
	if on := args[0] == "on"; on || args[0] == "off" {
		r.On = &on
	}
}

func setArena(r *control.Request, args []string) {
	if r.Leave = len(args) == 2 && args[0] == "leave"; r.Leave {
		args = args[1:]
	}
	r.Arena = strings.Join(args, " ")
}

// setTerms sets the clock, and the words after it in any order. One that is unknown, or
// given twice, makes the request invalid.
func setTerms(r *control.Request, words []string) {
	for i, word := range words {
		field := &r.Mode
		switch {
		case i == 0:
			field = &r.Clock
		case word == "white" || word == "black":
			field = &r.Color
		}
		*field = strings.TrimSpace(*field + " " + word)
	}
}

func newCtlCommand() *cobra.Command {
	var s settings
	var asJSON bool
	ctl := &cobra.Command{Use: "ctl"}
	s.addFlags(ctl.PersistentFlags())
	ctl.PersistentFlags().BoolVar(&asJSON, "json", false, "print the result, or the error, as JSON")
	for _, c := range ctlCommands() {
		ctl.AddCommand(c.command(&s, &asJSON))
	}
	return ctl
}

// command returns the command that sends the request to the bot.
func (c *ctlCommand) command(s *settings, asJSON *bool) *cobra.Command {
	var r control.Request
	cmd := command(c.use, func(cmd *cobra.Command, args []string) error {
		if c.set != nil {
			c.set(&r, args)
		}
		settings, err := s.load("ctl", "records")
		if err != nil {
			return err
		}
		result, err := control.Send(cmd.Context(), settings, r)
		switch _, invalid := errors.AsType[*control.UsageError](err); {
		case invalid:
			return usagef("zhbot ctl %w", err)
		case err != nil:
			return err
		}
		return printResult(cmd.OutOrStdout(), &result, *asJSON)
	})
	r.Command = cmd.Name()
	switch f := cmd.Flags(); r.Command {
	case "pause":
		f.BoolVar(&r.Keep, "keep", false, "keep the pause after a restart")
	case "gauntlet":
		f.IntVar(&r.Pairs, "pairs", 10, "pairs of games against each")
	case "say":
		f.SetInterspersed(false) // the text may begin with a dash
	}
	return cmd
}

// printFailure prints the error of a command of "zhbot ctl" as JSON, too, if it was to
// print JSON.
func printFailure(cmd *cobra.Command, message string) {
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON && strings.HasPrefix(cmd.CommandPath(), "zhbot ctl") {
		_ = printJSON(cmd.OutOrStdout(), control.Result{Error: message})
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

// newTable returns a writer that aligns columns separated by tabs.
func newTable(out io.Writer, flags uint) *tabwriter.Writer {
	return tabwriter.NewWriter(out, 0, 0, 2, ' ', flags)
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
	w := newTable(out, 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, term.Printable(fmt.Sprintf(format, args...)))
	}
	row("bot", "%s on %s, %s, zhbot %s, up for %s",
		cmp.Or(s.Account, "not logged in"), s.Server, connection, s.Version, since(s.Started))
	for _, notice := range s.Notices {
		row("notice", "%s", notice)
	}
	row("games", "%d of %d, %d against bots", s.Slots.Games, s.Slots.Max, s.Slots.Bots)
	for i := range s.Games {
		row("", "%s", describeGame(&s.Games[i]))
	}
	for _, c := range s.Challenges {
		row("challenge", "%s to %s, to be cancelled in %s unless answered",
			c.ID, cmp.Or(c.User, "somebody"), max(0, time.Until(c.CancelAt)).Round(time.Second))
	}
	matchmaking := map[bool]string{true: "on", false: "off"}[s.Matchmaking.On]
	if s.Matchmaking.Operator {
		matchmaking += ", by \"zhbot ctl matchmaking\""
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
	text := fmt.Sprintf("%s  %s against %s, %s, move %d, %s",
		g.ID, g.Color, them, strings.TrimSpace(g.Clock+" "+mode), g.Plies/2+1, turn)
	if g.Clock != "" {
		text += fmt.Sprintf(", clock %s to %s", clock(g.Left), clock(g.TheirLeft))
	}
	if g.Arena != "" {
		text += ", in the arena " + g.Arena
	}
	if g.LastMove != "" {
		text += ", last " + g.LastMove
	}
	if g.Search != nil {
		text += ", " + g.Search.String()
	}
	return text
}

// clock formats seconds as 3:07.
func clock(s float64) string { return fmt.Sprintf("%d:%02d", int(s)/60, int(s)%60) }

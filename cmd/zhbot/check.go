package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/internal/setup"
	"github.com/zhbot/zhbot/lichess"
)

func newCheckCommand() *cobra.Command {
	var s settings
	var challenge challengeFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check whether the bot can run, and explain what to do if not",
		Long: "check reads the configuration, asks the server about token, scopes and account, and tests\n" +
			"the engine. Its exit code is 0 only if everything is in order.\n\n" +
			"With a challenge, from a file or described by flags, check prints instead what the bot would\n" +
			"answer, and which rule decides. That needs no account; the exit code is 0 for either answer.",
		Example: "  zhbot check\n  zhbot check --config config.yaml\n  zhbot check --challenge challenge.json\n" +
			"  zhbot check --as human --rating 1900 --tc 3+2 --rated",
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, err := s.source()
			if err != nil {
				return err
			}
			isChallenge, err := challenge.requested()
			if err != nil {
				return err
			}
			var ok bool
			if isChallenge {
				ok = setup.CheckChallenge(cmd.Context(), source, setup.ChallengeCheck{
					Read:      func() (*lichess.ChallengeCreated, error) { return challenge.event(cmd) },
					OwnRating: challenge.ownRating, Today: challenge.today,
				}, cmd.OutOrStdout())
			} else {
				ok = setup.Check(cmd.Context(), source, cmd.OutOrStdout())
			}
			if !ok {
				return errors.New("check: not ready, see above")
			}
			return nil
		},
	}
	s.addFlags(cmd.Flags())
	challenge.addFlags(cmd.Flags())
	return cmd
}

// challengeFlags are the flags that describe a challenge to check: a file with what
// Lichess sent, or its properties.
type challengeFlags struct {
	flags *pflag.FlagSet

	file        string
	as, from    string
	rating      int
	ownRating   int
	provisional bool
	clock       lichess.Clock
	days        int
	unlimited   bool
	rated       bool
	variant     string
	rules       []string
	today       int
}

func (a *challengeFlags) addFlags(f *pflag.FlagSet) {
	a.flags = f
	f.StringVar(&a.file, "challenge", "", "file with a challenge as Lichess sends it (- for standard input): print what the bot would answer to it")
	choiceFlag(f, &a.as, "as", "human", []string{"human", "bot"}, "kind of challenger: human or bot")
	f.StringVar(&a.from, "from", "", "the challenger's name")
	f.IntVar(&a.rating, "rating", 1500, "the challenger's rating")
	f.BoolVar(&a.provisional, "provisional", false, "this rating is provisional")
	clockFlag(f, &a.clock, "", lichess.ParseClock, "the clock, such as 3+2; or give --days or --unlimited")
	f.IntVar(&a.days, "days", 0, "days per move, instead of a clock")
	f.BoolVar(&a.unlimited, "unlimited", false, "no clock at all")
	f.BoolVar(&a.rated, "rated", false, "a rated game; casual without it")
	f.StringVar(&a.variant, "variant", lichess.Crazyhouse, "key of the variant")
	f.StringSliceVar(&a.rules, "rules", nil, "special rules such as noAbort")
	f.IntVar(&a.ownRating, "own-rating", 0, "our rating (default: the one in the file, or unknown)")
	f.IntVar(&a.today, "games-today", 0, "games with this challenger in the last 24 hours")
}

// describingFlags are the flags that describe a challenge without a file.
var describingFlags = []string{"as", "from", "rating", "provisional", "tc", "days", "unlimited", "rated", "variant", "rules"}

// requested reports whether there is a challenge to check, or what is wrong with the
// flags.
func (a *challengeFlags) requested() (bool, error) {
	described := slices.IndexFunc(describingFlags, a.flags.Changed)
	switch {
	case a.flags.Changed("challenge") && a.file == "":
		return false, &usageError{errors.New("--challenge: want a file, or flags such as --as human --rating 1900 --tc 3+2 --rated")}
	case a.file != "" && described >= 0:
		return false, &usageError{fmt.Errorf("--%s: this is in the file of --challenge already", describingFlags[described])}
	case a.file != "":
		return true, nil
	case described >= 0, a.flags.Changed("own-rating"), a.flags.Changed("games-today"):
		return true, a.checkFlags()
	}
	return false, nil
}

func (a *challengeFlags) checkFlags() error {
	clocks := 0
	for _, name := range []string{"tc", "days", "unlimited"} {
		if a.flags.Changed(name) {
			clocks++
		}
	}
	switch {
	case clocks != 1:
		return &usageError{errors.New("want one of --tc 3+2, --days 3 and --unlimited")}
	case a.clock.Initial%time.Second != 0 || a.clock.Increment%time.Second != 0:
		return &usageError{fmt.Errorf("--tc %s: Lichess counts whole seconds", a.clock)}
	case a.flags.Changed("days") && a.days < 1:
		return &usageError{fmt.Errorf("--days %d: want at least 1", a.days)}
	}
	return nil
}

// event returns the challenge as the event stream would bring it.
func (a *challengeFlags) event(cmd *cobra.Command) (*lichess.ChallengeCreated, error) {
	if a.file == "" {
		return a.fromFlags(), nil
	}
	in, err := openInput(cmd, a.file)
	if err != nil {
		return nil, fmt.Errorf("read the challenge: %w", err)
	}
	defer func() { _ = in.Close() }() // it was only read
	e, err := setup.ReadChallenge(in)
	if err != nil {
		return nil, fmt.Errorf("read the challenge in %s: %w", a.file, err)
	}
	return e, nil
}

// fromFlags builds the challenge that the flags describe.
func (a *challengeFlags) fromFlags() *lichess.ChallengeCreated {
	from := &lichess.Player{ID: "somebody", Name: "somebody", Rating: a.rating, Provisional: a.provisional}
	if a.from != "" {
		from.ID, from.Name = a.from, a.from
	}
	if a.as == "bot" {
		from.Title = "BOT"
	}
	c := lichess.Challenge{
		Challenger: from, Variant: lichess.Variant{Key: a.variant}, Rated: a.rated, Rules: a.rules,
		Speed: lichess.Correspondence, TimeControl: lichess.TimeControl{Type: lichess.UnlimitedControl},
	}
	switch {
	case a.days > 0:
		c.TimeControl = lichess.TimeControl{Type: lichess.CorrespondenceControl, DaysPerTurn: a.days}
	case a.flags.Changed("tc"):
		c.Speed, c.TimeControl = a.clock.Speed(), lichess.TimeControl{Type: lichess.ClockControl, Clock: a.clock}
	}
	return &lichess.ChallengeCreated{Challenge: c, Compat: &lichess.Compat{Bot: c.Speed != lichess.UltraBullet, Board: true}}
}

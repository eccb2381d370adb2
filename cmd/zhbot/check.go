package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/setup"
	"github.com/zhbot/zhbot/lichess"
)

func newCheckCommand() *cobra.Command {
	var challenge challengeFlags
	var notify bool
	cmd := settingsCommand("check", func(cmd *cobra.Command, source config.Source) error {
		isChallenge, err := challenge.requested()
		if err != nil {
			return err
		}
		var ok bool
		if isChallenge {
			q := challenge.question
			q.Read = func() (*lichess.ChallengeCreated, error) { return challenge.event(cmd) }
			ok = setup.CheckChallenge(cmd.Context(), source, q, cmd.OutOrStdout())
		} else {
			ok = setup.Check(cmd.Context(), source, notify, cmd.OutOrStdout())
		}
		if !ok {
			return errors.New("not ready, see above")
		}
		return nil
	})
	challenge.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&notify, "notify", false, "send a test notification to notify.urls")
	return cmd
}

// challengeFlags are the flags that describe a challenge to check: a file with what
// Lichess sent, or its properties.
type challengeFlags struct {
	flags *pflag.FlagSet

	file       string
	challenge  lichess.Challenge // without a file
	challenger lichess.Player
	as         string
	question   setup.ChallengeCheck
}

func (a *challengeFlags) addFlags(f *pflag.FlagSet) {
	a.flags = f
	c, control := &a.challenge, &a.challenge.TimeControl
	f.StringVar(&a.file, "challenge", "",
		"file with a challenge as Lichess sends it (- for standard input): print what the bot would answer to it")
	choiceFlag(f, &a.as, "as", "human", []string{"human", "bot"}, "kind of challenger: human or bot")
	f.StringVar(&a.challenger.Name, "from", "somebody", "the challenger's name")
	f.IntVar(&a.challenger.Rating, "rating", 1500, "the challenger's rating")
	f.BoolVar(&a.challenger.Provisional, "provisional", false, "this rating is provisional")
	clockFlag(f, &control.Clock, "", lichess.ParseClock, "the clock, such as 3+2; or give --days or --unlimited")
	countFlag(f, &control.DaysPerTurn, "days", 0, "days per move, instead of a clock")
	f.Bool("unlimited", false, "no clock at all")
	f.BoolVar(&c.Rated, "rated", false, "a rated game; casual without it")
	f.StringVar(&c.Variant.Key, "variant", lichess.Crazyhouse, "key of the variant")
	f.StringSliceVar(&c.Rules, "rules", nil, "special rules such as noAbort")
	f.IntVar(&a.question.OwnRating, "own-rating", 0, "our rating (default: the one in the file, or unknown)")
	f.IntVar(&a.question.Today, "games-today", 0, "games with this challenger in the last 24 hours")
}

// describingFlags are the flags that describe a challenge without a file.
var describingFlags = strings.Fields("as from rating provisional tc days unlimited rated variant rules")

// requested reports whether there is a challenge to check, or what is wrong with the
// flags.
func (a *challengeFlags) requested() (bool, error) {
	described := slices.IndexFunc(describingFlags, a.flags.Changed)
	switch {
	case a.flags.Changed("challenge") && a.file == "":
		return false, usagef("--challenge: want a file, or flags such as --as human --rating 1900 --tc 3+2 --rated")
	case a.file != "" && described >= 0:
		return false, usagef("--%s: this is in the file of --challenge already", describingFlags[described])
	case a.file != "":
		return true, nil
	case described >= 0, a.flags.Changed("own-rating"), a.flags.Changed("games-today"):
		return true, a.checkFlags()
	}
	return false, nil
}

func (a *challengeFlags) checkFlags() error {
	unset := func(name string) bool { return !a.flags.Changed(name) }
	if len(slices.DeleteFunc([]string{"tc", "days", "unlimited"}, unset)) != 1 {
		return usagef("want one of --tc 3+2, --days 3 and --unlimited")
	}
	if c := a.challenge.TimeControl.Clock; c.Initial%time.Second != 0 || c.Increment%time.Second != 0 {
		return usagef("--tc %s: Lichess counts whole seconds", c)
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
	c, control := a.challenge, &a.challenge.TimeControl
	c.Challenger = &a.challenger
	c.Challenger.ID = c.Challenger.Name
	if a.as == "bot" {
		c.Challenger.Title = "BOT"
	}
	c.Speed = control.Clock.Speed()
	switch {
	case control.DaysPerTurn > 0:
		c.TimeControl.Type = lichess.CorrespondenceControl
	case !control.Clock.IsZero():
		c.TimeControl.Type = lichess.ClockControl
	default:
		c.TimeControl.Type = lichess.UnlimitedControl
	}
	compat := &lichess.Compat{Bot: c.Speed != lichess.UltraBullet, Board: true}
	return &lichess.ChallengeCreated{Challenge: c, Compat: compat}
}

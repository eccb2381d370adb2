package main

import (
	"errors"
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
		var ok bool
		if slices.ContainsFunc(describingFlags, cmd.Flags().Changed) {
			q, err := challenge.challengeCheck(cmd.Flags())
			if err != nil {
				return err
			}
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

// challengeFlags are the flags that describe a challenge to check.
type challengeFlags struct {
	check      setup.ChallengeCheck
	challenger lichess.Player
	as         string
}

func (a *challengeFlags) addFlags(f *pflag.FlagSet) {
	c := &a.check.Challenge
	choiceFlag(f, &a.as, "as", "human", []string{"human", "bot"}, "kind of challenger: human or bot")
	f.StringVar(&a.challenger.Name, "from", "somebody", "the challenger's name")
	f.IntVar(&a.challenger.Rating, "rating", 1500, "the challenger's rating")
	f.BoolVar(&a.challenger.Provisional, "provisional", false, "this rating is provisional")
	clockFlag(f, &c.TimeControl.Clock, "", "the clock, such as 3+2; or give --days or --unlimited")
	countFlag(f, &c.TimeControl.DaysPerTurn, "days", 0, "days per move, instead of a clock")
	f.Bool("unlimited", false, "no clock at all")
	f.BoolVar(&c.Rated, "rated", false, "a rated game; casual without it")
	f.StringVar(&c.Variant.Key, "variant", lichess.Crazyhouse, "key of the variant")
	f.StringSliceVar(&c.Rules, "rules", nil, "special rules such as noAbort")
	f.IntVar(&a.check.OwnRating, "own-rating", 0, "our rating (default unknown)")
	f.IntVar(&a.check.Today, "games-today", 0, "games with this challenger in the last 24 hours")
}

// describingFlags are the flags that describe a challenge.
var describingFlags = strings.Fields(
	"as from rating provisional tc days unlimited rated variant rules own-rating games-today")

// challengeCheck returns the check of the challenge that the flags describe.
func (a *challengeFlags) challengeCheck(f *pflag.FlagSet) (setup.ChallengeCheck, error) {
	q := a.check
	c, control := &q.Challenge, &q.Challenge.TimeControl
	unset := func(name string) bool { return !f.Changed(name) }
	switch clocks := slices.DeleteFunc([]string{"tc", "days", "unlimited"}, unset); {
	case len(clocks) != 1:
		return q, usagef("want one of --tc 3+2, --days 3 and --unlimited")
	case control.Clock.Initial%time.Second != 0 || control.Clock.Increment%time.Second != 0:
		return q, usagef("--tc %s: Lichess counts whole seconds", control.Clock)
	case control.DaysPerTurn > 0:
		control.Type = lichess.CorrespondenceControl
	case clocks[0] == "tc":
		control.Type = lichess.ClockControl
	default:
		control.Type = lichess.UnlimitedControl
	}
	c.Challenger = &a.challenger
	c.Challenger.ID = c.Challenger.Name
	if a.as == "bot" {
		c.Challenger.Title = "BOT"
	}
	c.Speed = control.Clock.Speed()
	q.Compat = &lichess.Compat{Bot: c.Speed != lichess.UltraBullet, Board: true}
	return q, nil
}

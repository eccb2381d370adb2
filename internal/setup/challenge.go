package setup

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/lichess"
)

// ChallengeCheck is a challenge that the bot might get.
type ChallengeCheck struct {
	lichess.ChallengeCreated
	OwnRating int // the bot's; 0 for unknown
	Today     int // the number of games with the challenger in the last 24 hours
}

// CheckChallenge prints what the bot would answer to a challenge, and which rule decides. It
// reports whether there is an answer, whichever it is.
func CheckChallenge(ctx context.Context, source config.Source, q ChallengeCheck, out io.Writer) (ok bool) {
	k := &checker{source: source, out: out}
	c := k.load()
	if c == nil {
		return false
	}
	offer := challenge.OfferOf(&q.ChallengeCreated, q.OwnRating)
	offer.Today = q.Today
	offer.Listed = k.listed(ctx, c, q.Challenge.Challenger)
	policy := challenge.NewPolicy(c)
	if c.Records.Dir != "" {
		var err error
		if policy.Users, err = record.ReadUsers(c.Records.Dir); err != nil {
			fmt.Fprintf(k.out, "note    %v: the operator's lists are treated as empty\n", err)
		}
		state, err := record.ReadState(c.Records.Dir)
		if err != nil {
			fmt.Fprintf(k.out, "note    %v: no pause and no aborted games are known\n", err)
		}
		policy.Paused = state.Pause != nil && (state.Pause.Keep || record.InUse(c.Records.Dir))
		known := state.Opponents[opponent.ID(q.Challenge.Challenger)]
		offer.Avoided = known != nil && opponent.AbortsTooOften(known, time.Now())
	}
	d := policy.Decide(offer)
	answer, rule := "accept, as soon as there is a slot", d.Rule
	if !d.Accept {
		answer = "decline: " + string(d.Reason)
	}
	if value := config.Format(c, d.Rule); value != "" {
		rule += " is " + value
	}
	fmt.Fprintf(k.out, "asked   %s\nanswer  %s\nrule    %s\n", describe(&q.Challenge), answer, rule)
	if !d.Accept {
		return true
	}
	if len(c.Contenders) > 0 {
		fmt.Fprintf(k.out, "engine  %s\n", describeEngine(c, &q.Challenge))
	}
	terms := &c.Challenges.Humans.Terms
	if q.Challenge.Challenger.IsBot() {
		terms = &c.Challenges.Bots
	}
	if q.OwnRating == 0 && terms.Rating.MaxDifference > 0 {
		fmt.Fprintln(k.out, "note    our rating is unknown, so rating.max_difference was not checked; give --own-rating")
	}
	return true
}

// describeEngine tells which engine would play a challenge, for each of our colours if that
// matters.
func describeEngine(c *config.Config, challenge *lichess.Challenge) string {
	with := func(us lichess.Color) string {
		sharing := config.ContendersFor(c.Contenders, config.GameKind{
			Speed: challenge.Speed, Bot: challenge.Challenger.IsBot(), Rated: challenge.Rated, Color: us,
		})
		var names []string
		for _, k := range sharing {
			names = append(names, k.Name)
		}
		switch len(names) {
		case 0:
			return "that of the section engine, since no contender is for such a game"
		case 1:
			return names[0]
		}
		return strings.Join(names, " or ") + ", whose turn it is against this opponent"
	}
	white, black := with(lichess.White), with(lichess.Black)
	if white == black {
		return white
	}
	return "with White " + white + "; with Black " + black
}

// listed reports whether a player is on a block list on the web. A list that
// cannot be read is noted; the bot would use its copy too.
func (k *checker) listed(ctx context.Context, c *config.Config, p *lichess.Player) bool {
	if len(c.Challenges.BlockURL) == 0 {
		return false
	}
	list, err := readBlocklist(ctx, c, app.BlocklistOptions(c).Cache)
	if users, read := list.Len(); err != nil && read.IsZero() {
		fmt.Fprintf(k.out, "note    %v: treated as empty\n", err)
	} else if err != nil {
		fmt.Fprintf(k.out, "note    %v: using the copy of %s, with %d users\n", err, read.Format(time.DateTime), users)
	}
	return list.Has(p)
}

// describe describes a challenge in a line.
func describe(c *lichess.Challenge) string {
	mode, control := "casual", "without a limit"
	if c.Rated {
		mode = "rated"
	}
	switch t := c.TimeControl; t.Type {
	case lichess.ClockControl:
		control = fmt.Sprintf("%s (%s)", t.Clock, c.Speed)
	case lichess.CorrespondenceControl:
		control = fmt.Sprintf("%d days per move", t.DaysPerTurn)
	}
	text := fmt.Sprintf("%s %s, %s, by %s", mode, c.Variant.Key, control, describePlayer(c.Challenger))
	if len(c.Rules) > 0 {
		text += ", with " + strings.Join(c.Rules, " and ")
	}
	return text
}

func describePlayer(p *lichess.Player) string {
	kind := "human"
	if p.IsBot() {
		kind = "bot"
	}
	rating := fmt.Sprint(p.Rating)
	if p.Provisional {
		rating += "?"
	}
	return fmt.Sprintf("the %s %s (%s)", kind, p.Name, rating)
}

// blocklist reads the block lists on the web, if there are any.
func (k *checker) blocklist(ctx context.Context, c *config.Config) {
	if len(c.Challenges.BlockURL) == 0 {
		return
	}
	list, err := readBlocklist(ctx, c, "")
	if err != nil {
		k.reportProblem("block list", err, "is challenges.block_url correct?")
		return
	}
	users, _ := list.Len()
	k.reportOK("block list: %d users", users)
}

// readBlocklist reads the block lists on the web or, if that fails, from a cache, "" for
// none. A check leaves no trace: the cache stays as it is.
func readBlocklist(ctx context.Context, c *config.Config, cache string) (*challenge.Blocklist, error) {
	o := app.BlocklistOptions(c)
	o.Cache, o.ReadOnly = cache, true
	list := challenge.NewBlocklist(o)
	err := list.Use(c.Challenges.BlockURL)
	if _, unread := list.Refresh(ctx); unread != nil {
		err = unread
	}
	return list, err
}

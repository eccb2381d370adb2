package bot

import (
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Policy says which challenges to accept.
type Policy struct {
	Humans, Bots Terms
	Allow        []string // users who are judged by nothing but the variant and what can be played
	Block        []string // users who are always declined

	// AnySpeed accepts ultraBullet too, which Lichess refuses to bots: for
	// servers of our own.
	AnySpeed bool
}

// Terms are the conditions for one kind of opponent.
type Terms struct {
	Enabled   bool
	Modes     []string // "rated", "casual"
	Speeds    []lichess.Speed
	Initial   Range[time.Duration]
	Increment Range[time.Duration]
	Rating    Range[int]
	// MaxRatingDifference to our own rating; 0 for any.
	MaxRatingDifference int
}

// Range bounds a value, both ends included. Max 0 means no upper bound.
type Range[T time.Duration | int] struct {
	Min, Max T
}

func (r Range[T]) below(v T) bool { return v < r.Min }
func (r Range[T]) above(v T) bool { return r.Max != 0 && v > r.Max }

// Decision is the answer to a challenge. Rule names what decided, for the log.
type Decision struct {
	Accept bool
	Reason lichess.DeclineReason
	Rule   string
}

func decline(reason lichess.DeclineReason, rule string) Decision {
	return Decision{Reason: reason, Rule: rule}
}

// Offer is what a decision is based on.
type Offer struct {
	Challenge *lichess.Challenge
	// Playable is the server's word on whether a BOT account may play this.
	Playable bool
	Rating   int // our own crazyhouse rating; 0 if unknown
}

// Decide answers a challenge. It depends on nothing but its arguments.
func (p *Policy) Decide(o Offer) Decision {
	c := o.Challenge
	if d, decided := p.impossible(o); decided {
		return d
	}
	if c.Challenger == nil {
		return decline(lichess.DeclineGeneric, "challenger is anonymous")
	}
	if names(p.Block, c.Challenger) {
		return decline(lichess.DeclineGeneric, "challenges.block")
	}
	if names(p.Allow, c.Challenger) {
		return Decision{Accept: true, Rule: "challenges.allow"}
	}
	section, terms := "challenges.humans", &p.Humans
	if c.Challenger.IsBot() {
		section, terms = "challenges.bots", &p.Bots
	}
	d := terms.judge(o)
	if d.Accept {
		return Decision{Accept: true, Rule: section}
	}
	d.Rule = section + "." + d.Rule
	return d
}

// impossible declines what no setting may allow.
func (p *Policy) impossible(o Offer) (Decision, bool) {
	c := o.Challenge
	switch {
	case c.Variant.Key != lichess.Crazyhouse:
		return decline(lichess.DeclineVariant, "variant is not crazyhouse"), true
	case c.InitialFEN != "" && c.InitialFEN != "startpos" && c.InitialFEN != "start":
		return decline(lichess.DeclineStandard, "custom start position"), true
	case !o.Playable && !p.AnySpeed:
		return decline(lichess.DeclineGeneric, "not playable by a BOT account"), true
	case c.Speed == lichess.UltraBullet && !p.AnySpeed:
		return decline(lichess.DeclineTooFast, "ultraBullet is closed to BOT accounts"), true
	case len(c.Rules) > 0:
		return decline(lichess.DeclineGeneric, "special rules: "+strings.Join(c.Rules, ", ")), true
	}
	return Decision{}, false
}

// judge applies the terms in the order of the config file.
func (t *Terms) judge(o Offer) Decision {
	c := o.Challenge
	switch {
	case !t.Enabled && c.Challenger.IsBot():
		return decline(lichess.DeclineNoBot, "enabled")
	case !t.Enabled:
		return decline(lichess.DeclineOnlyBot, "enabled")
	case c.Rated && !slices.Contains(t.Modes, "rated"):
		return decline(lichess.DeclineCasual, "modes")
	case !c.Rated && !slices.Contains(t.Modes, "casual"):
		return decline(lichess.DeclineRated, "modes")
	}
	for _, judge := range []func(Offer) (Decision, bool){t.judgeSpeed, t.judgeClock, t.judgeRating} {
		if d, decided := judge(o); decided {
			return d
		}
	}
	return Decision{Accept: true}
}

// speedOrder ranks the speeds from fast to slow.
var speedOrder = []lichess.Speed{
	lichess.UltraBullet, lichess.Bullet, lichess.Blitz, lichess.Rapid, lichess.Classical, lichess.Correspondence,
}

func (t *Terms) judgeSpeed(o Offer) (Decision, bool) {
	speed := o.Challenge.Speed
	if slices.Contains(t.Speeds, speed) {
		return Decision{}, false
	}
	place := slices.Index(speedOrder, speed)
	faster := slices.ContainsFunc(t.Speeds, func(s lichess.Speed) bool { return slices.Index(speedOrder, s) < place })
	slower := slices.ContainsFunc(t.Speeds, func(s lichess.Speed) bool { return slices.Index(speedOrder, s) > place })
	switch {
	case place >= 0 && slower && !faster:
		return decline(lichess.DeclineTooFast, "speeds"), true
	case place >= 0 && faster && !slower:
		return decline(lichess.DeclineTooSlow, "speeds"), true
	}
	return decline(lichess.DeclineTimeControl, "speeds"), true
}

func (t *Terms) judgeClock(o Offer) (Decision, bool) {
	control := o.Challenge.TimeControl
	if control.Type != lichess.ClockControl {
		return Decision{}, false
	}
	initial, increment := control.Limit.Duration(), control.Increment.Duration()
	switch {
	case t.Initial.below(initial):
		return decline(lichess.DeclineTooFast, "initial.min"), true
	case t.Initial.above(initial):
		return decline(lichess.DeclineTooSlow, "initial.max"), true
	case t.Increment.below(increment):
		return decline(lichess.DeclineTooFast, "increment.min"), true
	case t.Increment.above(increment):
		return decline(lichess.DeclineTooSlow, "increment.max"), true
	}
	return Decision{}, false
}

func (t *Terms) judgeRating(o Offer) (Decision, bool) {
	rating := o.Challenge.Challenger.Rating
	switch {
	case t.Rating.below(rating):
		return decline(lichess.DeclineGeneric, "rating.min"), true
	case t.Rating.above(rating):
		return decline(lichess.DeclineGeneric, "rating.max"), true
	case t.MaxRatingDifference > 0 && o.Rating > 0 && max(rating-o.Rating, o.Rating-rating) > t.MaxRatingDifference:
		return decline(lichess.DeclineGeneric, "rating.max_difference"), true
	}
	return Decision{}, false
}

// names reports whether a list holds the player, by id or name.
func names(list []string, p *lichess.Player) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return strings.EqualFold(s, p.ID) || strings.EqualFold(s, p.Name)
	})
}

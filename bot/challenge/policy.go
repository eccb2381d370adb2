// Package challenge decides on incoming challenges and answers them.
//
// A [Policy] decides, as a pure function of an [Offer]. A [Queue] answers: it declines
// at once, and accepts as soon as there is a slot. A [Blocklist] holds lists of
// users to decline, kept up to date from the web.
package challenge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// Policy decides which challenges to accept. User names are case-insensitive.
type Policy struct {
	config.Challenges

	MaxPerOpponentPerDay int          // games that may begin within 24 hours; 0 for any number
	Paused               bool         // declines every challenge for now
	Users                record.Users // the operator's lists
}

// NewPolicy returns the policy of the settings.
func NewPolicy(c *config.Config) *Policy {
	return &Policy{Challenges: c.Challenges, MaxPerOpponentPerDay: c.Games.MaxPerOpponentPerDay}
}

// The rules by which a user's challenges are accepted whatever the terms.
const (
	allowed           = "challenges.allow"
	allowedByOperator = "allowed by the operator"
)

func decline(reason lichess.DeclineReason, rule string) event.Decision {
	return event.Decision{Reason: reason, Rule: rule}
}

// Offer is the input of a decision.
type Offer struct {
	Challenge *lichess.Challenge
	// playable is whether the server lets a BOT account play this.
	playable bool
	Rating   int // our own crazyhouse rating; 0 if unknown
	// Listed means that the challenger is on a block list from a URL.
	Listed bool
	// Today counts the games with the challenger that began in the last 24 hours.
	Today int
	// Avoided means that the challenger has aborted too many games.
	Avoided bool
}

// OfferOf returns what a challenge offers. rating is our own, unless the challenge
// contains a newer one.
func OfferOf(e *lichess.ChallengeCreated, rating int) Offer {
	o := Offer{Challenge: &e.Challenge, playable: e.Compat == nil || e.Compat.Bot, Rating: rating}
	if to := e.Challenge.DestUser; to != nil && to.Rating > 0 {
		o.Rating = to.Rating
	}
	return o
}

// Decide decides on a challenge. It is a pure function.
func (p *Policy) Decide(o Offer) event.Decision {
	c := o.Challenge
	if d, decided := unsupported(o); decided {
		return d
	}
	switch bot := c.Challenger.IsBot(); {
	case containsPlayer(p.Block, c.Challenger):
		return decline(lichess.DeclineGeneric, "challenges.block")
	case p.Users.ListOf(c.Challenger) == record.Blocked:
		return decline(lichess.DeclineGeneric, "blocked by the operator")
	case p.Paused:
		return decline(lichess.DeclineLater, "paused by the operator")
	case p.Users.ListOf(c.Challenger) == record.Allowed:
		return event.Decision{Accept: true, Rule: allowedByOperator}
	case containsPlayer(p.Allow, c.Challenger):
		return event.Decision{Accept: true, Rule: allowed}
	case o.Listed:
		return decline(lichess.DeclineGeneric, "challenges.block_url")
	case c.Unclear:
		return decline(lichess.DeclineGeneric, "unclear challenge")
	case bot && !p.Bots.Enabled:
		return decline(lichess.DeclineNoBot, "challenges.bots.enabled")
	case bot:
		return p.checkPast(o, check(&p.Bots, o, "challenges.bots"))
	case !p.Humans.Enabled && p.Bots.Enabled:
		return decline(lichess.DeclineOnlyBot, "challenges.humans.enabled")
	case !p.Humans.Enabled:
		return decline(lichess.DeclineGeneric, "challenges.humans.enabled")
	}
	return p.checkPast(o, check(&p.Humans.Terms, o, "challenges.humans"))
}

// Blocks reports whether a user is always declined.
func (p *Policy) Blocks(user *lichess.Player) bool {
	return containsPlayer(p.Block, user) || p.Users.ListOf(user) == record.Blocked
}

// Allows reports whether a user is accepted although a list names it.
func (p *Policy) Allows(user *lichess.Player) bool {
	return containsPlayer(p.Allow, user) || p.Users.ListOf(user) == record.Allowed
}

// checkPast declines an otherwise acceptable challenge, for now, if the challenger has
// aborted too many games or has reached its daily limit.
func (p *Policy) checkPast(o Offer, d event.Decision) event.Decision {
	switch {
	case !d.Accept:
	case o.Avoided:
		return decline(lichess.DeclineLater, "too many aborted games")
	case p.MaxPerOpponentPerDay > 0 && o.Today >= p.MaxPerOpponentPerDay:
		return decline(lichess.DeclineLater, "games.max_per_opponent_per_day")
	}
	return d
}

// allowedRules are the rules that a challenger may ask for. The others can trap a
// bot in a game that never ends: noAbort with an opponent who never moves,
// noClaimWin with one who left.
var allowedRules = []string{"noRematch", "noGiveTime", "noEarlyDraw"}

// unsupported declines what no setting can allow.
func unsupported(o Offer) (event.Decision, bool) {
	c := o.Challenge
	forbidden := slices.IndexFunc(c.Rules, func(rule string) bool { return !slices.Contains(allowedRules, rule) })
	switch {
	case c.Variant.Key != lichess.Crazyhouse:
		return decline(lichess.DeclineVariant, "variant is not crazyhouse"), true
	case c.InitialFEN != "" && c.InitialFEN != "startpos":
		return decline(lichess.DeclineGeneric, "start position of its own"), true
	case !o.playable && c.Speed == lichess.UltraBullet:
		return decline(lichess.DeclineTooFast, "closed to bots"), true
	case !o.playable:
		return decline(lichess.DeclineGeneric, "closed to bots"), true
	case forbidden >= 0:
		return decline(lichess.DeclineGeneric, "special rule "+c.Rules[forbidden]), true
	case c.Challenger == nil || c.Challenger.ID == "":
		return decline(lichess.DeclineGeneric, "anonymous challenger"), true
	}
	return event.Decision{}, false
}

// containsPlayer reports whether a list contains the player, by id or name.
func containsPlayer(list []string, p *lichess.Player) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return strings.EqualFold(s, p.ID) || strings.EqualFold(s, p.Name)
	})
}

// check checks an offer against the terms, in the order of their config section.
func check(t *config.Terms, o Offer, section string) event.Decision {
	c, player, control := o.Challenge, o.Challenge.Challenger, o.Challenge.TimeControl
	clock, unlimited := control.Type == lichess.ClockControl, control.Type == lichess.UnlimitedControl
	initial, increment, days := control.Clock.Initial, control.Clock.Increment, control.DaysPerTurn
	speed := cmp.Or(c.Speed, control.Clock.Speed())
	difference := max(player.Rating-o.Rating, o.Rating-player.Rating)
	for _, rule := range []struct {
		violated bool
		reason   lichess.DeclineReason
		key      string
	}{
		{!acceptsMode(t, c.Rated), modeReason(t), "modes"},
		{control.Type == "" || !slices.Contains(t.Speeds, speed), speedReason(t, speed), "speeds"},
		{clock && len(t.Clocks) > 0 && !slices.Contains(t.Clocks, control.Clock), lichess.DeclineTimeControl, "clocks"},
		{clock && initial < t.Initial.Min, lichess.DeclineTooFast, "initial.min"},
		{clock && initial > t.Initial.Max, lichess.DeclineTooSlow, "initial.max"},
		{clock && increment < t.Increment.Min, lichess.DeclineTooFast, "increment.min"},
		{clock && increment > t.Increment.Max, lichess.DeclineTooSlow, "increment.max"},
		{!clock && !unlimited && days < t.Days.Min, lichess.DeclineTooFast, "days.min"},
		{!clock && t.Days.Max > 0 && (unlimited || days > t.Days.Max), lichess.DeclineTooSlow, "days.max"},
		{!t.Provisional && player.Provisional, lichess.DeclineGeneric, "provisional"},
		{player.Rating < t.Rating.Min, lichess.DeclineGeneric, "rating.min"},
		{t.Rating.Max > 0 && (player.Rating <= 0 || player.Rating > t.Rating.Max), lichess.DeclineGeneric,
			"rating.max"},
		{
			t.Rating.MaxDifference > 0 && o.Rating > 0 && difference > t.Rating.MaxDifference, lichess.DeclineGeneric,
			"rating.max_difference",
		},
		{t.MaxPerOpponentPerDay > 0 && o.Today >= t.MaxPerOpponentPerDay, lichess.DeclineLater,
			"max_per_opponent_per_day"},
	} {
		if rule.violated {
			return decline(rule.reason, section+"."+rule.key)
		}
	}
	return event.Decision{Accept: true, Rule: section}
}

func acceptsMode(t *config.Terms, rated bool) bool {
	if rated {
		return slices.Contains(t.Modes, "rated")
	}
	return slices.Contains(t.Modes, "casual")
}

// modeReason is why a mode is declined: the other one, if that is accepted.
func modeReason(t *config.Terms) lichess.DeclineReason {
	switch {
	case acceptsMode(t, false):
		return lichess.DeclineCasual
	case acceptsMode(t, true):
		return lichess.DeclineRated
	}
	return lichess.DeclineGeneric
}

// speedReason is why a speed is declined: as too fast or too slow if only the other
// direction is accepted.
func speedReason(t *config.Terms, speed lichess.Speed) lichess.DeclineReason {
	place := slices.Index(lichess.Speeds(), speed)
	faster := slices.ContainsFunc(t.Speeds, func(s lichess.Speed) bool {
		return slices.Index(lichess.Speeds(), s) < place
	})
	slower := slices.ContainsFunc(t.Speeds, func(s lichess.Speed) bool {
		return slices.Index(lichess.Speeds(), s) > place
	})
	switch {
	case place >= 0 && slower && !faster:
		return lichess.DeclineTooFast
	case place >= 0 && faster && !slower:
		return lichess.DeclineTooSlow
	}
	return lichess.DeclineTimeControl
}

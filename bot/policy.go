package bot

import (
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// Policy decides which challenges to accept. User names are case-insensitive.
type Policy struct {
	Humans, Bots Terms
	Allow        []string // users who may play whatever a bot can play
	Block        []string // users who are always declined
	// MaxPerDay is how many games with one opponent may begin within 24 hours; 0
	// for any number.
	MaxPerDay int
	// Order is the order in which challenges get free slots.
	Order Order
}

// Order is the order in which challenges that wait for a slot are accepted.
type Order string

// The orders of challenges.
const (
	BestFirst Order = "best"  // humans before bots, then whoever has the higher rating
	FirstCome Order = "first" // whoever has waited longest
)

// Terms are the conditions for one kind of opponent.
type Terms struct {
	Enabled   bool
	Modes     []string // "rated", "casual"
	Speeds    []lichess.Speed
	Initial   Range[time.Duration] // of games with a clock; 0 counts like any bound
	Increment Range[time.Duration]
	// Days per move of correspondence games; 0 is no bound. A game without any
	// limit has more days than every bound.
	Days   Range[int]
	Rating Range[int] // 0 is no bound
	// MaxRatingDifference to our own rating; 0 for any.
	MaxRatingDifference int
	// Provisional accepts players with a provisional rating.
	Provisional bool
}

// Range bounds a value, both ends included.
type Range[T time.Duration | int] struct {
	Min, Max T
}

func decline(reason lichess.DeclineReason, rule string) event.Decision {
	return event.Decision{Reason: reason, Rule: rule}
}

// Offer is the input of a decision.
type Offer struct {
	Challenge *lichess.Challenge
	// Playable is whether the server lets a BOT account play this.
	Playable bool
	Rating   int // our own crazyhouse rating; 0 if unknown
	// Listed says that the challenger is on the block list from a URL.
	Listed bool
	// Today counts the games with the challenger that began in the last 24 hours.
	Today int
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
	case containsPlayer(p.Allow, c.Challenger):
		return event.Decision{Accept: true, Rule: "challenges.allow"}
	case o.Listed:
		return decline(lichess.DeclineGeneric, "challenges.block_url")
	case bot && !p.Bots.Enabled:
		return decline(lichess.DeclineNoBot, "challenges.bots.enabled")
	case bot:
		return p.limitPerDay(o, p.Bots.check(o, "challenges.bots"))
	case !p.Humans.Enabled && p.Bots.Enabled:
		return decline(lichess.DeclineOnlyBot, "challenges.humans.enabled")
	case !p.Humans.Enabled:
		return decline(lichess.DeclineGeneric, "challenges.humans.enabled")
	}
	return p.limitPerDay(o, p.Humans.check(o, "challenges.humans"))
}

// limitPerDay declines an otherwise acceptable challenge, for now, if the challenger
// has reached its daily limit.
func (p *Policy) limitPerDay(o Offer, d event.Decision) event.Decision {
	if d.Accept && p.MaxPerDay > 0 && o.Today >= p.MaxPerDay {
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
	case !o.Playable && c.Speed == lichess.UltraBullet:
		return decline(lichess.DeclineTooFast, "closed to bots"), true
	case !o.Playable:
		return decline(lichess.DeclineGeneric, "closed to bots"), true
	case forbidden >= 0:
		return decline(lichess.DeclineGeneric, "special rule "+c.Rules[forbidden]), true
	case c.Challenger == nil || c.Challenger.ID == "":
		return decline(lichess.DeclineGeneric, "anonymous challenger"), true
	}
	return event.Decision{}, false
}

// check checks an offer against the terms, in the order of their config section.
func (t *Terms) check(o Offer, section string) event.Decision {
	for _, check := range []func(Offer) (event.Decision, bool){
		t.checkMode, t.checkSpeed, t.checkClock, t.checkDays, t.checkRating,
	} {
		if d, decided := check(o); decided {
			d.Rule = section + "." + d.Rule
			return d
		}
	}
	return event.Decision{Accept: true, Rule: section}
}

// checkMode declines with the other mode if that one is accepted.
func (t *Terms) checkMode(o Offer) (event.Decision, bool) {
	rated, casual := slices.Contains(t.Modes, "rated"), slices.Contains(t.Modes, "casual")
	switch {
	case o.Challenge.Rated && rated, !o.Challenge.Rated && casual:
		return event.Decision{}, false
	case casual:
		return decline(lichess.DeclineCasual, "modes"), true
	case rated:
		return decline(lichess.DeclineRated, "modes"), true
	}
	return decline(lichess.DeclineGeneric, "modes"), true
}

// speedOrder ranks the speeds from fast to slow.
var speedOrder = []lichess.Speed{
	lichess.UltraBullet, lichess.Bullet, lichess.Blitz, lichess.Rapid, lichess.Classical, lichess.Correspondence,
}

// checkSpeed declines as too fast or too slow if only the other direction is
// accepted.
func (t *Terms) checkSpeed(o Offer) (event.Decision, bool) {
	speed := o.Challenge.Speed
	if slices.Contains(t.Speeds, speed) {
		return event.Decision{}, false
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

func (t *Terms) checkClock(o Offer) (event.Decision, bool) {
	control := o.Challenge.TimeControl
	if control.Type != lichess.ClockControl {
		return event.Decision{}, false
	}
	initial, increment := control.Limit.Duration(), control.Increment.Duration()
	switch {
	case initial < t.Initial.Min:
		return decline(lichess.DeclineTooFast, "initial.min"), true
	case initial > t.Initial.Max:
		return decline(lichess.DeclineTooSlow, "initial.max"), true
	case increment < t.Increment.Min:
		return decline(lichess.DeclineTooFast, "increment.min"), true
	case increment > t.Increment.Max:
		return decline(lichess.DeclineTooSlow, "increment.max"), true
	}
	return event.Decision{}, false
}

func (t *Terms) checkDays(o Offer) (event.Decision, bool) {
	control := o.Challenge.TimeControl
	unlimited := control.Type == lichess.UnlimitedControl
	switch {
	case control.Type == lichess.ClockControl:
		return event.Decision{}, false
	case !unlimited && control.DaysPerTurn < t.Days.Min:
		return decline(lichess.DeclineTooFast, "days.min"), true
	case t.Days.Max > 0 && (unlimited || control.DaysPerTurn > t.Days.Max):
		return decline(lichess.DeclineTooSlow, "days.max"), true
	}
	return event.Decision{}, false
}

func (t *Terms) checkRating(o Offer) (event.Decision, bool) {
	rating := o.Challenge.Challenger.Rating
	switch {
	case !t.Provisional && o.Challenge.Challenger.Provisional:
		return decline(lichess.DeclineGeneric, "provisional"), true
	case rating < t.Rating.Min:
		return decline(lichess.DeclineGeneric, "rating.min"), true
	case t.Rating.Max > 0 && rating > t.Rating.Max:
		return decline(lichess.DeclineGeneric, "rating.max"), true
	case t.MaxRatingDifference > 0 && o.Rating > 0 && max(rating-o.Rating, o.Rating-rating) > t.MaxRatingDifference:
		return decline(lichess.DeclineGeneric, "rating.max_difference"), true
	}
	return event.Decision{}, false
}

// containsPlayer reports whether a list contains the player, by id or name.
func containsPlayer(list []string, p *lichess.Player) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return strings.EqualFold(s, p.ID) || strings.EqualFold(s, p.Name)
	})
}

package challenge

import (
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
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

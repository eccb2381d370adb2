package challenge

import (
	"slices"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// check checks an offer against the terms, in the order of their config section.
func check(t *config.Terms, o Offer, section string) event.Decision {
	c, player, control := o.Challenge, o.Challenge.Challenger, o.Challenge.TimeControl
	clock, unlimited := control.Type == lichess.ClockControl, control.Type == lichess.UnlimitedControl
	initial, increment, days := control.Clock.Initial, control.Clock.Increment, control.DaysPerTurn
	difference := max(player.Rating-o.Rating, o.Rating-player.Rating)
	for _, rule := range []struct {
		violated bool
		reason   lichess.DeclineReason
		key      string
	}{
		{!acceptsMode(t, c.Rated), modeReason(t), "modes"},
		{!slices.Contains(t.Speeds, c.Speed), speedReason(t, c.Speed), "speeds"},
		{clock && len(t.Clocks) > 0 && !slices.Contains(t.Clocks, control.Clock), lichess.DeclineTimeControl, "clocks"},
		{clock && initial < t.Initial.Min, lichess.DeclineTooFast, "initial.min"},
		{clock && initial > t.Initial.Max, lichess.DeclineTooSlow, "initial.max"},
		{clock && increment < t.Increment.Min, lichess.DeclineTooFast, "increment.min"},
		{clock && increment > t.Increment.Max, lichess.DeclineTooSlow, "increment.max"},
		{!clock && !unlimited && days < t.Days.Min, lichess.DeclineTooFast, "days.min"},
		{!clock && t.Days.Max > 0 && (unlimited || days > t.Days.Max), lichess.DeclineTooSlow, "days.max"},
		{!t.Provisional && player.Provisional, lichess.DeclineGeneric, "provisional"},
		{player.Rating < t.Rating.Min, lichess.DeclineGeneric, "rating.min"},
		{t.Rating.Max > 0 && player.Rating > t.Rating.Max, lichess.DeclineGeneric, "rating.max"},
		{t.Rating.MaxDifference > 0 && o.Rating > 0 && difference > t.Rating.MaxDifference, lichess.DeclineGeneric, "rating.max_difference"},
		{t.MaxPerOpponentPerDay > 0 && o.Today >= t.MaxPerOpponentPerDay, lichess.DeclineLater, "max_per_opponent_per_day"},
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
	faster := slices.ContainsFunc(t.Speeds, func(s lichess.Speed) bool { return slices.Index(lichess.Speeds(), s) < place })
	slower := slices.ContainsFunc(t.Speeds, func(s lichess.Speed) bool { return slices.Index(lichess.Speeds(), s) > place })
	switch {
	case place >= 0 && slower && !faster:
		return lichess.DeclineTooFast
	case place >= 0 && faster && !slower:
		return lichess.DeclineTooSlow
	}
	return lichess.DeclineTimeControl
}

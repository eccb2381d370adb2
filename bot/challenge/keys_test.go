package challenge

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// policyRow is a setting that turns an answer: without it the challenge is
// accepted, or with it where reason is "".
type policyRow struct {
	key, value string
	given      map[string]string // settings besides; "K" stands for humans or bots
	offer      func(*Offer)
	reason     lichess.DeclineReason
}

// ratedBlitz is a rated game of 3+2 by a player of 1500; we have 1600.
func ratedBlitz(isBot bool) Offer {
	c := &lichess.Challenge{
		ID: "zH4kQ2ab", Variant: lichess.Variant{Key: lichess.Crazyhouse}, Rated: true, Speed: lichess.Blitz,
		Challenger:  &lichess.Player{ID: "dropfan", Name: "DropFan", Rating: 1500, Provisional: true},
		TimeControl: lichess.TimeControl{Type: lichess.ClockControl, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}},
	}
	if isBot {
		c.Challenger.Title = "BOT"
	}
	return Offer{Challenge: c, Playable: true, Rating: 1600}
}

func casual(o *Offer) { o.Challenge.Rated = false }

func threeDays(o *Offer) {
	o.Challenge.Speed = lichess.Correspondence
	o.Challenge.TimeControl = lichess.TimeControl{Type: lichess.CorrespondenceControl, DaysPerTurn: 3}
}

// policyRows are for humans and bots alike, but for enabled.
func policyRows() []policyRow {
	letters := map[string]string{"challenges.K.speeds": "correspondence"}
	strict := map[string]string{"challenges.K.rating.min": "2000"}
	return []policyRow{
		{key: "challenges.K.modes", value: "casual", reason: lichess.DeclineCasual},
		{key: "challenges.K.modes", value: "rated", offer: casual, reason: lichess.DeclineRated},
		{key: "challenges.K.modes", value: "", reason: lichess.DeclineGeneric},
		{key: "challenges.K.speeds", value: "rapid,classical", reason: lichess.DeclineTooFast},
		{key: "challenges.K.speeds", value: "bullet", reason: lichess.DeclineTooSlow},
		{key: "challenges.K.speeds", value: "bullet,rapid", reason: lichess.DeclineTimeControl},
		{key: "challenges.K.clocks", value: "3+0, 5+0", reason: lichess.DeclineTimeControl},
		{key: "challenges.K.speeds", value: "rapid", given: map[string]string{"challenges.K.clocks": "180s+2s, 5+0"}, reason: lichess.DeclineTooFast},
		{key: "challenges.K.initial.min", value: "181s", reason: lichess.DeclineTooFast},
		{key: "challenges.K.initial.max", value: "179s", reason: lichess.DeclineTooSlow},
		{key: "challenges.K.increment.min", value: "3s", reason: lichess.DeclineTooFast},
		{key: "challenges.K.increment.max", value: "1s", reason: lichess.DeclineTooSlow},
		{key: "challenges.K.increment.max", value: "0s", reason: lichess.DeclineTooSlow},
		{key: "challenges.K.days.min", value: "4", given: letters, offer: threeDays, reason: lichess.DeclineTooFast},
		{key: "challenges.K.days.max", value: "2", given: letters, offer: threeDays, reason: lichess.DeclineTooSlow},
		{key: "challenges.K.rating.min", value: "1501", reason: lichess.DeclineGeneric},
		{key: "challenges.K.rating.max", value: "1499", reason: lichess.DeclineGeneric},
		{key: "challenges.K.rating.max_difference", value: "99", reason: lichess.DeclineGeneric},
		{key: "challenges.K.provisional", value: "false", reason: lichess.DeclineGeneric},
		{
			key: "challenges.K.max_per_opponent_per_day", value: "3",
			offer: func(o *Offer) { o.Today = 3 }, reason: lichess.DeclineLater,
		},
		{key: "challenges.block", value: "pest,DROPFAN", reason: lichess.DeclineGeneric},
		{key: "challenges.allow", value: "friend,DROPFAN", given: strict},
		{
			key: "challenges.block_url", value: "https://example.org/list",
			offer: func(o *Offer) { o.Listed = true }, reason: lichess.DeclineGeneric,
		},
		{
			key: "games.max_per_opponent_per_day", value: "5",
			offer: func(o *Offer) { o.Today = 5 }, reason: lichess.DeclineLater,
		},
	}
}

// enabledRows say who may play at all.
var enabledRows = map[bool][]policyRow{
	false: {
		{key: "challenges.humans.enabled", value: "false", reason: lichess.DeclineOnlyBot},
		{key: "challenges.humans.enabled", value: "false", given: map[string]string{"challenges.bots.enabled": "false"}, reason: lichess.DeclineGeneric},
	},
	true: {{key: "challenges.bots.enabled", value: "false", reason: lichess.DeclineNoBot}},
}

// parseFlags returns the settings that are given, "K" being one kind of challenger.
func parseFlags(t *testing.T, kind string, given map[string]string) *config.Config {
	t.Helper()
	flags := map[string]string{}
	for key, value := range given {
		flags[strings.ReplaceAll(key, ".K.", "."+kind+".")] = value
	}
	c, err := config.Parse(config.Source{Flags: flags}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answer(c *config.Config, o Offer) event.Decision {
	p := NewPolicy(c)
	if len(c.Challenges.BlockURL) == 0 {
		o.Listed = false // there is no list to be on
	}
	return p.Decide(o)
}

// TestPolicy_EveryKey shows what each setting about challenges does: it alone
// turns the answer, with the fitting reason, and is named as the rule.
func TestPolicy_EveryKey(t *testing.T) {
	shown := map[string]bool{}
	reasons := map[lichess.DeclineReason]bool{}
	for _, isBot := range []bool{false, true} {
		kind := map[bool]string{false: "humans", true: "bots"}[isBot]
		for _, row := range append(policyRows(), enabledRows[isBot]...) {
			key := strings.ReplaceAll(row.key, ".K.", "."+kind+".")
			t.Run(key+"="+row.value+" for "+kind, func(t *testing.T) {
				offer := ratedBlitz(isBot)
				if row.offer != nil {
					row.offer(&offer)
				}
				with := maps.Clone(row.given)
				if with == nil {
					with = map[string]string{}
				}
				with[key] = row.value
				before, after := answer(parseFlags(t, kind, row.given), offer), answer(parseFlags(t, kind, with), offer)
				if before.Accept != (row.reason != "") || after.Accept != (row.reason == "") {
					t.Errorf("the setting does not turn the answer: %+v, then %+v", before, after)
				}
				if after.Reason != row.reason || after.Rule != key {
					t.Errorf("reason %q, rule %q; want reason %q", after.Reason, after.Rule, row.reason)
				}
				shown[key], reasons[after.Reason] = true, true
			})
		}
	}
	// What no setting allows has reasons of its own.
	other := ratedBlitz(false)
	other.Challenge.Variant.Key = "atomic"
	reasons[answer(parseFlags(t, "", nil), other).Reason] = true

	// These say when and how well to play, not whether.
	for _, key := range []string{"challenges.order", "challenges.block_refresh", "challenges.humans.level", "challenges.humans.level_offset"} {
		shown[key] = true
	}
	for _, key := range config.Keys() {
		if strings.HasPrefix(key, "challenges.") && !shown[key] {
			t.Errorf("%s is not shown to do anything", key)
		}
	}
	for _, reason := range []lichess.DeclineReason{
		lichess.DeclineGeneric, lichess.DeclineLater, lichess.DeclineTooFast, lichess.DeclineTooSlow, lichess.DeclineTimeControl,
		lichess.DeclineRated, lichess.DeclineCasual, lichess.DeclineVariant, lichess.DeclineNoBot, lichess.DeclineOnlyBot,
	} {
		if !reasons[reason] {
			t.Errorf("no challenge is declined with %q", reason)
		}
	}
	if reasons[lichess.DeclineStandard] { // it asks for standard chess, which we do not play
		t.Error("a challenge is declined with \"standard\"")
	}
}

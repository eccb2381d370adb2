package challenge

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// testPolicy has different terms for humans and bots.
func testPolicy() Policy {
	return Policy{MaxPerOpponentPerDay: 5, Challenges: config.Challenges{
		Humans: config.HumanTerms{Terms: config.Terms{
			Enabled: true, Modes: []string{"rated", "casual"}, Speeds: []lichess.Speed{lichess.Bullet, lichess.Blitz},
			Initial:   config.Range[time.Duration]{Min: time.Minute, Max: 5 * time.Minute},
			Increment: config.Range[time.Duration]{Max: 10 * time.Second},
			Rating:    config.Rating{Range: config.Range[int]{Min: 1200, Max: 2600}, MaxDifference: 500},
			Days:      config.Range[int]{Min: 2, Max: 7},
		}},
		Bots: config.Terms{
			Enabled: true, Modes: []string{"rated"}, Speeds: []lichess.Speed{lichess.Bullet, lichess.Rapid},
			Initial:   config.Range[time.Duration]{Max: time.Hour},
			Increment: config.Range[time.Duration]{Min: time.Second, Max: time.Minute}, Provisional: true,
		},
		Allow: []string{"Friend"}, Block: []string{"pest", "Friend2"},
	}}
}

// offerOf is a rated crazyhouse game of 3+2 by a human of 2000, changed.
func offerOf(change func(*Offer)) Offer {
	o := Offer{Rating: 2100, Playable: true, Challenge: &lichess.Challenge{
		ID: "zH4kQ2ab", Variant: lichess.Variant{Key: lichess.Crazyhouse}, Rated: true, Speed: lichess.Blitz,
		Challenger:  &lichess.Player{ID: "dropfan", Name: "DropFan", Rating: 2000},
		TimeControl: lichess.TimeControl{Type: lichess.ClockControl, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}},
	}}
	if change != nil {
		change(&o)
	}
	return o
}

func clock(o *Offer, limit, increment time.Duration) {
	o.Challenge.TimeControl.Clock = lichess.Clock{Initial: limit * time.Second, Increment: increment * time.Second}
}

// byBot makes the challenger a bot that offers 1+1.
func byBot(o *Offer) {
	o.Challenge.Challenger.Title = "BOT"
	o.Challenge.Speed = lichess.Bullet
	clock(o, 60, 1)
}

func TestPolicy_Decide(t *testing.T) {
	noClock := func(kind string, days int) func(*Offer) {
		return func(o *Offer) {
			o.Challenge.Speed = lichess.Correspondence
			o.Challenge.TimeControl = lichess.TimeControl{Type: kind, DaysPerTurn: days}
		}
	}
	letters := func(p *Policy) { p.Humans.Speeds = lichess.Speeds() }
	// What a setting alone declines is in TestPolicy_EveryKey.
	tests := []struct {
		name   string
		policy func(*Policy)
		offer  func(*Offer)
		reason lichess.DeclineReason // "" to accept
		rule   string
	}{
		{"fits", nil, nil, "", "challenges.humans"},
		{"bot fits", nil, byBot, "", "challenges.bots"},
		{"other variant", nil, func(o *Offer) { o.Challenge.Variant.Key = "standard" }, "variant", "variant is not crazyhouse"},
		{"other variant by a friend", nil, func(o *Offer) {
			o.Challenge.Variant.Key, o.Challenge.Challenger.ID = "atomic", "friend"
		}, "variant", "variant is not crazyhouse"},
		{"start position", nil, func(o *Offer) { o.Challenge.InitialFEN = "8/8/8/8/8/8/8/8 w - -" }, "generic", "start position of its own"},
		{"usual start position", nil, func(o *Offer) { o.Challenge.InitialFEN = "startpos" }, "", "challenges.humans"},
		{"anonymous", nil, func(o *Offer) { o.Challenge.Challenger = nil }, "generic", "anonymous challenger"},

		{"closed to bots", nil, func(o *Offer) { o.Playable = false }, "generic", "closed to bots"},
		{"ultraBullet closed to bots", nil, func(o *Offer) { o.Playable, o.Challenge.Speed = false, lichess.UltraBullet }, "tooFast", "closed to bots"},
		{"ultraBullet", nil, func(o *Offer) { o.Challenge.Speed = lichess.UltraBullet; clock(o, 15, 0) }, "tooFast", "challenges.humans.speeds"},
		{"noAbort", nil, func(o *Offer) { o.Challenge.Rules = []string{"noRematch", "noAbort"} }, "generic", "special rule noAbort"},
		{"noClaimWin by a friend", nil, func(o *Offer) {
			o.Challenge.Rules, o.Challenge.Challenger.ID = []string{"noClaimWin"}, "friend"
		}, "generic", "special rule noClaimWin"},
		{"unknown rule", nil, func(o *Offer) { o.Challenge.Rules = []string{"noSleep"} }, "generic", "special rule noSleep"},
		{"harmless rules", nil, func(o *Offer) { o.Challenge.Rules = []string{"noRematch", "noGiveTime", "noEarlyDraw"} }, "", "challenges.humans"},

		{"blocked, other case", nil, func(o *Offer) { o.Challenge.Challenger.ID = "friend2" }, "generic", "challenges.block"},
		{"allowed against the terms", nil, func(o *Offer) {
			o.Challenge.Challenger = &lichess.Player{ID: "friend", Rating: 800}
			clock(o, 10800, 60)
		}, "", "challenges.allow"},
		{"blocked although allowed", func(p *Policy) { p.Block = p.Allow }, func(o *Offer) { o.Challenge.Challenger.ID = "friend" }, "generic", "challenges.block"},

		{"paused", func(p *Policy) { p.Paused = true }, nil, "later", "paused by the operator"},
		{"paused for a friend, too", func(p *Policy) { p.Paused = true }, func(o *Offer) { o.Challenge.Challenger.ID = "friend" }, "later", "paused by the operator"},
		{"blocked while paused", func(p *Policy) { p.Paused = true }, func(o *Offer) { o.Challenge.Challenger.ID = "pest" }, "generic", "challenges.block"},

		{"allowed although on the list from the URL", nil, func(o *Offer) { o.Listed, o.Challenge.Challenger.ID = true, "friend" }, "", "challenges.allow"},

		{"has aborted too many games", nil, func(o *Offer) { o.Avoided = true }, "later", "too many aborted games"},
		{"a friend who has aborted too many games", nil, func(o *Offer) { o.Avoided, o.Challenge.Challenger.ID = true, "friend" }, "", "challenges.allow"},
		{"against the terms, too", nil, func(o *Offer) { o.Avoided, o.Challenge.Challenger.Rating = true, 800 }, "generic", "challenges.humans.rating.min"},

		{"last game of the day", nil, func(o *Offer) { o.Today = 4 }, "", "challenges.humans"},
		{"one bot game too many in a day", nil, func(o *Offer) { byBot(o); o.Today = 9 }, "later", "games.max_per_opponent_per_day"},
		{"a friend has as many as it likes", nil, func(o *Offer) { o.Today, o.Challenge.Challenger.ID = 99, "friend" }, "", "challenges.allow"},
		{"any number a day", func(p *Policy) { p.MaxPerOpponentPerDay = 0 }, func(o *Offer) { o.Today = 99 }, "", "challenges.humans"},
		{"terms before the day's limit", nil, func(o *Offer) { o.Today, o.Challenge.Speed = 9, lichess.Rapid }, "tooSlow", "challenges.humans.speeds"},

		{"rematch", nil, func(o *Offer) { o.Challenge.RematchOf = "zH4kQ2aa" }, "", "challenges.humans"},
		{"rematch against the terms", nil, func(o *Offer) { o.Challenge.RematchOf = "zH4kQ2aa"; clock(o, 45, 2) }, "tooFast", "challenges.humans.initial.min"},

		{"unknown speed", nil, func(o *Offer) { o.Challenge.Speed = "hyper" }, "timeControl", "challenges.humans.speeds"},
		{"correspondence", nil, noClock(lichess.CorrespondenceControl, 3), "tooSlow", "challenges.humans.speeds"},
		{"unlimited", nil, noClock(lichess.UnlimitedControl, 0), "tooSlow", "challenges.humans.speeds"},
		{"correspondence wanted", letters, noClock(lichess.CorrespondenceControl, 2), "", "challenges.humans"},
		{"correspondence at its slowest", letters, noClock(lichess.CorrespondenceControl, 7), "", "challenges.humans"},
		{"no end of days", letters, noClock(lichess.UnlimitedControl, 0), "tooSlow", "challenges.humans.days.max"},
		{"unlimited wanted", func(p *Policy) { letters(p); p.Humans.Days.Max = 0 }, noClock(lichess.UnlimitedControl, 0), "", "challenges.humans"},

		{"initial at its least", nil, func(o *Offer) { clock(o, 60, 2) }, "", "challenges.humans"},
		{"initial at its most", nil, func(o *Offer) { clock(o, 300, 2) }, "", "challenges.humans"},

		{"rating too low", nil, func(o *Offer) { o.Challenge.Challenger.Rating = 1199 }, "generic", "challenges.humans.rating.min"},
		{"rating too high", nil, func(o *Offer) { o.Challenge.Challenger.Rating = 2601 }, "generic", "challenges.humans.rating.max"},
		{"much weaker", nil, func(o *Offer) { o.Challenge.Challenger.Rating = 1599 }, "generic", "challenges.humans.rating.max_difference"},
		{"much stronger", nil, func(o *Offer) { o.Rating = 1400 }, "generic", "challenges.humans.rating.max_difference"},
		{"own rating unknown", nil, func(o *Offer) { o.Rating = 0 }, "", "challenges.humans"},
		{"provisional bot", nil, func(o *Offer) { byBot(o); o.Challenge.Challenger.Provisional = true }, "", "challenges.bots"},
		{"rating unknown", func(p *Policy) { p.Humans.Rating = config.Rating{Range: config.Range[int]{Max: 2600}} }, func(o *Offer) { o.Challenge.Challenger.Rating = 0 }, "generic", "challenges.humans.rating.max"},
		{"rating unknown, no bounds", nil, func(o *Offer) { byBot(o); o.Challenge.Challenger.Rating = 0 }, "", "challenges.bots"},
		{"speed not told", nil, func(o *Offer) { o.Challenge.Speed = "" }, "", "challenges.humans"},
		{"time control unknown", letters, func(o *Offer) { o.Challenge.TimeControl = lichess.TimeControl{} }, "timeControl", "challenges.humans.speeds"},
		{"variant unknown", nil, func(o *Offer) { o.Challenge.Variant.Key = "" }, "variant", "variant is not crazyhouse"},
		{"title or mode unknown", nil, func(o *Offer) { o.Challenge.Unclear = true }, "generic", "unclear challenge"},
		{"a friend, title or mode unknown", nil, func(o *Offer) { o.Challenge.Unclear, o.Challenge.Challenger.ID = true, "friend" }, "", "challenges.allow"},
		{"no rating bounds", nil, func(o *Offer) { byBot(o); o.Challenge.Challenger.Rating = 3100 }, "", "challenges.bots"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := testPolicy()
			if tt.policy != nil {
				tt.policy(&p)
			}
			d := p.Decide(offerOf(tt.offer))
			if d.Accept != (tt.reason == "") || d.Reason != tt.reason || d.Rule != tt.rule {
				t.Errorf("got accept %t, reason %q, rule %q; want reason %q, rule %q", d.Accept, d.Reason, d.Rule, tt.reason, tt.rule)
			}
		})
	}
}

// FuzzOffer decides on whatever the event stream calls a challenge: only what can
// be played is accepted, and every refusal has a reason.
func FuzzOffer(f *testing.F) {
	f.Add([]byte(`{"challenge":{"id":"a","challenger":{"id":"a","name":"A","rating":1500},"variant":{"key":"crazyhouse"},"speed":"blitz",` +
		`"rated":true,"timeControl":{"type":"clock","limit":180,"increment":2},"destUser":{"id":"zhbot","rating":2000}}}`))
	f.Add([]byte(`{"challenge":{"id":"a","challenger":null,"rules":["noAbort"],"timeControl":{"type":"clock","limit":-9223372036854775808}},"compat":{"bot":false}}`))
	f.Add([]byte(`{"challenge":{"id":"a","challenger":{"id":"a","title":"BOT"},"variant":{"key":"crazyhouse"},"timeControl":{"type":"unlimited"},"initialFen":"8/8"}}`))
	policy := newTestQueue(config.Games{}).cfg.Policy()
	f.Fuzz(func(t *testing.T, line []byte) {
		var e lichess.ChallengeCreated
		if json.Unmarshal(line, &e) != nil {
			return
		}
		c := &e.Challenge
		switch d := policy.Decide(OfferOf(&e, 2000)); {
		case d.Rule == "":
			t.Error("a decision without a rule")
		case !d.Accept && d.Reason == "":
			t.Error("a refusal without a reason")
		case d.Accept && (c.Variant.Key != lichess.Crazyhouse || c.Challenger == nil || c.Challenger.ID == "" || len(c.InitialFEN) > len("startpos")):
			t.Errorf("accepted: %+v", c)
		}
	})
}

func ExamplePolicy_Decide() {
	var p Policy
	p.Bots = config.Terms{Enabled: true, Modes: []string{"rated", "casual"}, Speeds: []lichess.Speed{lichess.Blitz}}
	p.Bots.Initial.Max = 5 * time.Minute
	offer := Offer{Playable: true, Challenge: &lichess.Challenge{
		Variant: lichess.Variant{Key: lichess.Crazyhouse}, Speed: lichess.Blitz,
		TimeControl: lichess.TimeControl{Type: lichess.ClockControl, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}},
		Challenger:  &lichess.Player{ID: "pocketbot", Title: "BOT"},
	}}
	d := p.Decide(offer)
	fmt.Println(d.Accept, d.Reason, d.Rule)
	p.Bots.Increment.Max = 5 * time.Second
	d = p.Decide(offer)
	fmt.Println(d.Accept, d.Rule)
	// Output:
	// false tooSlow challenges.bots.increment.max
	// true challenges.bots
}

package challenge

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// newOffer returns a rated game of 3+2 by a human with a provisional rating of 1500, while ours
// is 1600, changed by words such as "bot" or "rating:1400".
func newOffer(words string) Offer {
	by := &lichess.Player{ID: "dropfan", Name: "DropFan", Rating: 1500, Provisional: true}
	c := &lichess.Challenge{
		ID: "zH4kQ2ab", Variant: lichess.Variant{Key: lichess.Crazyhouse}, Rated: true, Speed: lichess.Blitz,
		Challenger: by,
		TimeControl: lichess.TimeControl{
			Type: lichess.ClockControl, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
		},
	}
	o := Offer{Challenge: c, playable: true, Rating: 1600}
	for word := range strings.FieldsSeq(words) {
		what, value, _ := strings.Cut(word, ":")
		n, _ := strconv.Atoi(value) // 0 if it is another word
		switch what {
		case "id":
			c.ID = value
		case "by":
			by.ID, by.Name = value, value
		case "bot":
			by.Title = "BOT"
		case "title":
			by.Title = value
		case "rating":
			by.Rating = n
		case "anonymous":
			c.Challenger = nil
		case "casual":
			c.Rated = false
		case "variant":
			c.Variant.Key = value
		case "fen":
			c.InitialFEN = value
		case "rules":
			c.Rules = strings.Split(value, ",")
		case "speed":
			c.Speed = lichess.Speed(value)
		case "days":
			c.Speed, c.TimeControl = lichess.Correspondence, lichess.TimeControl{
				Type: lichess.CorrespondenceControl, DaysPerTurn: n,
			}
		case "unlimited":
			c.Speed, c.TimeControl = lichess.Correspondence, lichess.TimeControl{Type: lichess.UnlimitedControl}
		case "untimed":
			c.TimeControl = lichess.TimeControl{}
		case "rematch":
			c.RematchOf = "zH4kQ2aa"
		case "unclear":
			c.Unclear = true
		case "own":
			o.Rating = n
		case "closed":
			o.playable = false
		case "listed":
			o.Listed = true
		case "avoided":
			o.Avoided = true
		case "today":
			o.Today = n
		}
	}
	return o
}

// decide decides on an offer of humans or bots, with settings of the section challenges, or of
// any other if they begin with a point; K stands for the kind. "paused", "blocked" and "allowed"
// are the operator's.
func decide(t *testing.T, kind string, settings []string, offer string) event.Decision {
	t.Helper()
	flags, operator := map[string]string{}, map[string]bool{}
	for _, setting := range settings {
		key, value, isSetting := strings.Cut(setting, "=")
		if operator[key] = !isSetting; isSetting {
			flags[keyOf(key, kind)] = value
		}
	}
	c, err := config.Parse(config.Source{Flags: flags}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPolicy(c)
	p.Paused = operator["paused"]
	for verb, list := range map[string]record.UserList{"blocked": record.Blocked, "allowed": record.Allowed} {
		if operator[verb] {
			p.Users = record.Users{"dropfan": list}
		}
	}
	o := newOffer(offer)
	o.Listed = o.Listed && len(c.Challenges.BlockURL) > 0 // else there is no list to be on
	return p.Decide(o)
}

func keyOf(key, kind string) string {
	if other, isOther := strings.CutPrefix(key, "."); isOther {
		return other
	}
	return "challenges." + strings.Replace(key, "K.", kind+".", 1)
}

// Each decision names its reason and its rule. Where that is the key of a setting, this alone
// turns the answer.
func TestPolicy_Decide(t *testing.T) {
	const letters = "K.speeds=correspondence"
	shown, reasons := map[string]bool{}, map[lichess.DeclineReason]bool{}
	for _, tt := range []struct{ settings, offer, want string }{
		{"", "", "challenges.K"},
		{"", "variant:standard", "variant: variant is not crazyhouse"},
		{"", "variant:", "variant: variant is not crazyhouse"},
		{"allow=dropfan", "variant:atomic", "variant: variant is not crazyhouse"},
		{"", "fen:8/8/8/8/8/8/8/8", "generic: start position of its own"},
		{"", "fen:startpos", "challenges.K"},
		{"", "anonymous", "generic: anonymous challenger"},
		{"", "by:", "generic: anonymous challenger"},
		{"", "closed", "generic: closed to bots"},
		{"", "closed speed:ultraBullet", "tooFast: closed to bots"},
		{"", "rules:noRematch,noAbort", "generic: special rule noAbort"},
		{"allow=dropfan", "rules:noClaimWin", "generic: special rule noClaimWin"},
		{"", "rules:noSleep", "generic: special rule noSleep"},
		{"", "rules:noRematch,noGiveTime,noEarlyDraw", "challenges.K"},

		{"K.enabled=false", "", "{onlyBot|noBot}: challenges.K.enabled"},
		{"bots.enabled=false; humans.enabled=false", "", "{generic|noBot}: challenges.K.enabled"},
		{"block=pest,DROPFAN", "", "generic: challenges.block"},
		{"K.rating.min=2000; allow=friend,DROPFAN", "", "challenges.allow"},
		{"allow=dropfan; block=dropfan", "", "generic: challenges.block"},
		{"block_url=https://example.org/list", "listed", "generic: challenges.block_url"},
		{"block_url=https://example.org/list; allow=dropfan", "listed", "challenges.allow"},
		{"allow=dropfan; blocked", "", "generic: blocked by the operator"},
		{"K.rating.min=2000; allowed", "", "allowed by the operator"},
		{"block=dropfan; allowed", "", "generic: challenges.block"},
		{"allow=dropfan; paused", "", "later: paused by the operator"},
		{"block=dropfan; paused", "", "generic: challenges.block"},
		{"paused; allowed", "", "later: paused by the operator"},
		{"", "unclear", "generic: unclear challenge"},
		{"K.rating.min=2000; allow=dropfan", "unclear", "challenges.allow"},

		{"", "avoided", "later: too many aborted games"},
		{"K.rating.min=2000", "avoided", "generic: challenges.K.rating.min"},
		{"K.rating.min=2000; allow=dropfan", "avoided", "challenges.allow"},
		{".games.max_per_opponent_per_day=5", "today:5", "later: games.max_per_opponent_per_day"},
		{".games.max_per_opponent_per_day=5", "today:4", "challenges.K"},
		{"K.max_per_opponent_per_day=3", "today:3", "later: challenges.K.max_per_opponent_per_day"},
		{"K.max_per_opponent_per_day=3", "today:2", "challenges.K"},
		{"", "today:99", "challenges.K"},
		{"K.speeds=bullet; .games.max_per_opponent_per_day=5", "today:5", "tooSlow: challenges.K.speeds"},
		{"K.initial.min=181s", "rematch", "tooFast: challenges.K.initial.min"},

		{"K.modes=casual", "", "casual: challenges.K.modes"},
		{"K.modes=rated", "casual", "rated: challenges.K.modes"},
		{"K.modes=", "", "generic: challenges.K.modes"},
		{"K.speeds=rapid,classical", "", "tooFast: challenges.K.speeds"},
		{"K.speeds=bullet", "", "tooSlow: challenges.K.speeds"},
		{"K.speeds=bullet,rapid", "", "timeControl: challenges.K.speeds"},
		{"", "speed:ultraBullet", "tooFast: challenges.K.speeds"},
		{"", "speed:hyper", "timeControl: challenges.K.speeds"},
		{"", "speed:", "challenges.K"},
		{"", "untimed", "timeControl: challenges.K.speeds"},
		{"", "days:3", "tooSlow: challenges.K.speeds"},
		{"", "unlimited", "tooSlow: challenges.K.speeds"},
		{"K.clocks=3+0, 5+0", "", "timeControl: challenges.K.clocks"},
		{"K.clocks=180s+2s, 5+0; K.speeds=rapid", "", "tooFast: challenges.K.speeds"},
		{"K.initial.min=180s", "", "challenges.K"},
		{"K.initial.max=180s", "", "challenges.K"},
		{"K.initial.min=181s", "", "tooFast: challenges.K.initial.min"},
		{"K.initial.max=179s", "", "tooSlow: challenges.K.initial.max"},
		{"K.increment.min=3s", "", "tooFast: challenges.K.increment.min"},
		{"K.increment.max=1s", "", "tooSlow: challenges.K.increment.max"},
		{"K.increment.max=0s", "", "tooSlow: challenges.K.increment.max"},
		{letters, "unlimited", "challenges.K"},
		{letters + "; K.days.min=3; K.days.max=3", "days:3", "challenges.K"},
		{letters + "; K.days.min=4", "days:3", "tooFast: challenges.K.days.min"},
		{letters + "; K.days.min=4", "unlimited", "challenges.K"},
		{letters + "; K.days.max=2", "days:3", "tooSlow: challenges.K.days.max"},
		{letters + "; K.days.max=2", "unlimited", "tooSlow: challenges.K.days.max"},
		{"K.provisional=false", "", "generic: challenges.K.provisional"},
		{"K.rating.min=1501", "", "generic: challenges.K.rating.min"},
		{"K.rating.min=1500; K.rating.max=1500; K.rating.max_difference=100", "", "challenges.K"},
		{"K.rating.max=1499", "", "generic: challenges.K.rating.max"},
		{"K.rating.max=1499", "rating:0", "generic: challenges.K.rating.max"},
		{"", "rating:0", "challenges.K"},
		{"", "rating:3100", "challenges.K"},
		{"K.rating.max_difference=99", "", "generic: challenges.K.rating.max_difference"},
		{"K.rating.max_difference=99", "rating:1700", "generic: challenges.K.rating.max_difference"},
		{"K.rating.max_difference=99", "own:0", "challenges.K"},
	} {
		for i, kind := range []string{"humans", "bots"} {
			offer, want := tt.offer, strings.Replace(tt.want, "challenges.K", "challenges."+kind, 1)
			if kind == "bots" {
				offer += " bot"
			}
			if either, rule, ok := strings.Cut(want, "}"); ok {
				want = strings.Split(strings.TrimPrefix(either, "{"), "|")[i] + rule
			}
			settings := slices.DeleteFunc(strings.Split(tt.settings, "; "), func(s string) bool { return s == "" })
			d := decide(t, kind, settings, offer)
			got := d.Rule
			if !d.Accept {
				got = string(d.Reason) + ": " + d.Rule
			}
			if got != want || d.Accept != (d.Reason == "") {
				t.Errorf("%s; %s: %q, want %q", tt.settings, offer, got, want)
			}
			shown[d.Rule], reasons[d.Reason] = true, true
			if len(settings) == 0 || strings.Contains(offer, "avoided") {
				continue
			}
			others, last := settings[:len(settings)-1], settings[len(settings)-1]
			if key, _, _ := strings.Cut(last, "="); keyOf(key, kind) == d.Rule &&
				decide(t, kind, others, offer).Accept == d.Accept {
				t.Errorf("%s; %s: the last setting does not turn the answer", tt.settings, offer)
			}
		}
	}
	// These say when and how well to play, not whether.
	for _, key := range []string{"order", "block_refresh", "humans.level", "humans.level_offset"} {
		shown["challenges."+key] = true
	}
	for _, key := range config.Keys() {
		if strings.HasPrefix(key, "challenges.") && !shown[key] {
			t.Errorf("%s is not shown to do anything", key)
		}
	}
	delete(reasons, "")
	if len(reasons) != 10 || reasons[lichess.DeclineStandard] { // which asks for another variant
		t.Errorf("declined with %v, want all but standard", slices.Sorted(maps.Keys(reasons)))
	}
}

// FuzzOffer decides on whatever the event stream calls a challenge: only what can
// be played is accepted, and every refusal has a reason.
func FuzzOffer(f *testing.F) {
	f.Add([]byte(`{"challenge":{"id":"a","challenger":{"id":"a","name":"A","rating":1500},` +
		`"variant":{"key":"crazyhouse"},"speed":"blitz","rated":true,` +
		`"timeControl":{"type":"clock","limit":180,"increment":2},` +
		`"destUser":{"rating":2000}}}`))
	f.Add([]byte(`{"challenge":{"id":"a","challenger":null,"rules":["noAbort"],` +
		`"timeControl":{"type":"clock","limit":-9223372036854775808}},"compat":{"bot":false}}`))
	f.Add([]byte(`{"challenge":{"id":"a","challenger":{"id":"a","title":"BOT"},"variant":{"key":"crazyhouse"},` +
		`"timeControl":{"type":"unlimited"},"initialFen":"8/8"}}`))
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
		case d.Accept && (c.Variant.Key != lichess.Crazyhouse || c.Challenger == nil || c.Challenger.ID == "" ||
			len(c.InitialFEN) > len("startpos")):
			t.Errorf("accepted: %+v", c)
		}
	})
}

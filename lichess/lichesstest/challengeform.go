package lichesstest

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// challengeForm validates the form of a new challenge.
type challengeForm struct {
	url.Values
	refused *refusal // for the first problem
}

// readSpec reads the form of a new challenge by a user, or refuses it. With anyClock,
// time controls that Lichess refuses are accepted.
func readSpec(form url.Values, u *user, anyClock bool) (ChallengeSpec, *refusal) {
	f := challengeForm{Values: form}
	spec := ChallengeSpec{
		Limit:     time.Duration(f.number("clock.limit")) * time.Second,
		Increment: time.Duration(f.number("clock.increment")) * time.Second, Days: f.number("days"),
		Rated:   f.Get("rated") == "true",
		Color:   cmp.Or(f.Get("color"), "random"),
		Variant: cmp.Or(f.Get("variant"), "standard"),
		Rules:   strings.FieldsFunc(f.Get("rules"), func(c rune) bool { return c == ',' }),
	}
	f.check(variants[spec.Variant].name != "", "variant", "Invalid value")
	f.check(slices.Contains([]string{"random", "white", "black"}, spec.Color), "color", "Invalid value")
	for _, rule := range spec.Rules {
		known := slices.Contains([]string{"noAbort", "noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw"}, rule)
		f.check(known, "rules", "Invalid value")
	}
	if !anyClock {
		f.checkTimes(&spec)
		f.check(!u.bot() || spec.speed() != ultraBullet, "global", "Invalid speed")
	}
	f.check(!spec.Rated || spec.kind() == realTime || spec.Variant == "standard", "global", "can't be rated")
	return spec, f.refused
}

// checkTimes checks the time control by the rules of Lichess.
func (f *challengeForm) checkTimes(spec *ChallengeSpec) {
	short := slices.Contains([]time.Duration{0, 15, 30, 45, 60, 90}, spec.Limit/time.Second)
	whole := spec.Limit%time.Minute == 0 && spec.Limit > 0 && spec.Limit <= 3*time.Hour
	f.check(short || whole, "clock.limit", "Invalid value")
	f.check(spec.Increment >= 0 && spec.Increment <= time.Minute, "clock.increment", "Invalid value")
	f.check(slices.Contains([]int{0, 1, 2, 3, 5, 7, 10, 14}, spec.Days), "days", "Invalid value")
	if limit, increment := f.Get("clock.limit") != "", f.Get("clock.increment") != ""; limit || increment {
		f.check(limit, "clock.limit", "This field is required")
		f.check(increment, "clock.increment", "This field is required")
		f.check(spec.kind() == realTime, "clock", "Invalid clock")
	}
}

func (f *challengeForm) check(valid bool, field, fault string) {
	if !valid && f.refused == nil {
		f.refused = invalidField(field, fault)
	}
}

func (f *challengeForm) number(field string) int {
	n, err := strconv.Atoi(cmp.Or(f.Get(field), "0"))
	f.check(err == nil, field, "Numeric value expected")
	return n
}

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
	values url.Values
	err    *refusal // the first problem
}

// readSpec reads the form of a new challenge by a user, or refuses it. With anyClock,
// time controls that Lichess refuses are accepted.
func readSpec(form url.Values, u *user, anyClock bool) (ChallengeSpec, *refusal) {
	f := challengeForm{values: form}
	spec := f.spec()
	if !anyClock {
		f.checkTimes(&spec)
		f.check(!u.bot() || spec.speed() != ultraBullet, "global", "Invalid speed")
	}
	f.check(!spec.Rated || spec.kind() == realTime || spec.Variant == "standard", "global", "can't be rated")
	return spec, f.err
}

func (f *challengeForm) spec() ChallengeSpec {
	spec := ChallengeSpec{
		Limit: f.seconds("clock.limit"), Increment: f.seconds("clock.increment"), Days: f.number("days"),
		Rated:   f.values.Get("rated") == "true",
		Color:   cmp.Or(f.values.Get("color"), "random"),
		Variant: cmp.Or(f.values.Get("variant"), "standard"),
		Rules:   strings.FieldsFunc(f.values.Get("rules"), func(c rune) bool { return c == ',' }),
	}
	f.check(variants[spec.Variant].name != "", "variant", "Invalid value")
	f.check(slices.Contains([]string{"random", "white", "black"}, spec.Color), "color", "Invalid value")
	for _, rule := range spec.Rules {
		known := slices.Contains([]string{"noAbort", "noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw"}, rule)
		f.check(known, "rules", "Invalid value")
	}
	return spec
}

// checkTimes checks the time control by the rules of Lichess.
func (f *challengeForm) checkTimes(spec *ChallengeSpec) {
	limit := int(spec.Limit.Seconds())
	short := slices.Contains([]int{0, 15, 30, 45, 60, 90}, limit)
	f.check(short || limit%60 == 0 && limit > 0 && limit <= 10800, "clock.limit", "Invalid value")
	f.check(spec.Increment >= 0 && spec.Increment <= time.Minute, "clock.increment", "Invalid value")
	days := []int{0, 1, 2, 3, 5, 7, 10, 14}
	f.check(slices.Contains(days, spec.Days), "days", "Invalid value")
	if limit, increment := f.values.Get("clock.limit"), f.values.Get("clock.increment"); limit != "" ||
		increment != "" {
		f.check(limit != "", "clock.limit", "This field is required")
		f.check(increment != "", "clock.increment", "This field is required")
		f.check(spec.kind() == realTime, "clock", "Invalid clock")
	}
}

func (f *challengeForm) check(valid bool, field, fault string) {
	if !valid && f.err == nil {
		f.err = invalidField(field, fault)
	}
}

func (f *challengeForm) number(field string) int {
	text := f.values.Get(field)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	f.check(err == nil, field, "Numeric value expected")
	return n
}

func (f *challengeForm) seconds(field string) time.Duration {
	return time.Duration(f.number(field)) * time.Second
}

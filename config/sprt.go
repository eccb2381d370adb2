package config

import (
	"fmt"
	"slices"
	"strconv"
)

// SPRT is a sequential test of two contenders by their rated games: whether New is Elo0 or
// less stronger than Base, or at least Elo1. Without names there is no test.
type SPRT struct {
	New, Base  string
	Elo0, Elo1 float64
}

// maxElo bounds a difference that can be tested.
const maxElo = 1000

// UnmarshalText parses a test such as "new,base,0,30"; the empty text is none.
func (t *SPRT) UnmarshalText(text []byte) error {
	fields := splitList(string(text))
	if len(fields) == 0 {
		*t = SPRT{}
		return nil
	}
	if len(fields) != 4 {
		return fmt.Errorf("%q is not a test; want two contenders and two Elo differences, such as new,base,0,30", text)
	}
	elo0, err0 := strconv.ParseFloat(fields[2], 64)
	elo1, err1 := strconv.ParseFloat(fields[3], 64)
	*t = SPRT{fields[0], fields[1], elo0, elo1}
	switch {
	case err0 != nil || err1 != nil || !(-maxElo <= elo0 && elo0 < elo1 && elo1 <= maxElo):
		return fmt.Errorf("%q: want two Elo numbers, the lower first, such as 0,30", text)
	case t.New == "" || t.Base == "" || t.New == t.Base:
		return fmt.Errorf("%q names one contender, want two", text)
	}
	return nil
}

// String returns the test in the form of [SPRT.UnmarshalText], "" for none.
func (t SPRT) String() string {
	if t.New == "" {
		return ""
	}
	return fmt.Sprintf("%s,%s,%g,%g", t.New, t.Base, t.Elo0, t.Elo1)
}

// validateSPRT checks that the test is one of contenders.
func (c *Config) validateSPRT(p *problems) {
	if c.SPRT.New == "" {
		return
	}
	var purposes []string
	for _, name := range []string{c.SPRT.New, c.SPRT.Base} {
		i := slices.IndexFunc(c.Contenders, func(k Contender) bool { return k.Name == name })
		if i < 0 {
			p.add("sprt", "there is no contender %q", name)
			return
		}
		purposes = append(purposes, c.Contenders[i].For.String())
	}
	if purposes[0] != purposes[1] {
		p.add("sprt", "%s and %s are for different games, so they cannot be compared", c.SPRT.New, c.SPRT.Base)
	}
	if c.Records.Dir == "" {
		p.add("sprt", "needs records.dir, the folder of the games that it tests")
	}
}

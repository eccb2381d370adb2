package config

import (
	"strings"
	"testing"
)

func TestParse_SPRT(t *testing.T) {
	const contenders = "records: {dir: games}\ncontenders: [{name: new one}, {name: base}, {name: fast, for: {speeds: [bullet]}}]\n"
	want := SPRT{"new one", "base", 0, 30}
	c, err := Parse(Source{}, []byte(contenders+"sprt: new one, base, 0, 30\n"))
	if err != nil || c.SPRT != want || c.SPRT.String() != "new one,base,0,30" {
		t.Errorf("parsed as %+v (%s), %v", c.SPRT, c.SPRT, err)
	}
	if c, err = Parse(Source{}, []byte(contenders+"sprt: \n")); err != nil || c.SPRT != (SPRT{}) || c.SPRT.String() != "" {
		t.Errorf("no test is parsed as %+v, %v", c.SPRT, err)
	}
	for text, want := range map[string]string{
		"new one":            "want two contenders and two Elo differences, such as new,base,0,30",
		"new one,base,0":     "want two contenders and two Elo differences",
		"new one,base,30,0":  "want two Elo numbers, the lower first",
		"base,base,0,30":     "names one contender, want two",
		",base,0,30":         "names one contender, want two",
		"old,base,0,30":      `sprt: there is no contender "old"`,
		"new one,Base,0,30":  `sprt: there is no contender "Base"`,
		"fast,base,0,30":     "sprt: fast and base are for different games",
		"new one,base,0,1e9": "want two Elo numbers",
	} {
		if _, err := Parse(Source{}, []byte(contenders+"sprt: '"+text+"'\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
	if _, err := Parse(Source{}, []byte(strings.Replace(contenders, "games", "''", 1)+"sprt: new one,base,0,30\n")); err == nil || !strings.Contains(err.Error(), "sprt: needs records.dir") {
		t.Errorf("without records: %v", err)
	}
}

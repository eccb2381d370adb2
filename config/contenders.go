package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// Contender is one of the engines among which the games are shared out. What it does not
// set is taken from the section engine. A game is played by one of those that
// [ContendersFor] returns.
type Contender struct {
	Name     string   `key:"name"`
	Weight   int      `key:"weight" range:"0..1000"` // of its share of the games, among those with the same For
	For      For      `key:"for"`
	Network  *string  `key:"network" form:"network"`   // nil if not set
	Book     []string `key:"book"`                     // nil if not set
	Command  *string  `key:"command" form:"command"`   // nil if not set
	Protocol string   `key:"protocol" form:"protocol"` // "" if not set
	Clock    string   `key:"clock" form:"clock"`       // "" if not set
	Options  []Option `key:"options"`                  // nil if not set
	Level    *Level   `key:"level" form:"play"`        // in casual games with people; nil if not set
}

// ContendersFor returns the contenders that share out a game: those with the first For in the
// list that matches it, one without any coming last, and with a weight. There may be none.
func ContendersFor(list []Contender, g GameKind) (sharing []Contender) {
	for _, open := range []bool{false, true} {
		for _, k := range list {
			same := len(sharing) == 0 || sharing[0].For.String() == k.For.String()
			if k.Weight > 0 && same && k.For.Matches(g) && (k.For.String() == "") == open {
				sharing = append(sharing, k)
			}
		}
		if len(sharing) > 0 {
			break
		}
	}
	return sharing
}

// String returns its name.
func (c Contender) String() string { return c.Name }

// withWeight returns the keys of a contender with the default weight.
func withWeight(given map[string]any) map[string]any {
	if _, ok := given["weight"]; !ok {
		given["weight"] = "1"
	}
	return given
}

// contenderName matches the names of contenders, which are printed in tables and tags.
var contenderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,39}$`)

// maxContenders is how many there can be. Each has its own memory.
const maxContenders = 8

func (c *Config) validateContenders(p *problems) {
	if len(c.Contenders) > maxContenders {
		p.add("contenders", "%d are too many, want at most %d", len(c.Contenders), maxContenders)
	}
	first, weights := map[string]int{}, 0
	for i, k := range c.Contenders {
		key := fmt.Sprintf("contenders[%d]", i)
		before, known := first[strings.ToLower(k.Name)]
		switch {
		case k.Name == "":
			p.add(key, "no name; want one that identifies its games in the records")
		case !contenderName.MatchString(k.Name):
			p.add(key+".name", "%q is not a name; want up to 40 letters, digits, spaces and . _ + -", k.Name)
		case known:
			p.add(key+".name", "%q is also the name of contenders[%d]", k.Name, before)
		default:
			first[strings.ToLower(k.Name)] = i
		}
		for _, s := range (setting{Value: reflect.ValueOf(k), key: key}).settings() {
			p.checkForm(s)
		}
		p.checkFor(key+".for", &k.For)
		weights += k.Weight
	}
	if len(c.Contenders) > 0 && weights <= 0 {
		p.add("contenders", "all have a weight of 0, so none would get a game; want at least one with more")
	}
}

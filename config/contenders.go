package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/lichess"
)

// Contender is one of the engines among which the games are shared out. What it does not
// set is taken from the section engine. A game is played by one of those that
// [ContendersFor] returns.
type Contender struct {
	Name     string   `key:"name" form:"name"`       // printed in tables and tags
	Weight   int      `key:"weight" range:"0..1000"` // of its share of the games, among those with the same For
	For      For      `key:"for"`
	Network  *string  `key:"network" form:"network"`         // nil if not set
	Book     []string `key:"book"`                           // nil if not set
	Command  *string  `key:"command" form:"command"`         // nil if not set
	Protocol string   `key:"protocol" choices:"uci, xboard"` // "" if not set
	Clock    string   `key:"clock" choices:"bot, program"`   // "" if not set
	Options  []Option `key:"options"`                        // nil if not set
	Level    *Level   `key:"level" form:"level"`             // in casual games with people; nil if not set
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
	}
	return sharing
}

// AreForAllGames reports whether each game has one of the contenders, and none the section
// engine.
func AreForAllGames(list []Contender) bool {
	for _, speed := range lichess.Speeds() {
		for i := range 8 {
			g := GameKind{Speed: speed, Bot: i&1 != 0, Rated: i&2 != 0, Color: lichess.White}
			if i&4 != 0 {
				g.Color = lichess.Black
			}
			if len(ContendersFor(list, g)) == 0 {
				return false
			}
		}
	}
	return true
}

// String returns its name.
func (c Contender) String() string { return c.Name }

// maxContenders is how many there can be. Each has its own memory.
const maxContenders = 8

func (c *Contender) validate(p *problems, key string) {
	if c.Name == "" {
		p.add(key, "no name; want one that identifies its games in the records")
	}
}

func (c *Config) validateContenders(p *problems) {
	if len(c.Contenders) > maxContenders {
		p.add("contenders", "%d are too many, want at most %d", len(c.Contenders), maxContenders)
	}
	weights := 0
	for i, k := range c.Contenders {
		weights += k.Weight
		before := slices.IndexFunc(c.Contenders[:i], func(other Contender) bool {
			return strings.EqualFold(other.Name, k.Name)
		})
		if before >= 0 && k.Name != "" {
			p.add(fmt.Sprintf("contenders[%d].name", i), "%q is also the name of contenders[%d]", k.Name, before)
		}
	}
	if len(c.Contenders) > 0 && weights <= 0 {
		p.add("contenders", "all have a weight of 0, so none would get a game; want at least one with more")
	}
}

package config

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Challenges configures which challenges to accept.
type Challenges struct {
	Humans HumanTerms `key:"humans"`
	Bots   Terms      `key:"bots"`
	Allow  []string   `key:"allow" form:"user"` // users who may play whatever a bot can play
	Block  []string   `key:"block" form:"user"` // users who are always declined
	// BlockURL holds the URLs of lists of users to block, one per line.
	BlockURL     URLs          `key:"block_url" form:"list"`
	BlockRefresh time.Duration `key:"block_refresh" range:"1m.." default:"6h"` // few requests for the list
	Order        Order         `key:"order" choices:"best, first, titled" default:"best"`
}

// URLs are addresses; a file may have a single one as a text instead of a list.
type URLs []string

// Order is the order in which challenges that wait for a slot are accepted.
type Order string

// The orders of challenges.
const (
	BestFirst Order = "best"  // humans before bots, then the higher rating
	FirstCome Order = "first" // the one that has waited longest
	// TitledFirst is BestFirst, but humans with a title come before all others.
	TitledFirst Order = "titled"
)

// Terms are the conditions for one kind of challenger.
type Terms struct {
	Enabled   bool                 `key:"enabled" default:"true"`
	Modes     []string             `key:"modes" choices:"rated, casual" default:"all"`
	Speeds    []lichess.Speed      `key:"speeds" choices:"speeds" default:"bullet, blitz, rapid, classical"`
	Clocks    []lichess.Clock      `key:"clocks"`                                    // the only ones, if there are any
	Initial   Range[time.Duration] `key:"initial" range:"min=..3h" default:"max=3h"` // 0 counts like any bound
	Increment Range[time.Duration] `key:"increment" range:"min=..1m" default:"max=1m"`
	// Days per move of correspondence games; 0 is no bound. A game without any limit has
	// more days than every bound.
	Days   Range[int] `key:"days"`
	Rating Rating     `key:"rating" range:"min=..4000 max=0|400.."`
	// Provisional accepts players with a provisional rating.
	Provisional bool `key:"provisional" default:"true"`
	// MaxPerOpponentPerDay is a number of games started within 24 hours; 0 for any.
	MaxPerOpponentPerDay int `key:"max_per_opponent_per_day"`
}

// HumanTerms are the conditions for people, and how well to play them.
type HumanTerms struct {
	Terms

	// Level is for casual games; "" for that of the engine.
	Level       Level `key:"level" form:"level"`
	LevelOffset int   `key:"level_offset" range:"-1000..1000"` // rating points; see Near
}

// modes are those of games.
var modes = []string{"rated", "casual"}

func checkList(address string) error {
	switch u, err := url.Parse(address); {
	case err != nil || u.Host == "":
		return errors.New("not an address; want the form https://example.org/blocked.txt")
	case u.Scheme != "https":
		return fmt.Errorf("%s: want https, so that nobody can change the list in transit", u.Redacted())
	case u.User != nil:
		return fmt.Errorf("%s has a user name or password; want the address of a public list", u.Redacted())
	}
	return nil
}

func (t *Terms) validate(p *problems, key string) {
	for i, c := range t.Clocks {
		p.addIf(fmt.Sprintf("%s.clocks[%d]", key, i), c.Validate(false))
	}
}

package config

import (
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
	BlockURL     URLs          `key:"block_url"`
	BlockRefresh time.Duration `key:"block_refresh" range:"1m.." default:"6h"` // few requests for the list
	Order        Order         `key:"order" form:"order" default:"best"`
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
	Modes     []string             `key:"modes" form:"mode" default:"rated, casual"` // "rated", "casual"
	Speeds    []lichess.Speed      `key:"speeds" form:"speed" default:"bullet, blitz, rapid, classical"`
	Clocks    []lichess.Clock      `key:"clocks"`                   // the only ones, if there are any
	Initial   Range[time.Duration] `key:"initial" default:"max=3h"` // of games with a clock; 0 counts like any bound
	Increment Range[time.Duration] `key:"increment" default:"max=1m"`
	// Days per move of correspondence games; 0 is no bound. A game without any limit has
	// more days than every bound.
	Days   Range[int] `key:"days"`
	Rating Rating     `key:"rating"`
	// Provisional accepts players with a provisional rating.
	Provisional bool `key:"provisional" default:"true"`
	// MaxPerOpponentPerDay is a number of games started within 24 hours; 0 for any.
	MaxPerOpponentPerDay int `key:"max_per_opponent_per_day"`
}

// HumanTerms are the conditions for people, and how well to play them.
type HumanTerms struct {
	Terms

	// Level is for casual games; "" for that of the engine.
	Level       Level `key:"level" form:"play"`
	LevelOffset int   `key:"level_offset" range:"-1000..1000"` // rating points; see Near
}

// The lowest and the highest rating on Lichess.
const (
	minRating = 400
	maxRating = 4000
)

// checkRatings adds a problem for bounds that no rating satisfies.
func (p *problems) checkRatings(key string, r Rating) {
	p.checkBounds(key, r.Range)
	if r.Min > maxRating {
		p.add(key+".min", "%d is above the highest rating on Lichess, %d", r.Min, maxRating)
	}
	if r.Max > 0 && r.Max < minRating {
		p.add(key+".max", "%d is below the lowest rating on Lichess, %d; 0 is no bound", r.Max, minRating)
	}
}

// checkBounds adds a problem for bounds that no number satisfies; 0 is no bound.
func (p *problems) checkBounds(key string, r Range[int]) {
	if r.Max != 0 && r.Min > r.Max {
		p.add(key+".min", "%d is more than max, %d", r.Min, r.Max)
	}
}

func (c *Challenges) validate(p *problems) {
	c.Humans.validate("challenges.humans", p)
	c.Bots.validate("challenges.bots", p)
	for i, text := range c.BlockURL {
		key := "challenges.block_url"
		if len(c.BlockURL) > 1 {
			key = fmt.Sprintf("%s[%d]", key, i)
		}
		switch u, err := url.Parse(text); {
		case err != nil || u.Host == "":
			p.add(key, "not an address; want the form https://example.org/blocked.txt")
		case u.Scheme != "https":
			p.add(key, "%s: want https, so that nobody can change the list in transit", u.Redacted())
		case u.User != nil:
			p.add(key, "%s has a user name or password; want the address of a public list", u.Redacted())
		}
	}
}

func (t *Terms) validate(section string, p *problems) {
	for _, c := range t.Clocks {
		if err := c.Validate(false); err != nil && !c.IsZero() { // zero was not parsed: that is a problem already
			p.add(section+".clocks", "%w", err)
		}
	}
	p.checkTimes(section+".initial", t.Initial, lichess.MaxInitial, "clock")
	p.checkTimes(section+".increment", t.Increment, lichess.MaxIncrement, "increment")
	p.checkRatings(section+".rating", t.Rating)
	p.checkBounds(section+".days", t.Days)
}

// checkTimes adds a problem for bounds that no game satisfies.
func (p *problems) checkTimes(key string, r Range[time.Duration], longest time.Duration, what string) {
	if r.Min > r.Max {
		p.add(key+".min", "%s is more than max, %s", r.Min, r.Max)
	}
	if r.Min > longest {
		p.add(key+".min", "%s is longer than any %s on Lichess, %s", r.Min, what, longest)
	}
}

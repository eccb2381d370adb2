package config

import (
	"net/url"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// The longest clock and increment of a game on Lichess.
const (
	maxInitial   = 3 * time.Hour
	maxIncrement = time.Minute
)

// The lowest and the highest rating on Lichess.
const (
	minRating = 400
	maxRating = 4000
)

// checkRatings adds a problem for bounds that no rating satisfies.
func (p *problems) checkRatings(key string, r Rating) {
	p.checkBounds(key, r.Min, r.Max)
	p.atLeast(key+".max_difference", r.MaxDifference, 0)
	if r.Min > maxRating {
		p.add(key+".min", "%d is above the highest rating on Lichess, %d", r.Min, maxRating)
	}
	if r.Max > 0 && r.Max < minRating {
		p.add(key+".max", "%d is below the lowest rating on Lichess, %d; 0 is no bound", r.Max, minRating)
	}
}

// checkBounds adds a problem for bounds that no number satisfies; 0 is no bound.
func (p *problems) checkBounds(key string, lower, upper int) {
	p.atLeast(key+".min", lower, 0)
	p.atLeast(key+".max", upper, 0)
	if upper != 0 && lower > upper {
		p.add(key+".min", "%d is more than max, %d", lower, upper)
	}
}

// minRefresh limits the requests for a block list.
const minRefresh = time.Minute

func (c *Challenges) validate(p *problems) {
	c.Humans.validate("challenges.humans", p)
	c.Bots.validate("challenges.bots", p)
	checkUsers(p, "challenges.allow", c.Allow)
	checkUsers(p, "challenges.block", c.Block)
	p.oneOf("challenges.order", c.Order, "best", "first")
	if c.BlockRefresh < minRefresh {
		p.add("challenges.block_refresh", "%s is too often, want at least 1m", c.BlockRefresh)
	}
	if c.BlockURL == "" {
		return
	}
	u, err := url.Parse(c.BlockURL)
	switch {
	case err != nil || u.Host == "":
		p.add("challenges.block_url", "not an address; want the form https://example.org/blocked.txt")
	case u.Scheme != "https":
		p.add("challenges.block_url", "%s: want https, so that nobody can change the list in transit", u.Redacted())
	case u.User != nil:
		p.add("challenges.block_url", "%s has a user name or password; want the address of a public list", u.Redacted())
	}
}

func checkUsers(p *problems, key string, names []string) {
	for _, name := range names {
		if !lichess.ValidUserName(name) {
			p.add(key, "%q is not a user name; want the one in https://lichess.org/@/name, without @", name)
		}
	}
}

// The values that terms may list.
var (
	modes  = []string{"rated", "casual"}
	speeds = []string{"ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence"}
)

func (t *Terms) validate(section string, p *problems) {
	for _, m := range t.Modes {
		p.oneOf(section+".modes", m, modes...)
	}
	for _, s := range t.Speeds {
		p.oneOf(section+".speeds", s, speeds...)
	}
	for _, span := range []struct {
		key string
		Span
	}{{".initial", t.Initial}, {".increment", t.Increment}} {
		if span.Min > span.Max {
			p.add(section+span.key+".min", "%s is more than max, %s", span.Min, span.Max)
		}
	}
	if t.Initial.Min > maxInitial {
		p.add(section+".initial.min", "%s is longer than any clock on Lichess, %s", t.Initial.Min, maxInitial)
	}
	if t.Increment.Min > maxIncrement {
		p.add(section+".increment.min", "%s is longer than any increment on Lichess, %s", t.Increment.Min, maxIncrement)
	}
	p.checkRatings(section+".rating", t.Rating)
	p.checkBounds(section+".days", t.Days.Min, t.Days.Max)
}

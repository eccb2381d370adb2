package config

import (
	"net/url"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// The lowest and the highest rating on Lichess.
const (
	minRating = 400
	maxRating = 4000
)

// checkRatings adds a problem for bounds that no rating satisfies.
func (p *problems) checkRatings(key string, r Rating) {
	p.checkBounds(key, r.Range)
	p.atLeast(key+".max_difference", r.MaxDifference, 0)
	if r.Min > maxRating {
		p.add(key+".min", "%d is above the highest rating on Lichess, %d", r.Min, maxRating)
	}
	if r.Max > 0 && r.Max < minRating {
		p.add(key+".max", "%d is below the lowest rating on Lichess, %d; 0 is no bound", r.Max, minRating)
	}
}

// checkBounds adds a problem for bounds that no number satisfies; 0 is no bound.
func (p *problems) checkBounds(key string, r Range[int]) {
	p.atLeast(key+".min", r.Min, 0)
	p.atLeast(key+".max", r.Max, 0)
	if r.Max != 0 && r.Min > r.Max {
		p.add(key+".min", "%d is more than max, %d", r.Min, r.Max)
	}
}

// minRefresh limits the requests for a block list.
const minRefresh = time.Minute

func (c *Challenges) validate(p *problems) {
	c.Humans.validate("challenges.humans", p)
	c.Bots.validate("challenges.bots", p)
	checkUsers(p, "challenges.allow", c.Allow)
	checkUsers(p, "challenges.block", c.Block)
	oneOf(p, "challenges.order", c.Order, BestFirst, FirstCome)
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

// modes are those that terms may list.
var modes = []string{"rated", "casual"}

func (t *Terms) validate(section string, p *problems) {
	for _, m := range t.Modes {
		oneOf(p, section+".modes", m, modes...)
	}
	for _, s := range t.Speeds {
		oneOf(p, section+".speeds", s, lichess.Speeds()...)
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

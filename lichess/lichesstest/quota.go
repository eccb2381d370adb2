package lichesstest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	// maxGames is how many games with a clock an account may have in progress.
	maxGames = 200
	// maxPending is how many challenges of an account may be pending.
	maxPending = 100
	// botCost and humanCost are the credits that a challenge costs, by its target.
	botCost, humanCost = 1, 5
)

const day = 24 * time.Hour

// hasMaxGames reports whether a user has as many games in progress as Lichess allows.
func (s *Server) hasMaxGames(u *user) bool {
	n := 0
	for _, g := range s.gamesInProgress(u) {
		if g.clock.kind == realTime {
			n++
		}
	}
	return n >= maxGames
}

// botQuota refuses unless both bots have games against bots left today.
func (s *Server) botQuota(u, other *user) *refusal {
	if !u.bot() || !other.bot() {
		return nil
	}
	own := limit{key: "bot.vsBot.day", credits: s.opts.BotGamesPerDay, period: day}
	opponents := own
	own.text = fmt.Sprintf("You played %d games against other bots today, please wait before challenging another bot.",
		own.credits)
	opponents.text = fmt.Sprintf("%s played %d games against other bots today, please wait before challenging them.",
		other.name, own.credits)
	opponents.status = http.StatusBadRequest
	if refused := u.botGames.check(1, time.Now(), own); refused != nil {
		return refused
	}
	return other.botGames.check(1, time.Now(), opponents)
}

// limit is how many credits may be spent within a period.
type limit struct {
	key     string
	credits int
	period  time.Duration
	text    string // of the refusal; default tooManyRequests
	status  int    // of the refusal; default 429
}

// The limits on challenges and on joining or resuming arenas, of a user.
var (
	challengeLimits = []limit{
		{key: "challenge.create.user.slow", credits: 200, period: day},
		{key: "challenge.create.user.fast", credits: 25, period: time.Minute},
	}
	arenaLimit = limit{key: "tournament.user.joinOrResume", credits: 30, period: 10 * time.Minute}
)

// charges is what was spent, oldest first.
type charges []charge

// charge is the cost of a request and its time.
type charge struct {
	at   time.Time
	cost int
}

// add charges a cost, or refuses it if that exceeds one of the limits.
func (c *charges) add(cost int, now time.Time, limits ...limit) *refusal {
	for _, l := range limits {
		if refused := c.check(cost, now, l); refused != nil {
			return refused
		}
	}
	c.record(cost, now)
	return nil
}

// record charges a cost, and forgets those that no limit counts any longer.
func (c *charges) record(cost int, now time.Time) {
	*c = slices.DeleteFunc(*c, func(c charge) bool { return now.Sub(c.at) > day })
	*c = append(*c, charge{now, cost})
}

// check refuses a cost that would exceed a limit.
func (c charges) check(cost int, now time.Time, l limit) *refusal {
	spent, wait := cost, l.period
	for _, before := range slices.Backward(c) {
		if age := now.Sub(before.at); age <= l.period {
			spent, wait = spent+before.cost, l.period-age
		}
	}
	if spent <= l.credits {
		return nil
	}
	return &refusal{cmp.Or(l.status, http.StatusTooManyRequests), object{
		"error": cmp.Or(l.text, tooManyRequests), "ratelimit": object{"key": l.key, "seconds": int(wait.Seconds())},
	}}
}

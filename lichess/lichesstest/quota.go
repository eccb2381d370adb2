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

// botQuota returns an error unless both bots have games against bots left today.
func (s *Server) botQuota(u, other *user) error {
	if !u.bot() || !other.bot() {
		return nil
	}
	switch limit := s.opts.BotGamesPerDay; {
	case u.botGames >= limit:
		text := fmt.Sprintf("You played %d games against other bots today, please wait before challenging another bot.", limit)
		return overLimit(http.StatusTooManyRequests, text, "bot.vsBot.day", 43210)
	case other.botGames >= limit:
		text := fmt.Sprintf("%s played %d games against other bots today, please wait before challenging them.", other.name, limit)
		return overLimit(http.StatusBadRequest, text, "bot.vsBot.day", 43210)
	}
	return nil
}

// limit is how many credits may be spent within a period.
type limit struct {
	key     string
	credits int
	period  time.Duration
	text    string // of the refusal; default tooManyRequests
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
func (c *charges) add(cost int, now time.Time, limits ...limit) error {
	*c = slices.DeleteFunc(*c, func(c charge) bool { return now.Sub(c.at) > day })
	for _, l := range limits {
		spent, wait := cost, l.period
		for _, before := range slices.Backward(*c) {
			if age := now.Sub(before.at); age <= l.period {
				spent, wait = spent+before.cost, l.period-age
			}
		}
		if spent > l.credits {
			return overLimit(http.StatusTooManyRequests, cmp.Or(l.text, tooManyRequests), l.key, int(wait.Seconds()))
		}
	}
	*c = append(*c, charge{now, cost})
	return nil
}

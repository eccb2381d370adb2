package lichesstest

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	// maxGames is how many games an account may have in progress.
	maxGames = 200
	// botCost and humanCost are the credits that a challenge costs, by its target;
	// there are creditsPerMinute and creditsPerDay of them.
	botCost, humanCost              = 1, 5
	creditsPerMinute, creditsPerDay = 25, 200
)

const day = 24 * time.Hour

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

// charge is the cost of a challenge and its time.
type charge struct {
	at   time.Time
	cost int
}

// chargeCredits charges a challenge's credits, or returns an error if there are not
// enough.
func (u *user) chargeCredits(cost int, now time.Time) error {
	u.charges = slices.DeleteFunc(u.charges, func(s charge) bool { return now.Sub(s.at) > day })
	minute, today := cost, cost
	for _, s := range u.charges {
		today += s.cost
		if now.Sub(s.at) <= time.Minute {
			minute += s.cost
		}
	}
	switch {
	case today > creditsPerDay:
		return overLimit(http.StatusTooManyRequests, tooManyRequests, "challenge.create.user.slow", int(day.Seconds()))
	case minute > creditsPerMinute:
		return overLimit(http.StatusTooManyRequests, tooManyRequests, "challenge.create.user.fast", 60)
	}
	u.charges = append(u.charges, charge{now, cost})
	return nil
}

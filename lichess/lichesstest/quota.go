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

// botQuota reports whether both bots have games against bots left today, and writes
// an error if not.
func (s *Server) botQuota(w http.ResponseWriter, u, other *user) bool {
	if !u.bot() || !other.bot() {
		return true
	}
	limit := object{"key": "bot.vsBot.day", "seconds": 43210}
	switch {
	case u.botGames >= s.opts.BotGamesPerDay:
		text := fmt.Sprintf("You played %d games against other bots today, please wait before challenging another bot.", s.opts.BotGamesPerDay)
		writeJSON(w, http.StatusTooManyRequests, object{"error": text, "ratelimit": limit})
	case other.botGames >= s.opts.BotGamesPerDay:
		text := fmt.Sprintf("%s played %d games against other bots today, please wait before challenging them.", other.name, s.opts.BotGamesPerDay)
		writeJSON(w, http.StatusBadRequest, object{"error": text, "ratelimit": limit})
	default:
		return true
	}
	return false
}

// charge is the cost of a challenge and its time.
type charge struct {
	at   time.Time
	cost int
}

// chargeCredits charges a challenge's credits, or writes an error if there are not
// enough.
func (u *user) chargeCredits(w http.ResponseWriter, cost int, now time.Time) bool {
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
		writeRateLimit(w, tooManyRequests, "challenge.create.user.slow", day)
		return false
	case minute > creditsPerMinute:
		writeRateLimit(w, tooManyRequests, "challenge.create.user.fast", time.Minute)
		return false
	}
	u.charges = append(u.charges, charge{now, cost})
	return true
}

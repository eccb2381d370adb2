package lichesstest

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	// gamesAtOnce is how many games an account may have.
	gamesAtOnce = 200
	// botCost and humanCost are the credits that a challenge takes, by whom it
	// goes to; there are so many for a minute and for a day.
	botCost, humanCost          = 1, 5
	creditsAMinute, creditsADay = 25, 200
)

const day = 24 * time.Hour

// botQuota refuses when either bot has played its games of the day.
func (s *Server) botQuota(w http.ResponseWriter, u, other *user) bool {
	if !u.bot() || !other.bot() {
		return true
	}
	limit := object{"key": "bot.vsBot.day", "seconds": 43210}
	switch {
	case u.botGames >= s.opts.BotGamesPerDay:
		text := fmt.Sprintf("You played %d games against other bots today, please wait before challenging another bot.", s.opts.BotGamesPerDay)
		reply(w, http.StatusTooManyRequests, object{"error": text, "ratelimit": limit})
	case other.botGames >= s.opts.BotGamesPerDay:
		text := fmt.Sprintf("%s played %d games against other bots today, please wait before challenging them.", other.name, s.opts.BotGamesPerDay)
		reply(w, http.StatusBadRequest, object{"error": text, "ratelimit": limit})
	default:
		return true
	}
	return false
}

// spending is what a challenge cost, and when.
type spending struct {
	at   time.Time
	cost int
}

// spend takes a challenge's credits, or refuses when they are used up.
func (u *user) spend(w http.ResponseWriter, cost int, now time.Time) bool {
	u.spent = slices.DeleteFunc(u.spent, func(s spending) bool { return now.Sub(s.at) > day })
	minute, today := cost, cost
	for _, s := range u.spent {
		today += s.cost
		if now.Sub(s.at) <= time.Minute {
			minute += s.cost
		}
	}
	switch {
	case today > creditsADay:
		limit(w, tooManyRequests, "challenge.create.user.slow", day)
		return false
	case minute > creditsAMinute:
		limit(w, tooManyRequests, "challenge.create.user.fast", time.Minute)
		return false
	}
	u.spent = append(u.spent, spending{now, cost})
	return true
}

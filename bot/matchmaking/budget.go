package matchmaking

import (
	"math"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
)

const (
	day = 24 * time.Hour
	// maxBotGames is how many games against bots Lichess starts in a day.
	maxBotGames = 100
	// challengesADay is less than the 200 that Lichess takes in a day, so that
	// some are left for others than the matchmaker.
	challengesADay = 180
	// pairGames may follow each other without a pause, however small the budget.
	pairGames = 2
)

// budget spreads the games against bots over the day. All such games count,
// also those that others began.
type budget struct {
	games int            // a day
	hours []config.Hours // when to play; none means always
}

// active reports whether the matchmaker may play in an hour of UTC.
func (b *budget) active(hour int) bool {
	return len(b.hours) == 0 || slices.ContainsFunc(b.hours, func(h config.Hours) bool { return h.Contain(hour) })
}

// hourly is how many games an active hour gets.
func (b *budget) hourly() float64 {
	hours := 0
	for hour := range 24 {
		if b.active(hour) {
			hours++
		}
	}
	return float64(b.games) / float64(max(hours, 1))
}

// opensAt returns when the next challenge to a bot may be sent, now at the
// earliest.
func (b *budget) opensAt(now time.Time, u opponent.Usage) time.Time {
	at := latest(now, u.ClosedUntil,
		nextAllowed(now, u.BotGames, min(b.games, maxBotGames)),
		nextAllowed(now, u.Challenges, challengesADay),
		b.shareOpensAt(now, u.BotGames))
	for range 24 {
		if b.active(at.UTC().Hour()) {
			return at
		}
		at = at.Truncate(time.Hour).Add(time.Hour)
	}
	return at
}

// nextAllowed returns when fewer than limit of the times lie in the last day.
func nextAllowed(now time.Time, times []time.Time, limit int) time.Time {
	if limit <= 0 {
		return now.Add(day)
	}
	if len(times) < limit {
		return now
	}
	return latest(now, times[len(times)-limit].Add(day))
}

// shareOpensAt returns when the hour's share allows another game. Shares add up
// to an hour's worth while no games are played; a pair can always follow.
func (b *budget) shareOpensAt(now time.Time, starts []time.Time) time.Time {
	hourly := b.hourly()
	if hourly <= 0 {
		return now.Add(day)
	}
	share := rate.NewLimiter(rate.Limit(hourly/time.Hour.Seconds()), int(max(pairGames, math.Ceil(hourly))))
	for _, start := range starts {
		share.ReserveN(start, 1)
	}
	return now.Add(share.ReserveN(now, 1).DelayFrom(now))
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

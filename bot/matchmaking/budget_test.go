package matchmaking

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
)

func TestBudget_OpensAt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget budget
		usage  opponent.Usage
		want   time.Duration
	}{
		{"nothing played", budget{games: 80}, opponent.Usage{}, 0},
		{"the server says no", budget{games: 80}, opponent.Usage{ClosedUntil: now.Add(3 * time.Hour)}, 3 * time.Hour},
		{"the server's no is over", budget{games: 80}, opponent.Usage{ClosedUntil: now.Add(-time.Hour)}, 0},
		{
			"day's games played", budget{games: 80}, opponent.Usage{BotGames: times(now, 80, 15*time.Minute)},
			24*time.Hour - 80*15*time.Minute,
		},
		{
			"more than that", budget{games: 80}, opponent.Usage{BotGames: times(now, 90, 15*time.Minute)},
			24*time.Hour - 80*15*time.Minute,
		},
		{
			"never more than Lichess's", budget{games: 500}, opponent.Usage{BotGames: times(now, 100, 14*time.Minute)},
			24*time.Hour - 100*14*time.Minute,
		},
		{
			"hour's share played", budget{games: 24}, opponent.Usage{BotGames: times(now, 2, time.Second)},
			time.Hour - 2*time.Second,
		},
		{"a pair of a small share", budget{games: 24}, opponent.Usage{BotGames: times(now, 1, time.Second)}, 0},
		{
			"challenges used up", budget{games: 80},
			opponent.Usage{Challenges: times(now, challengesADay, time.Minute)},
			24*time.Hour - challengesADay*time.Minute,
		},
		{"outside the hours", budget{games: 80, hours: []config.Hours{{From: 18, To: 20}}}, opponent.Usage{},
			6 * time.Hour},
		{"over midnight", budget{games: 80, hours: []config.Hours{{From: 22, To: 6}}}, opponent.Usage{},
			10 * time.Hour},
		{
			"within the hours", budget{games: 80, hours: []config.Hours{{From: 22, To: 6}, {From: 12, To: 13}}},
			opponent.Usage{}, 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.budget.opensAt(now, tt.usage).Sub(now).Round(time.Second); got != tt.want {
				t.Errorf("in %s, want %s", got, tt.want)
			}
		})
	}
}

// times returns so many times, the newest last.
func times(now time.Time, n int, pause time.Duration) (list []time.Time) {
	for i := n; i > 0; i-- {
		list = append(list, now.Add(-time.Duration(i)*pause))
	}
	return list
}

// Fewer hours have larger shares.
func TestBudget_Hourly(t *testing.T) {
	for _, tt := range []struct {
		hours []config.Hours
		want  float64
	}{
		{nil, 2}, {[]config.Hours{{From: 0, To: 24}}, 2}, {[]config.Hours{{From: 20, To: 4}}, 6},
		{[]config.Hours{{From: 20, To: 4}, {From: 2, To: 8}}, 4},
	} {
		b := budget{games: 48, hours: tt.hours}
		if got := b.hourly(); got != tt.want {
			t.Errorf("%v: %g games an hour, want %g", tt.hours, got, tt.want)
		}
	}
}

package matchmaking

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/opponent"
)

func TestBudget_OpensAt(t *testing.T) {
	now := simStart.Add(12 * time.Hour)
	for _, tt := range []struct {
		name   string
		budget budget
		usage  opponent.Usage
		want   time.Duration
	}{
		{"nothing played", budget{games: 80}, opponent.Usage{}, 0},
		{"the server says no", budget{games: 80}, opponent.Usage{ClosedUntil: now.Add(3 * time.Hour)}, 3 * time.Hour},
		{"the server's no is over", budget{games: 80}, opponent.Usage{ClosedUntil: now.Add(-time.Hour)}, 0},
		{"day's games played", budget{games: 80}, opponent.Usage{BotGames: times(now, 80, 15*time.Minute)}, 24*time.Hour - 80*15*time.Minute},
		{"more than that", budget{games: 80}, opponent.Usage{BotGames: times(now, 90, 15*time.Minute)}, 24*time.Hour - 80*15*time.Minute},
		{"never more than Lichess's", budget{games: 500}, opponent.Usage{BotGames: times(now, 100, 14*time.Minute)}, 24*time.Hour - 100*14*time.Minute},
		{"hour's share played", budget{games: 24}, opponent.Usage{BotGames: times(now, 2, time.Second)}, time.Hour - 2*time.Second},
		{"a pair of a small share", budget{games: 24}, opponent.Usage{BotGames: times(now, 1, time.Second)}, 0},
		{"challenges used up", budget{games: 80}, opponent.Usage{Challenges: times(now, challengesADay, time.Minute)}, 24*time.Hour - challengesADay*time.Minute},
		{"outside the hours", budget{games: 80, hours: []HourSpan{{18, 20}}}, opponent.Usage{}, 6 * time.Hour},
		{"over midnight", budget{games: 80, hours: []HourSpan{{22, 6}}}, opponent.Usage{}, 10 * time.Hour},
		{"within the hours", budget{games: 80, hours: []HourSpan{{22, 6}, {12, 13}}}, opponent.Usage{}, 0},
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
		hours []HourSpan
		want  float64
	}{{nil, 2}, {[]HourSpan{{0, 24}}, 2}, {[]HourSpan{{20, 4}}, 6}, {[]HourSpan{{20, 4}, {2, 8}}, 4}} {
		b := budget{games: 48, hours: tt.hours}
		if got := b.hourly(); got != tt.want {
			t.Errorf("%v: %g games an hour, want %g", tt.hours, got, tt.want)
		}
	}
}

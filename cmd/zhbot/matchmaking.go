package main

import (
	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
)

// matchmaking turns the settings, which are valid, into the bot's.
func matchmaking(m *config.Matchmaking) bot.Matchmaking {
	out := bot.Matchmaking{
		Enabled: m.Enabled, Idle: m.Idle, Wait: m.Wait,
		Rating: bot.Range[int]{Min: m.Rating.Min, Max: m.Rating.Max}, MaxRatingDifference: m.Rating.MaxDifference,
		TargetDifference: m.Rating.Target,
		GamesPerDay:      m.GamesPerDay, GamesPerOpponent: m.GamesPerOpponent, InARow: m.GamesInARow, Rest: m.Rest,
		Paired: m.Pairs, FirstPause: m.Pause.Min, LongestPause: m.Pause.Max,
		Arenas: bot.Arenas{IDs: m.Arenas.IDs, Teams: m.Arenas.Teams, Password: m.Arenas.Password.Reveal()},
	}
	for _, text := range m.Offers {
		if o, err := config.ParseOffer(text); err == nil {
			out.Offers = append(out.Offers, bot.GameOffer{Initial: o.Initial, Increment: o.Increment, Rated: o.Rated, Weight: o.Weight})
		}
	}
	for _, text := range m.Hours {
		if h, err := config.ParseHours(text); err == nil {
			out.Hours = append(out.Hours, bot.HourSpan{From: h.From, To: h.To})
		}
	}
	return out
}

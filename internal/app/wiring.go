package app

import (
	"path/filepath"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
)

// BotSettings returns the bot's settings.
func BotSettings(c *config.Config) bot.Settings {
	return bot.Settings{
		Config: *c,
		Slots: game.Limits{
			Max: c.Games.Max, ReservedForHumans: c.Games.ReservedForHumans, MaxPerOpponent: c.Games.MaxPerOpponent,
		},
		Matchmaking: matchmakingSettings(&c.Matchmaking),
		Play: game.Settings{
			AbortAfter: c.Games.AbortAfter, MaxTime: c.Engine.MaxTime, MaxNodes: uint64(c.Engine.MaxNodes), Ponder: c.Engine.Ponder,
			Resign: c.Play.Resign, Draw: c.Play.Draw, Takebacks: c.Play.Takebacks,
			Greeting: c.Chat.Greeting, Goodbye: c.Chat.Goodbye, Spectators: c.Chat.Spectators,
		},
	}
}

// BlocklistOptions returns options that keep a copy of the block list with the records.
func BlocklistOptions(c *config.Config) challenge.BlocklistOptions {
	o := challenge.BlocklistOptions{Agent: UserAgent()}
	if c.Records.Dir != "" {
		o.Cache = filepath.Join(c.Records.Dir, "blocklist.json")
	}
	return o
}

// matchmakingSettings turns the settings, which are valid, into the bot's.
func matchmakingSettings(m *config.Matchmaking) matchmaking.Settings {
	out := matchmaking.Settings{
		Enabled: m.Enabled, Idle: m.Idle, Wait: m.Wait,
		Rating: matchmaking.Bounds{Min: m.Rating.Min, Max: m.Rating.Max}, MaxRatingDifference: m.Rating.MaxDifference,
		TargetDifference: m.Rating.Target,
		GamesPerDay:      m.GamesPerDay, GamesPerOpponent: m.GamesPerOpponent, InARow: m.GamesInARow, Rest: m.Rest,
		Paired: m.Pairs, Pauses: opponent.Pauses{First: m.Pause.Min, Longest: m.Pause.Max},
		Arenas: matchmaking.ArenaSettings{IDs: m.Arenas.IDs, Teams: m.Arenas.Teams, Password: m.Arenas.Password.Reveal()},
	}
	for _, text := range m.Offers {
		if o, err := config.ParseOffer(text); err == nil {
			out.Offers = append(out.Offers, matchmaking.Offer{
				Offer:  opponent.Offer{Clock: o.Clock, Rated: o.Rated},
				Weight: o.Weight,
			})
		}
	}
	for _, text := range m.Hours {
		if h, err := config.ParseHours(text); err == nil {
			out.Hours = append(out.Hours, matchmaking.HourSpan{From: h.From, To: h.To})
		}
	}
	return out
}

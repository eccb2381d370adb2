package app

import (
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess"
)

// StreamIdle is the silence after which a stream counts as dead: Lichess sends
// a blank line every 7 s.
const StreamIdle = 10 * time.Second

// clientOptions returns the options of a client of the configured server.
func clientOptions(c *config.Config, secret config.Secret) (lichess.Options, error) {
	token, err := lichess.NewToken(secret.Reveal())
	if err != nil {
		return lichess.Options{}, err
	}
	return lichess.Options{Token: token, URL: c.Lichess.URL, UserAgent: UserAgent(), StreamIdle: StreamIdle}, nil
}

// interactiveTimeout bounds calls for which somebody waits. The second name server is asked
// after 5 s, the third after 10 s.
const interactiveTimeout = 15 * time.Second

// NewAnonymousClient returns a client of the configured server without a token, for
// public data. Its calls are not retried.
func NewAnonymousClient(c *config.Config) (*lichess.Client, error) {
	return lichess.New(lichess.Options{Anonymous: true, URL: c.Lichess.URL, UserAgent: UserAgent(), RetryFor: -1, CallTimeout: interactiveTimeout})
}

// NewClientWithoutRetries returns a client of the configured server whose calls fail at
// once: somebody waits.
func NewClientWithoutRetries(c *config.Config, secret config.Secret) (*lichess.Client, error) {
	o, err := clientOptions(c, secret)
	if err != nil {
		return nil, err
	}
	o.RetryFor, o.CallTimeout = -1, interactiveTimeout
	return lichess.New(o)
}

// NewClient returns a client of the configured server. Its requests are logged and, if
// page is not nil, counted there.
func NewClient(c *config.Config, secret config.Secret, page *Page, log zerolog.Logger) (*lichess.Client, error) {
	o, err := clientOptions(c, secret)
	if err != nil {
		return nil, err
	}
	logRequest := logRequests(log)
	o.Observe = func(r lichess.Observation) {
		logRequest(r)
		page.ObserveRequest(r)
	}
	return lichess.New(o)
}

// Options returns the bot's options, except records and observer.
func BotOptions(c *config.Config, client *lichess.Client, p *mover.Mover, log zerolog.Logger) bot.Options {
	o := bot.Options{
		Client: client, Engine: p, Log: log, Site: c.Lichess.URL, Version: Version(), Network: p.Network(), Program: p.Program, AwaitEngine: p.AwaitReady,
		Blocklist: BlocklistOptions(c), MoveOverhead: c.Engine.MoveOverhead,
	}
	for _, k := range c.Contenders {
		network, program := p.Recorded(k.Name)
		o.Contenders = append(o.Contenders, game.Contender{Name: k.Name, Weight: k.Weight, Network: network, Program: program})
	}
	return o
}

// Settings returns the bot's settings.
func BotSettings(c *config.Config) bot.Settings {
	return bot.Settings{
		Policy: Policy(c), Blocklist: BlockSource(c),
		Slots: game.Limits{
			Max: c.Games.Max, ReservedForHumans: c.Games.ReservedForHumans, MaxPerOpponent: c.Games.MaxPerOpponent,
		},
		Matchmaking: matchmakingSettings(&c.Matchmaking),
		Play: game.Settings{
			AbortAfter: c.Games.AbortAfter, MaxTime: c.Engine.MaxTime, MaxNodes: uint64(c.Engine.MaxNodes), Ponder: c.Engine.Ponder,
			Resign: c.Play.Resign, Draw: c.Play.Draw, Takebacks: c.Play.Takebacks,
			Greeting: c.Chat.Greeting, Goodbye: c.Chat.Goodbye, Spectators: c.Chat.Spectators,
		},
		DrainTimeout: c.Games.DrainTimeout,
	}
}

// Policy returns the policy for challenges.
func Policy(c *config.Config) challenge.Policy {
	return challenge.Policy{
		Humans: terms(c.Challenges.Humans), Bots: terms(c.Challenges.Bots),
		Allow: c.Challenges.Allow, Block: c.Challenges.Block,
		MaxPerDay: c.Games.MaxPerDay, Order: challenge.Order(c.Challenges.Order),
	}
}

// BlockSource returns the source of the block list on the web.
func BlockSource(c *config.Config) challenge.BlockSource {
	return challenge.BlockSource{URL: c.Challenges.BlockURL, Refresh: c.Challenges.BlockRefresh}
}

// BlocklistOptions returns options that keep a copy of the block list with the records.
func BlocklistOptions(c *config.Config) challenge.BlocklistOptions {
	o := challenge.BlocklistOptions{Agent: UserAgent()}
	if c.Records.Dir != "" {
		o.Cache = filepath.Join(c.Records.Dir, "blocklist.json")
	}
	return o
}

func terms(t config.Terms) challenge.Terms {
	speeds := make([]lichess.Speed, len(t.Speeds))
	for i, s := range t.Speeds {
		speeds[i] = lichess.Speed(s)
	}
	return challenge.Terms{
		Enabled: t.Enabled, Modes: t.Modes, Speeds: speeds,
		Initial:   challenge.Range[time.Duration]{Min: t.Initial.Min, Max: t.Initial.Max},
		Increment: challenge.Range[time.Duration]{Min: t.Increment.Min, Max: t.Increment.Max},
		Days:      challenge.Range[int]{Min: t.Days.Min, Max: t.Days.Max},
		Rating:    challenge.Range[int]{Min: t.Rating.Min, Max: t.Rating.Max}, MaxRatingDifference: t.Rating.MaxDifference,
		Provisional: t.Provisional,
	}
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
				Offer:  opponent.Offer{Initial: o.Initial, Increment: o.Increment, Rated: o.Rated},
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

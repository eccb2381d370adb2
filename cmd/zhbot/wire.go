package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/search"
	"github.com/zhbot/zhbot/bot/slots"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// adapter lets the bot play with our engine.
type adapter struct {
	engine   *engine.Engine
	network  string // name of the evaluation network
	openings *openings
	skill    int           // level of play
	seed     func() uint64 // seeds the choice of a level below the highest; nil: full strength
}

// Search implements search.Engine. A move out of a book is no search: it comes
// without depth and score.
func (a adapter) Search(ctx context.Context, g *rules.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	start := time.Now()
	if m, ok := a.openings.pick(ctx, g, l); ok {
		return search.Result{Move: m}, nil
	}
	l = subtractElapsed(l, g.Position().Turn(), time.Since(start))
	var onInfo func(engine.Info)
	if report != nil {
		onInfo = func(i engine.Info) { report(botInfo(i)) }
	}
	r, err := a.engine.Search(ctx, g, engine.Limits{
		White: l.White, Black: l.Black, WhiteInc: l.WhiteInc, BlackInc: l.BlackInc,
		Overhead: l.Overhead, MoveTime: l.MoveTime, Nodes: l.Nodes, SearchMoves: l.Moves,
		Ponder: l.Ponder, Sharpness: l.Sharpness, Plain: l.Plain, Strength: a.strength(),
	}, onInfo)
	var p *engine.PanicError
	if errors.As(err, &p) {
		err = &search.PanicError{Value: p.Value, Stack: p.Stack}
	}
	return search.Result{Move: r.Move, Ponder: r.Ponder, Info: botInfo(r.Info)}, err
}

// strength returns how well to play a move. Chance differs from search to search,
// so that nobody can win the same game again.
func (a adapter) strength() (full engine.Strength) {
	if a.seed == nil {
		return full
	}
	return engine.Skill(a.skill, a.seed())
}

// subtractElapsed returns what limits leave once some time is gone.
func subtractElapsed(l search.Limits, us rules.Color, spent time.Duration) search.Limits {
	own := &l.White
	if us == rules.Black {
		own = &l.Black
	}
	for _, left := range []*time.Duration{own, &l.MoveTime} {
		if *left > 0 { // 0 is no limit
			*left = max(*left-spent, time.Millisecond)
		}
	}
	return l
}

func botInfo(i engine.Info) search.Info {
	score := pgn.Score{Centipawns: int(i.Score)}
	if moves, mate := i.Score.MateIn(); mate {
		score = pgn.Score{Mate: moves}
	}
	return search.Info{Depth: i.Depth, Score: score, Nodes: i.Nodes, NPS: i.NPS, Time: i.Time, PV: i.PV}
}

// newEngine makes the process's engine and gives the scheduler of Go two
// threads more than the search has, so that sockets are read in time.
func newEngine(c *config.Config, log zerolog.Logger) (adapter, error) {
	network, err := loadNetwork(c)
	if err != nil {
		return adapter{}, err
	}
	books, err := newOpenings(c, log)
	if err != nil {
		return adapter{}, err
	}
	threads := searchThreads(c)
	runtime.GOMAXPROCS(threads + 2)
	return adapter{
		engine:  engine.New(engine.Options{Threads: threads, HashMB: c.Engine.HashSize(usableMemory()), Network: network}),
		network: networkName(network), openings: books,
		skill: c.Engine.Skill, seed: rand.Uint64,
	}, nil
}

// networkName names a network in records.
func networkName(n *engine.Network) string {
	if n == nil {
		return "none"
	}
	return "zh-" + n.Hash()
}

// loadNetwork returns the configured network, nil for none.
func loadNetwork(c *config.Config) (*engine.Network, error) {
	network, err := engine.OpenNetwork(c.Engine.Network)
	if err != nil {
		return nil, fmt.Errorf("engine.network: %w", err)
	}
	return network, nil
}

// newClient makes the client of the configured server.
func newClient(c *config.Config, secret config.Secret, tune func(*lichess.Options)) (*lichess.Client, error) {
	token, err := lichess.NewToken(secret.Reveal())
	if err != nil {
		return nil, err
	}
	o := lichess.Options{Token: token, URL: c.Lichess.URL, Version: version(), StreamIdle: streamIdle}
	if tune != nil {
		tune(&o)
	}
	return lichess.New(o)
}

// streamIdle is the silence after which a stream counts as dead: Lichess sends
// a blank line every 7 s.
const streamIdle = 10 * time.Second

// botOptions turns the settings into the bot's.
func botOptions(c *config.Config, client *lichess.Client, e adapter, log zerolog.Logger) bot.Options {
	return bot.Options{
		Client: client, Engine: e, Log: log, Site: c.Lichess.URL, Version: version(), Network: e.network,
		Policy: challengePolicy(c), Blocklist: blockSource(c),
		Slots: slots.Limits{
			Max: c.Games.Max, ReservedForHumans: c.Games.ReservedForHumans, MaxPerOpponent: c.Games.MaxPerOpponent,
		},
		AbortAfter: c.Games.AbortAfter, DrainTimeout: c.Games.DrainTimeout,
		MoveOverhead: c.Engine.MoveOverhead, MaxTime: c.Engine.MaxTime, MaxNodes: uint64(c.Engine.MaxNodes),
		Ponder:      c.Engine.Ponder,
		Matchmaking: matchmaking(&c.Matchmaking),
		Play:        bot.Play{Resign: c.Play.Resign, Draw: c.Play.Draw, Takebacks: c.Play.Takebacks},
		Greeting:    c.Chat.Greeting, Goodbye: c.Chat.Goodbye, Spectators: c.Chat.Spectators,
	}
}

// challengePolicy says which challenges to accept.
func challengePolicy(c *config.Config) bot.Policy {
	return bot.Policy{
		Humans: terms(c.Challenges.Humans), Bots: terms(c.Challenges.Bots),
		Allow: c.Challenges.Allow, Block: c.Challenges.Block,
		MaxPerDay: c.Games.MaxPerDay, Order: bot.Order(c.Challenges.Order),
	}
}

// blockSource says where the block list on the web is, and keeps a copy with the
// records.
func blockSource(c *config.Config) bot.BlockSource {
	s := bot.BlockSource{URL: c.Challenges.BlockURL, Refresh: c.Challenges.BlockRefresh, Agent: "zhbot/" + version()}
	if c.Records.Dir != "" {
		s.Cache = filepath.Join(c.Records.Dir, "blocklist.json")
	}
	return s
}

// openRecords opens the folder of the records for a bot and returns what closes
// it.
func openRecords(c *config.Config, o *bot.Options) (closeRecords func(), err error) {
	if c.Records.Dir == "" {
		return func() {}, nil
	}
	archive, err := record.Open(c.Records.Dir)
	if err != nil {
		return nil, fmt.Errorf("records.dir: %w", err)
	}
	for _, r := range archive.Repairs() {
		o.Log.Warn().Str("file", r.File).Int("bytes", r.Bytes).Msg("truncated record moved to the folder torn")
	}
	o.Archive, o.History = archive, archive
	if o.State, err = record.OpenState(c.Records.Dir); err != nil {
		o.Log.Warn().Err(err).Msg("state not restored, or it cannot be saved")
	}
	return func() {
		if err := archive.Close(); err != nil {
			o.Log.Warn().Err(err).Msg("records not closed")
		}
	}, nil
}

func terms(t config.Terms) bot.Terms {
	speeds := make([]lichess.Speed, len(t.Speeds))
	for i, s := range t.Speeds {
		speeds[i] = lichess.Speed(s)
	}
	return bot.Terms{
		Enabled: t.Enabled, Modes: t.Modes, Speeds: speeds,
		Initial:   bot.Range[time.Duration]{Min: t.Initial.Min, Max: t.Initial.Max},
		Increment: bot.Range[time.Duration]{Min: t.Increment.Min, Max: t.Increment.Max},
		Days:      bot.Range[int]{Min: t.Days.Min, Max: t.Days.Max},
		Rating:    bot.Range[int]{Min: t.Rating.Min, Max: t.Rating.Max}, MaxRatingDifference: t.Rating.MaxDifference,
		Provisional: t.Provisional,
	}
}

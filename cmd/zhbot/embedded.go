package main

import (
	"context"
	"math"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/livepage"
	"github.com/zhbot/zhbot/internal/player"
	"github.com/zhbot/zhbot/internal/wiring"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// The names of the embedded server's accounts.
const (
	demoBot       = "zhbot"
	drifter       = "Drifter"
	magpie        = "Magpie"
	sparring      = "Sparring"
	sparringNodes = 3000 // nodes per move of Sparring's engine
)

var demoOpponents = []string{drifter, magpie, sparring}

// embeddedServer starts an embedded Lichess with players and our account, where
// every clock and any number of games is allowed.
func embeddedServer(o lichesstest.Options) (s *lichesstest.Server, token string, err error) {
	o.AnyClock, o.BotGamesPerDay = true, math.MaxInt
	s, err = lichesstest.Start(o)
	if err != nil {
		return nil, "", err
	}
	sparringEngine := engine.New(engine.Options{Threads: 1, HashMB: 16})
	s.AddHuman(drifter, lichesstest.Random(o.Seed+1))
	s.AddHuman(magpie, lichesstest.Greedy(o.Seed+2))
	s.AddBotPlayer(sparring, lichesstest.Searching(func(ctx context.Context, t lichesstest.Turn) (rules.Move, error) {
		r, err := sparringEngine.Search(ctx, t.Game, engine.Limits{Nodes: sparringNodes, MoveTime: max(t.Left/20, time.Millisecond)}, nil)
		return r.Move, err
	}))
	return s, s.AddBot(demoBot), nil
}

// embeddedSettings are those of a bot that plays the embedded server: it accepts
// every challenge, up to the given number of games.
func embeddedSettings(url, records string, atOnce, threads int) *config.Config {
	c := config.Default()
	c.Lichess.URL, c.Records.Dir = url, records
	c.Games.Max, c.Games.MaxPerOpponent = atOnce, 0
	c.Engine.Threads, c.Engine.MoveOverhead = threads, 10*time.Millisecond
	c.Challenges.Humans.Speeds = append(c.Challenges.Humans.Speeds, "ultraBullet")
	c.Challenges.Bots.Speeds = c.Challenges.Humans.Speeds
	c.Challenges.Humans.Initial.Max, c.Challenges.Bots.Initial.Max = math.MaxInt64, math.MaxInt64
	c.Chat.Greeting, c.Chat.Goodbye = "Hello {opponent}, have fun!", "Good game!"
	return &c
}

// embeddedBot sets up the real bot as run does, and has the page, if there is
// one, show it; tune may change its options.
func embeddedBot(c *config.Config, token config.Secret, log zerolog.Logger, page *livepage.Page, tune func(*bot.Options)) (b *bot.Bot, closeAll func(), err error) {
	client, err := wiring.NewClient(c, token, page, log)
	if err != nil {
		return nil, nil, err
	}
	p, err := player.New(c, log)
	if err != nil {
		return nil, nil, err
	}
	o := wiring.BotOptions(c, client, p, log)
	closeRecords, err := wiring.OpenRecords(c, &o)
	if err != nil {
		return nil, nil, err
	}
	if tune != nil {
		tune(&o)
	}
	return page.NewBot(o), func() { closeRecords(); p.Close(); client.Close() }, nil
}

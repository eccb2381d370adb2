package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// The names of the accounts: the bot's, and those of its opponents.
const (
	SandboxBot = "zhbot"
	Drifter    = "Drifter"  // moves at random
	Magpie     = "Magpie"   // captures what it can
	Sparring   = "Sparring" // our engine with sparringNodes a move

	sparringNodes = 3000
)

// Opponents are the accounts that the bot plays against.
var Opponents = []string{Drifter, Magpie, Sparring}

// StartSandbox starts a Lichess with the accounts, where every clock and any number of games is
// allowed, and returns the bot's token.
func StartSandbox(o lichesstest.Options) (s *lichesstest.Server, token config.Secret, err error) {
	o.AnyClock, o.BotGamesPerDay = true, math.MaxInt
	s, err = lichesstest.Start(o)
	if err != nil {
		return nil, "", err
	}
	sparringEngine := engine.New(engine.Options{Threads: 1, HashMB: 16})
	s.AddHuman(Drifter, lichesstest.Random(o.Seed+1))
	s.AddHuman(Magpie, lichesstest.Greedy(o.Seed+2))
	s.AddBotPlayer(Sparring, lichesstest.Searching(func(ctx context.Context, t lichesstest.Turn) (rules.Move, error) {
		r, err := sparringEngine.Search(ctx, t.Game, engine.Limits{Nodes: sparringNodes, MoveTime: max(t.Left/20, time.Millisecond)}, nil)
		return r.Move, err
	}))
	return s, config.Secret(s.AddBot(SandboxBot)), nil
}

// SandboxSettings returns the settings of a bot that plays there: it accepts every challenge, up
// to the given number of games at once. url is the server's, dir the folder of the
// records; 0 threads means one for each core.
func SandboxSettings(url, dir string, games, threads int) *config.Config {
	c := config.Default()
	c.Lichess.URL, c.Records.Dir = url, dir
	c.Games.Max, c.Games.MaxPerOpponent = games, 0
	c.Engine.Threads, c.Engine.MoveOverhead = threads, 10*time.Millisecond
	c.Challenges.Humans.Speeds = append(c.Challenges.Humans.Speeds, "ultraBullet")
	c.Challenges.Bots.Speeds = c.Challenges.Humans.Speeds
	c.Challenges.Humans.Initial.Max, c.Challenges.Bots.Initial.Max = math.MaxInt64, math.MaxInt64
	c.Chat.Greeting, c.Chat.Goodbye = "Hello {opponent}, have fun!", "Good game!"
	return &c
}

// PlayWhile runs a bot and lets play play its games; then the bot drains. The context of
// play ends early if the bot does.
func PlayWhile(ctx context.Context, a *App, play func(context.Context) error) error {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	running, halt := context.WithCancel(context.WithoutCancel(ctx))
	defer halt()
	ended := make(chan error, 1)
	go func() {
		ended <- a.Run(running)
		stop() // without the bot no game would end
	}()
	err := play(playing)
	a.Drain()
	if ctx.Err() != nil {
		halt()
	}
	switch botErr := <-ended; {
	case botErr != nil && !errors.Is(botErr, context.Canceled):
		return fmt.Errorf("the bot ended: %w", botErr)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// Schedule returns rated games of the bot against its opponents, as white and black in
// turn. 0 games means an endless series.
func Schedule(c lichess.Clock, games, concurrency int) lichesstest.Schedule {
	return lichesstest.Schedule{
		Bot: SandboxBot, Opponents: Opponents, Games: games, Concurrency: concurrency,
		Spec: func(n int) lichesstest.ChallengeSpec {
			return lichesstest.ChallengeSpec{Limit: c.Initial, Increment: c.Increment, Rated: true, Color: [...]string{"white", "black"}[n%2]}
		},
	}
}

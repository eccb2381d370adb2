package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
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

// opponents are the accounts that the bot plays against.
var opponents = []string{Drifter, Magpie, Sparring}

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
		limits := engine.Limits{Nodes: sparringNodes, MoveTime: max(t.Left/20, time.Millisecond)}
		r, err := sparringEngine.Search(ctx, t.Game, limits, nil)
		return r.Move, err
	}))
	return s, config.Secret(s.AddBot(SandboxBot)), nil
}

// SandboxSettings returns the settings of a bot that plays there with an engine: it accepts
// every challenge, up to the given number of games at once. url is the server's, dir the folder
// of the records.
func SandboxSettings(url, dir string, games int, e config.Engine) *config.Config {
	c := config.Default()
	c.Lichess.URL, c.Records.Dir = url, dir
	c.Games.Max, c.Games.MaxPerOpponent = games, 0
	c.Engine, c.Engine.MoveOverhead = e, 10*time.Millisecond
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
		Bot: SandboxBot, Opponents: opponents, Games: games, Concurrency: concurrency,
		Spec: func(n int) lichesstest.ChallengeSpec {
			return lichesstest.ChallengeSpec{
				Limit: c.Initial, Increment: c.Increment, Rated: true, Color: [...]string{"white", "black"}[n%2],
			}
		},
	}
}

// Outcome is a game's end from the bot's point of view.
type Outcome struct {
	Opponent  string
	Color     lichess.Color // the bot's
	Score     string        // "won", "drew" or "lost"
	ClockLeft time.Duration
	Absent    time.Duration // how long the bot was without a stream of the game
}

// OutcomeOf returns the outcome of a game of the bot.
func OutcomeOf(r lichesstest.Result) Outcome {
	o := Outcome{Opponent: r.Black, Color: lichess.White, Score: "lost", ClockLeft: r.WhiteLeft, Absent: r.WhiteAbsent}
	if r.Black == SandboxBot {
		o = Outcome{
			Opponent: r.White, Color: lichess.Black, Score: "lost", ClockLeft: r.BlackLeft, Absent: r.BlackAbsent,
		}
	}
	switch r.Winner {
	case o.Color:
		o.Score = "won"
	case "":
		o.Score = "drew"
	}
	return o
}

// tenths rounds a duration to tenths of a second.
func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// PrintResult prints a line when a game ends; a total of 0 means an endless series.
func PrintResult(out io.Writer, n, total int, r lichesstest.Result) {
	o := OutcomeOf(r)
	number := fmt.Sprint(n)
	if total > 0 {
		number = fmt.Sprintf("%d/%d", n, total)
	}
	last := strings.Join(r.Moves[max(0, len(r.Moves)-3):], " ")
	fmt.Fprintf(out, "game %-7s %s as %s against %-9s %s in %d moves (%s, %s left); last: %s\n",
		number, o.Score, o.Color, o.Opponent, record.DescribeEnding(r.Status), (r.Plies+1)/2,
		tenths(r.Duration), tenths(o.ClockLeft), last)
}

// DemoOptions configure the games.
type DemoOptions struct {
	Games      int
	Concurrent int // games at once
	Control    lichess.Clock
	Engine     config.Engine
	Dir        string // of the records
	Web        string // address of the live page; "" for none
	Log        zerolog.Logger
}

// PlayDemo runs bot and server in this process until the games are played. It fails if the
// bot lost on time, or posted a move twice or an illegal one.
func PlayDemo(ctx context.Context, o DemoOptions, out, errOut io.Writer) error {
	s, token, err := startServer("")
	if err != nil {
		return err
	}
	defer s.Close()
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	c := SandboxSettings(s.URL(), o.Dir, o.Concurrent, o.Engine)
	c.Web.Listen = o.Web
	a, err := New(ctx, c, Options{Log: o.Log, Token: token})
	if err != nil {
		return err
	}
	defer a.Close()
	switch url, err := a.servePage(ctx); {
	case err != nil:
		fmt.Fprintf(errOut, "no live page: %v; --web names another address\n", err)
	case url != "":
		fmt.Fprintf(out, "live page at %s\n", url)
	}
	fmt.Fprintf(out, "embedded Lichess at %s, %d games at %s, %d at once; records in %s\n",
		s.URL(), o.Games, o.Control, o.Concurrent, o.Dir)
	var results []lichesstest.Result
	err = PlayWhile(ctx, a, func(ctx context.Context) error {
		return s.RunGames(ctx, Schedule(o.Control, o.Games, o.Concurrent), func(r lichesstest.Result) {
			results = append(results, r)
			PrintResult(out, len(results), o.Games, r)
		})
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	return cmp.Or(err, summarize(out, results, s.Audit(SandboxBot)))
}

// startServer starts a server whose games have new ids: the records may have a game of an
// earlier one.
func startServer(addr string) (*lichesstest.Server, config.Secret, error) {
	return StartSandbox(lichesstest.Options{Addr: addr, Seed: rand.Uint64()})
}

// score is a line of the summary: the games against an opponent by their scores, and the
// least that was left on our clock at the end of a game.
type score struct {
	games    map[string]int // by [Outcome.Score]; "" counts all
	minClock time.Duration
}

// summarize prints the table of all games, and fails if the bot did what no
// bot may do.
func summarize(out io.Writer, results []lichesstest.Result, a lichesstest.Audit) error {
	scores := map[string]*score{}
	for _, r := range results {
		o := OutcomeOf(r)
		for _, name := range []string{o.Opponent, "total"} {
			if scores[name] == nil {
				scores[name] = &score{map[string]int{}, o.ClockLeft}
			}
			t := scores[name]
			t.games[""]++
			t.games[o.Score]++
			t.minClock = min(t.minClock, o.ClockLeft)
		}
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "opponent\tgames\twon\tdrawn\tlost\tleast clock left\t")
	for _, name := range append(slices.Clone(opponents), "total") {
		if t := scores[name]; t != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t\n",
				name, t.games[""], t.games["won"], t.games["drew"], t.games["lost"], tenths(t.minClock))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	twice := a.Duplicates + a.OutOfTurn
	fmt.Fprintf(out, "\n%d moves posted; lost on time: %d; illegal posts: %d; posts twice or out of turn: %d; "+
		"most games at once: %d\n", a.Moves, a.LostOnTime, a.Illegal, twice, a.MaxConcurrent)
	if a.LostOnTime+a.Illegal+twice > 0 {
		return errors.New("games lost on time, illegal posts, and posts twice or out of turn should all be 0")
	}
	return nil
}

// guide says how to use the server at %[1]s: with the bot's token, and as a person with another one.
const guide = `Run your bot there, from another terminal:

  ZHBOT_LICHESS_URL=%[1]s ZHBOT_LICHESS_TOKEN=%[2]s zhbot run

Challenge it yourself, as Guest. The answer has the "id" of the game:

  curl -H 'Authorization: Bearer %[3]s' \
    -d 'variant=crazyhouse&color=white&clock.limit=300&clock.increment=3' %[1]s/api/challenge/%[4]s

Make a move in the game ID (N@f3 drops a knight). The live page of the bot shows the board:

  curl -H 'Authorization: Bearer %[3]s' -X POST %[1]s/api/board/game/ID/move/e2e4

`

// ServeSandbox runs only the server, at an address, until the context ends; its players
// challenge every bot that connects, as a person can. Without a host it serves this machine only.
func ServeSandbox(ctx context.Context, addr string, clock lichess.Clock, concurrent int, out io.Writer) error {
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	s, token, err := startServer(addr)
	if err != nil {
		return err
	}
	defer s.Close()
	s.AddHuman("Guest", lichesstest.Idle())
	text := fmt.Sprintf(guide, s.URL(), token.Reveal(), s.AddToken("Guest", "challenge:write", "board:play"), SandboxBot)
	s.SetGuide(text)
	fmt.Fprintf(out, "embedded Lichess at %s; a browser shows this text there, too\n\n%s", s.URL(), text)
	n := 0
	series := Schedule(clock, 0, concurrent)
	series.RetryDelay = 3 * time.Second // this bot may be full, or about to leave
	series.OnRefused = func(err error) { fmt.Fprintln(out, err) }
	err = s.RunGames(ctx, series, func(r lichesstest.Result) {
		n++
		PrintResult(out, n, 0, r)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

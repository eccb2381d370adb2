package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/logging"
	"github.com/zhbot/zhbot/internal/wiring"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// soak is the bot against an embedded Lichess that fails it in every way.
type soak struct {
	games      int
	hours      float64
	concurrent int
	control    timeControl
	faults     faultSet
	every      time.Duration
	outage     time.Duration
	seed       uint64
	threads    int
	nodes      int
	hash       int
	dir        string
	verbose    bool

	disk   disk
	engine panickingEngine
}

func newSoakCommand() *cobra.Command {
	k := soak{control: timeControl{3 * time.Minute, 2 * time.Second}, faults: faultSet{allFaults()}}
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Play for hours against an embedded Lichess that fails in every way",
		Long: "soak plays like demo, while at random streams break or fall silent, replies are lost,\n" +
			"requests are refused, the server restarts, the disk is full, a search panics. It prints a table\n" +
			"and fails if anything but chess lost a game, if a move was lost, posted twice or out of\n" +
			"turn, or if a game is missing in the records.\n\n" +
			"Faults are all, mild (those that withhold nothing), none, or a list of: cut, stall, hole,\n" +
			"down, limit, restart (outages, in one turn never more than half of the bot's clock), gift, leave,\n" +
			"slow, second, disk, stuck, panic, miss, duplicate, odd, chunk, lose, fail, late, early, stray. A loss on time is\n" +
			"counted apart, with its arithmetic, if the server withheld the whole of a turn's clock. --outage adds one long\n" +
			"restart while as many games as --concurrent are on.",
		Example: "  zhbot soak\n  zhbot soak --games 500 --concurrent 8 --tc 10+0 --faults mild\n  zhbot soak --hours 8 --faults all\n" +
			"  zhbot soak --games 24 --concurrent 24 --tc 1800+0 --nodes 3000000 --faults none --outage 10m",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch f := cmd.Flags(); {
			case k.games < 1 || k.concurrent < 1 || k.hours < 0 || k.nodes < 0 || k.outage < 0 || k.every <= 0:
				return &usageError{errors.New("--games and --concurrent: want at least 1; --hours, --nodes and --outage: not less than 0; --every: more than 0s")}
			case k.hours > 0 && !f.Changed("games"):
				k.games = 0
			}
			return k.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVar(&k.games, "games", 40, "games to play; with --hours as many as there is time for, unless given")
	f.Float64Var(&k.hours, "hours", 0, "begin no game after so many hours (default no bound)")
	f.IntVar(&k.concurrent, "concurrent", 8, "games at once")
	f.Var(&k.control, "tc", "time control")
	f.Var(&k.faults, "faults", "what goes wrong")
	f.DurationVar(&k.every, "every", 2*time.Second, "time from an outage to the next, on average")
	f.DurationVar(&k.outage, "outage", 0, "one restart of the server that takes so long (default none)")
	f.Uint64Var(&k.seed, "seed", 1, "of the faults, the colours and the players")
	threadsFlag(f, &k.threads, 0, "search threads (default one for each core)")
	f.IntVar(&k.nodes, "nodes", 0, "most nodes of a search (default no bound)")
	hashFlag(f, &k.hash, 64, "transposition table in MiB")
	f.StringVar(&k.dir, "dir", "", "folder for the PGN (default one that is removed)")
	f.BoolVar(&k.verbose, "verbose", false, "log what the bot does")
	return cmd
}

// claimAfter is how soon the win can be claimed from an opponent who left.
const claimAfter = 10 * time.Second

// run plays the games and prints the report.
func (k *soak) run(ctx context.Context, out, errOut io.Writer) error {
	if k.dir == "" {
		scratch, err := os.MkdirTemp("", "zhbot-soak-")
		if err != nil {
			return fmt.Errorf("soak: %w", err)
		}
		defer os.RemoveAll(scratch) //nolint:errcheck // the system clears its temporary folder
		k.dir = filepath.Join(scratch, "records")
	}
	k.disk.dir = k.dir
	s, token, err := embeddedServer(lichesstest.Options{Seed: k.seed, ClaimAfter: claimAfter})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(out, "embedded Lichess at %s, %s, %d at once, faults %s, seed %d\n", s.URL(), k.describeGames(), k.concurrent, &k.faults, k.seed)
	report := newSoakReport(k)
	if err := k.play(ctx, s, config.Secret(token), report, out, errOut); err != nil {
		return interrupted("soak", err)
	}
	if err := report.compareRecords(k.dir); err != nil {
		return fmt.Errorf("soak: %w", err)
	}
	report.audit, report.traffic = s.Audit(), s.Traffic()
	return report.print(out)
}

// describeGames says how much is played.
func (k *soak) describeGames() string {
	games := fmt.Sprintf("%d games at %s", k.games, &k.control)
	if k.games == 0 {
		games = "games at " + k.control.String()
	}
	if k.hours > 0 {
		games += fmt.Sprintf(" for %g hours", k.hours)
	}
	return games
}

// play runs the bot, the faults and the games, until the games are played.
func (k *soak) play(ctx context.Context, s *lichesstest.Server, token config.Secret, report *soakReport, out, errOut io.Writer) error {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	report.usage.add(usageNow())
	b, closeClient, err := k.newBot(s, token, report, errOut)
	if err != nil {
		return err
	}
	secondClient, err := newSecondClient(s, token)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	running, halt := context.WithCancel(context.WithoutCancel(ctx))
	defer halt()
	go func() {
		ended <- b.Run(running)
		stop() // without the bot no game would end
	}()
	err = k.runGames(playing, s, secondClient, report, out)
	s.Faults.Clear()
	b.Drain()
	if ctx.Err() != nil {
		halt()
	}
	botErr := <-ended
	closeClient()
	secondClient.Close()
	report.usage.waitForRelease()
	switch {
	case botErr != nil && !errors.Is(botErr, context.Canceled):
		return fmt.Errorf("the bot ended: %w", botErr)
	case ctx.Err() != nil:
		return context.Canceled
	}
	return err
}

// newBot sets up the real bot, watched.
func (k *soak) newBot(s *lichesstest.Server, token config.Secret, report *soakReport, errOut io.Writer) (*bot.Bot, func(), error) {
	c := embeddedSettings(s.URL(), k.dir, k.concurrent, k.threads)
	c.Engine.MaxNodes, c.Engine.HashMB = k.nodes, k.hash
	c.Log.Level = "debug"
	log := zerolog.Nop()
	if k.verbose {
		var err error
		if log, err = logging.New(c.Log, errOut); err != nil {
			return nil, nil, err
		}
	}
	return embeddedBot(c, token, log, nil, func(o *bot.Options) {
		o.Observe = report.watch.observe
		k.engine.Engine, o.Engine = o.Engine, &k.engine
		k.disk.attach(o)
	})
}

// newSecondClient is a second program with the bot's token.
func newSecondClient(s *lichesstest.Server, token config.Secret) (*lichess.Client, error) {
	c := config.Default()
	c.Lichess.URL = s.URL()
	o, err := wiring.ClientOptions(&c, token)
	if err != nil {
		return nil, err
	}
	return lichess.New(o)
}

// runGames plays the games while things go wrong.
func (k *soak) runGames(ctx context.Context, s *lichesstest.Server, secondClient *lichess.Client, report *soakReport, out io.Writer) error {
	background, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	injector := &faultInjector{
		server: s, secondClient: secondClient, disk: &k.disk, engine: &k.engine, every: k.every,
		rng: rand.New(rand.NewPCG(k.seed, 500)), counts: report.outages, //nolint:gosec // chance, not secrets
	}
	wg.Go(func() { injector.run(background, &k.faults) })
	wg.Go(func() { report.usage.watch(background) })
	if k.outage > 0 {
		wg.Go(func() { report.outage.run(background, s, k.concurrent, k.outage) })
	}
	defer wg.Wait()
	defer stop()
	plan := lichesstest.Schedule{
		Bot: demoBot, Opponents: demoOpponents, Games: k.games, Concurrency: k.concurrent,
		Spec: func(n int) lichesstest.ChallengeSpec {
			return lichesstest.ChallengeSpec{
				Limit: k.control.initial, Increment: k.control.increment, Rated: true, Color: [...]string{"white", "black"}[n%2],
			}
		},
		OnRefused: func(err error) { report.refused = append(report.refused, err.Error()) },
	}
	if k.hours > 0 {
		plan.Until = time.Now().Add(time.Duration(k.hours * float64(time.Hour)))
	}
	return s.RunGames(ctx, plan, func(r lichesstest.Result) {
		report.addGame(r)
		printResult(out, report.played(), k.games, r)
	})
}

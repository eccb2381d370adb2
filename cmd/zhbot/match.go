package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/engine/uci"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/term"
	"github.com/zhbot/zhbot/rules/pgn"
)

// newMatchCommand returns the command that plays engines against each other.
func newMatchCommand() *cobra.Command {
	var f matchFlags
	cmd := command("match", f.run)
	f.register(cmd.Flags())
	cmd.AddCommand(newMatchMergeCommand())
	return cmd
}

func (f *matchFlags) run(cmd *cobra.Command, _ []string) (err error) {
	config, err := f.config(cmd)
	if err != nil {
		return err
	}
	for _, add := range []struct {
		path string
		to   *io.Writer
	}{{f.pgn, &config.PGN}, {f.logFile, &f.experiments}} {
		if add.path == "" {
			continue
		}
		opened, err := file.OpenOrCreate(add.path, os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		*add.to, f.opened = file.Whole(opened), append(f.opened, opened)
	}
	defer func() { err = errors.Join(err, f.close()) }()
	// Two more than the searches need, so that the clocks of engine programs
	// are stopped in time.
	runtime.GOMAXPROCS(max(runtime.NumCPU(), config.Concurrency*f.threads) + 2)
	switch {
	case f.tournament != nil:
		err = f.tournament.play(cmd, config, f)
	case len(f.factors) > 0:
		err = playFactors(cmd, config, f)
	default:
		var summary match.Summary
		summary, err = f.playMatch(cmd, config)
		if summary.Games > 0 {
			err = errors.Join(err, printSummary(cmd, summary, f.json))
		}
	}
	return resumable(config.StateFile, err)
}

func (f *matchFlags) close() (err error) {
	for _, file := range f.opened {
		err = errors.Join(err, file.Close())
	}
	return err
}

// playMatch plays a match, shows how it stands, and logs it if a game was played.
func (f *matchFlags) playMatch(cmd *cobra.Command, config match.Config) (match.Summary, error) {
	bar, begun := term.NewProgress(cmd.ErrOrStderr(), config.OwnGames(), "games"), false
	defer bar.Finish()
	config.OnGame = func(_ match.Game, s match.Summary) error {
		if !begun { // the others were played earlier
			bar.Resume(s.Games - 1)
			begun = true
		}
		bar.SetStatus(s.Line())
		bar.Set(s.Games)
		return nil
	}
	s, err := match.Run(cmd.Context(), config)
	if begun && f.experiments != nil {
		err = errors.Join(err, f.appendExperiment(config, s, err == nil))
	}
	return s, err
}

// playFactors plays a match for each factor of time, and prints their results and the
// factor at parity.
func playFactors(cmd *cobra.Command, config match.Config, f *matchFlags) (err error) {
	var results []match.FactorResult
	for _, factor := range f.factors {
		c := config
		c.Opponent.Limit = c.Engine.Limit.Times(factor)
		if c.StateFile != "" {
			c.StateFile += fmt.Sprintf(".%g", factor)
		}
		var s match.Summary
		if s, err = f.playMatch(cmd, c); s.Games > 0 {
			results = append(results, match.FactorResult{Factor: factor, Summary: s})
			if !f.json {
				err = errors.Join(err, printSummary(cmd, s, false))
			}
		}
		if err != nil {
			err = fmt.Errorf("%g times the time: %w", factor, err)
			break
		}
	}
	var parity *match.Parity
	if err == nil {
		parity = match.FitParity(results)
	}
	switch {
	case f.json && len(results) > 0:
		return errors.Join(err, printJSON(cmd.OutOrStdout(), struct {
			Factors []match.FactorResult `json:"factors"`
			Parity  *match.Parity        `json:"parity"`
		}{results, parity}))
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "\nTime factor at parity: %s\n", parity)
	return err
}

// printSummary writes the final table, or JSON for machines.
func printSummary(cmd *cobra.Command, s match.Summary, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), s)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), "\n", s.Table())
	return err
}

// matchFlags are the flags of zhbot match as they were given.
type matchFlags struct {
	match            match.Config // without engines and openings
	engine, opponent sideFlags
	hash, threads    int
	openings         string
	seed             uint64
	overhead         time.Duration
	factors          []float64
	nodesTime        uint64
	pgn              string
	logFile, change  string
	rules            string // of adjudication, for the log of experiments
	engines          string // file of a tournament
	json             bool

	tournament  *tournament // nil for two engines
	opened      []*os.File
	experiments io.Writer // nil for none
}

// sideFlags are the flags of one of the engines.
type sideFlags struct {
	command, protocol string
	tc                pgn.TimeControl // not set: zero
	limit             match.Limit     // without clock
	options           []external.Option
	optionTexts       []string // as given; the state file has them
}

// self is the command that names the engine in this program.
const self = "self"

// defaultTC is the time control of a match without any limit.
var defaultTC = pgn.TimeControl{Initial: 3 * time.Second, Increment: 30 * time.Millisecond}

func (f *matchFlags) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.opponent.command, "opponent", "", "command that starts the opponent, or self")
	flags.StringVar(&f.engine.command, "engine", self, "command that starts the engine, or self")
	protocolFlag(flags, &f.opponent.protocol, "opponent-protocol", "what the opponent speaks: uci or xboard")
	protocolFlag(flags, &f.engine.protocol, "engine-protocol", "what the engine speaks: uci or xboard")
	flags.IntVar(&f.match.Games, "games", 100, "games to play, at most this many with an SPRT; an even number")
	f.engine.register(flags, "", "the engine's", "default "+defaultTC.String())
	f.opponent.register(flags, "opponent-", "the opponent's", "default: as the engine's")
	flags.StringVar(&f.engines, "engines", "",
		"YAML file of the engines of a tournament, in place of --opponent and --engine")
	threadsFlag(flags, &f.threads, 1, "search threads of each engine, if they can be set")
	durationFlag(flags, &f.overhead, "move-overhead", 10*time.Millisecond, 0,
		"time that each engine reserves for transmitting a move, if it can be set")
	flags.Float64SliceVar(&f.factors, "time-factor", nil, "play a match for each of these `multiples` of "+
		"the engine's time or nodes, which the opponent gets, and fit the factor at parity")
	sprtFlag(flags, &f.match.SPRT, "stop at the verdict of an SPRT with these bounds, e0,e1 in Elo")
	f.registerCommon(flags)
	shardFlag(flags, &f.match.Shard, "play only this shard of the pairs, 0/8 to 7/8, for match merge; needs --resume")
	numberFlag(flags, &f.match.Adjudication.MaxPlies, "max-plies", 0, 0, nil,
		"plies after which a game is drawn; 0 for Lichess's limit, 600")
	durationFlag(flags, &f.match.Margin, "margin", 0, 0, "how late a move may be before it loses on time")
	flags.StringVar(&f.pgn, "pgn", "", "add the games to this file")
	flags.StringVar(&f.logFile, "log", "",
		"add the match to this log of experiments, such as engine/experiments.tsv")
	flags.StringVar(&f.change, "change", "", "what the match tests, for --log")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
}

func protocols() []string { return []string{string(external.UCI), string(external.CECP)} }

func protocolFlag(flags *pflag.FlagSet, protocol *string, name, usage string) {
	choiceFlag(flags, protocol, name, string(external.UCI), protocols(), usage)
}

// sprtFlag adds the flag for the bounds of an SPRT.
func sprtFlag(flags *pflag.FlagSet, test **match.SPRT, usage string) {
	flags.Func("sprt", usage, func(text string) error {
		t, err := match.ParseSPRT(text)
		*test = &t
		return err
	})
}

// registerCommon adds the flags that a tuning has, too.
func (f *matchFlags) registerCommon(flags *pflag.FlagSet) {
	hashFlag(flags, &f.hash, 16, "hash table of each engine in MiB, if it can be set")
	flags.Uint64Var(&f.nodesTime, "nodestime", 0,
		"count this many nodes as one millisecond on all clocks, whatever the load of the machine; 0 measures time")
	flags.StringVar(&f.openings, "openings", "", "file of openings: PGN, FEN or EPD lines, "+
		"or FEN, score and moves separated by tabs (default: random balanced ones)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the openings, of their order, and of the directions of a tuning")
	countFlag(flags, &f.match.Concurrency, "concurrency", 1, "games at once; when tuning, pairs of games")
	flags.Func("resign", "end a game as won once both engines see the same side ahead by score centipawns "+
		"for movecount moves: a `rule` such as score=1200,movecount=2", f.parseResign)
	flags.Func("draw", "end a game as drawn once both engines see neither side ahead by more than score centipawns "+
		"for movecount moves, of which the first is movenumber or later: "+
		"a `rule` such as score=10,movecount=8,movenumber=40", f.parseDraw)
	flags.StringVar(&f.match.StateFile, "resume", "", "keep finished games in this file, and continue from it")
}

func (s *sideFlags) register(flags *pflag.FlagSet, prefix, whose, without string) {
	parsedFlag(flags, &s.tc, prefix+"tc", "", parseTC, "seconds+seconds", whose+" clock, such as 10+0.1 ("+without+")")
	flags.DurationVar(&s.limit.MoveTime, prefix+"movetime", 0, whose+" time for each move, such as 20ms")
	flags.Uint64Var(&s.limit.Nodes, prefix+"nodes", 0, whose+" nodes for each move")
	flags.IntVar(&s.limit.Depth, prefix+"depth", 0, whose+" depth for each move")
	flags.Func(prefix+"option", "one of "+whose+" options as Name=Value; may be repeated", s.addOption)
}

// addOption adds an option of the engine.
func (s *sideFlags) addOption(text string) error {
	o, err := external.ParseOption(text)
	s.options, s.optionTexts = append(s.options, o), append(s.optionTexts, text)
	return err
}

// parseTC parses a clock of an engine. Unlike a PGN tag it has both parts, and is never "-".
func parseTC(text string) (pgn.TimeControl, error) {
	if !strings.Contains(text, "+") {
		return pgn.TimeControl{}, fmt.Errorf("time control %q: want seconds+seconds, such as 3+0.03", text)
	}
	return pgn.ParseTimeControl(text)
}

// config returns the match that the flags describe; that of a tournament has no engines.
func (f *matchFlags) config(cmd *cobra.Command) (match.Config, error) {
	c := f.match
	switch {
	case f.change != "" && f.logFile == "":
		return c, usagef("--change is for the log of experiments: want --log")
	case f.logFile != "" && c.Shard.Count > 0:
		return c, usagef("--log: a shard is only a part of the match")
	case f.engine.unlimited():
		f.engine.tc = defaultTC
	}
	var err error
	if f.engines != "" {
		err = f.readTournament(cmd.Flags())
	} else {
		c.Engine, c.Opponent, err = f.sides()
	}
	if err != nil {
		return c, err
	}
	if c.Openings, c.OpeningsName, err = f.openingSource(cmd.ErrOrStderr()); err != nil {
		return c, err
	}
	checked := c
	if f.tournament != nil { // its pairings differ in their engines only
		checked = f.tournament.pairing(c, f.tournament.Pairings[0])
	}
	if err := checked.Validate(); err != nil {
		return c, &usageError{err}
	}
	return c, nil
}

// sides returns the two engines of a match.
func (f *matchFlags) sides() (engine, opponent match.Side, err error) {
	if f.opponent.command == "" {
		return engine, opponent, usagef("--opponent is missing: it takes the command that starts the opponent")
	}
	if len(f.factors) > 0 {
		if err := f.checkFactors(); err != nil {
			return engine, opponent, usagef("--time-factor: %w", err)
		}
	}
	if f.opponent.unlimited() {
		f.opponent.tc, f.opponent.limit = f.engine.tc, f.engine.limit
	}
	var errs [2]error
	engine, errs[0] = f.side("--option", f.engine)
	opponent, errs[1] = f.side("--opponent-option", f.opponent)
	return engine, opponent, errors.Join(errs[:]...)
}

// checkFactors returns an error if the match cannot be played at several factors of time.
func (f *matchFlags) checkFactors() error {
	switch {
	case len(f.factors) < 2 || !(slices.Min(f.factors) > 0):
		return errors.New("want at least two factors above 0, such as 8,16,32,64")
	case !f.opponent.unlimited() || f.engine.limit.Depth > 0:
		return errors.New("the opponent's limits follow from the engine's, in time or nodes")
	case f.match.SPRT != nil || f.match.Shard.Count > 0:
		return errors.New("want neither --sprt nor --shard: all games are played, by one process")
	}
	return nil
}

func (s sideFlags) unlimited() bool { return s.tc == pgn.TimeControl{} && s.limit == match.Limit{} }

// side returns an engine as its flags describe it. An error names the flag of an option.
func (f *matchFlags) side(option string, s sideFlags) (side match.Side, err error) {
	side.Command = fmt.Sprintf("%s %q, hash %d, threads %d, overhead %v",
		s.command, s.optionTexts, f.hash, f.threads, f.overhead)
	side.Limit = s.limit
	side.Limit.Clock, side.Limit.NodesTime = s.tc.Initial.Round(time.Millisecond), f.nodesTime
	side.Limit.Increment = s.tc.Increment.Round(time.Millisecond)
	if s.command == self {
		return f.inProcessSide(side, option, s.options)
	}
	protocol := external.Protocol(s.protocol)
	switch {
	case f.nodesTime > 0 && protocol != external.UCI:
		return side, usagef("--nodestime: an engine that speaks %s cannot count nodes as time, want uci", s.protocol)
	case f.nodesTime > 0:
		s.options = append(s.options, external.Option{Name: "nodestime", Value: strconv.FormatUint(f.nodesTime, 10)})
	}
	for _, o := range s.options {
		side.Suffix += " " + o.Name + "=" + o.Value
	}
	config := external.Config{Protocol: protocol, Options: s.options, Preferred: []external.Option{
		{Name: "Hash", Value: strconv.Itoa(f.hash)},
		{Name: "Threads", Value: strconv.Itoa(f.threads)},
		{Name: "Move Overhead", Value: strconv.FormatInt(f.overhead.Milliseconds(), 10)},
	}}
	side.Start = match.Program(s.command, config)
	return side, nil
}

// inProcessSide makes a side our engine in this process.
func (f *matchFlags) inProcessSide(side match.Side, flag string, options []external.Option) (match.Side, error) {
	o := uci.DefaultOptions(engine.Options{Threads: f.threads, HashMB: f.hash})
	o.Overhead = f.overhead
	for _, option := range options {
		err := o.Set(option.Name, option.Value)
		if err == nil && o.NodesTime > 0 {
			err = errors.New("want --nodestime, which counts for both engines and the referee")
		}
		if err != nil {
			return side, usagef("%s %s=%s: %w", flag, option.Name, option.Value, err)
		}
	}
	err := side.UseSelf(app.VersionLine(), o, f.seed)
	return side, err
}

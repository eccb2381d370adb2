package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/term"
	analysispage "github.com/zhbot/zhbot/internal/web/analysis"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// analyseFlags are the flags of zhbot analyse.
type analyseFlags struct {
	limits  engine.Limits
	threads int
	hashMB  int
	network string
	game    int // number of the game in a file, 0 for all
	output  string
	page    string
}

func newAnalyseCommand() *cobra.Command {
	var f analyseFlags
	cmd := &cobra.Command{Use: "analyse FILE", RunE: f.run}
	flags := cmd.Flags()
	flags.DurationVar(&f.limits.MoveTime, "time", 200*time.Millisecond, "time for each position")
	flags.Uint64Var(&f.limits.Nodes, "nodes", 0, "nodes for each position instead, on one thread; the result is repeatable")
	threadsFlag(flags, &f.threads, 0, "search threads (default one for each core)")
	hashFlag(flags, &f.hashMB, 64, "transposition table in MiB")
	networkFlag(flags, &f.network, "network file")
	numberFlag(flags, &f.game, "game", 0, 1, nil, "only the game with this number in the file")
	fileFlag(flags, &f.output, "output", "", "file for the annotated games (default standard output)", "pgn")
	fileFlag(flags, &f.page, "page", "", "HTML file for a page with the analysis of the game", "html")
	return cmd
}

// gameSource returns one game after the other, as [pgn.Reader.Next] does.
type gameSource func() (*pgn.Game, error)

func oneGame(g *pgn.Game) gameSource {
	read := false
	return func() (*pgn.Game, error) {
		if read {
			return nil, io.EOF
		}
		read = true
		return g, nil
	}
}

func (f *analyseFlags) run(cmd *cobra.Command, args []string) error {
	if f.limits.Nodes == 0 && f.limits.MoveTime <= 0 {
		return &usageError{fmt.Errorf("--time %s: want more than 0s", f.limits.MoveTime)}
	}
	if f.limits.Nodes > 0 {
		f.limits.MoveTime, f.threads = 0, 1
	}
	arg := args[0]
	source, done, err := f.openSource(cmd, arg)
	if err != nil {
		return err
	}
	defer done()
	e, err := f.newEngine()
	if err != nil {
		return err
	}
	if f.output == "" {
		return f.annotateGames(cmd, e, arg, source, cmd.OutOrStdout())
	}
	out, err := os.Create(f.output)
	if err != nil {
		return fmt.Errorf("analyse: --output: %w", err)
	}
	return errors.Join(f.annotateGames(cmd, e, arg, source, out), out.Close())
}

// gameAddress matches the address of a game on Lichess, and its id.
var gameAddress = regexp.MustCompile(`^(\w+://.*|(www\.)?lichess\.org/.*|[A-Za-z0-9]{8}([A-Za-z0-9]{4})?)$`)

// openSource opens a file or standard input. The caller calls done.
func (f *analyseFlags) openSource(cmd *cobra.Command, arg string) (source gameSource, done func(), err error) {
	file, err := openInput(cmd, arg)
	switch {
	case err != nil && gameAddress.MatchString(arg):
		return nil, nil, &usageError{fmt.Errorf("%s is not a PGN file: %w", term.Printable(arg), errUseCurl)}
	case err != nil:
		return nil, nil, fmt.Errorf("analyse: %w", err)
	}
	source, done = pgn.NewReader(file).Next, func() { _ = file.Close() } // it was only read
	if err = f.checkOutput(arg); err == nil && (f.game > 0 || f.page != "") {
		source, err = f.selectGame(cmd.Context(), source, arg)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return source, done, nil
}

func openInput(cmd *cobra.Command, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(file)
}

// checkOutput refuses to overwrite what is read or written.
func (f *analyseFlags) checkOutput(input string) error {
	if f.page != "" && (filepath.Clean(f.output) == filepath.Clean(f.page) || file.Same(f.output, f.page)) {
		return &usageError{fmt.Errorf("--output and --page are both %s: name two files", f.page)}
	}
	for flag, name := range map[string]string{"--output": f.output, "--page": f.page} {
		if file.Same(input, name) {
			return &usageError{fmt.Errorf("%s %s is the input file", flag, name)}
		}
	}
	return nil
}

// selectGame returns a source with one game of another: that of --game or, without, the
// only one.
func (f *analyseFlags) selectGame(ctx context.Context, source gameSource, arg string) (gameSource, error) {
	number := max(f.game, 1)
	for n := 1; ; n++ {
		g, err := source()
		switch {
		case ctx.Err() != nil:
			return nil, interrupted("analyse", ctx.Err())
		case errors.Is(err, io.EOF) && n == 1:
			return nil, checkCounts(arg, 0, 0)
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("analyse %s: --game %d: there are only %d", arg, number, n-1)
		case err != nil && (n == number || !errors.As(err, new(*pgn.GameError))):
			return nil, fmt.Errorf("analyse %s: %w", arg, err)
		case n < number:
			continue
		}
		if _, err := source(); f.game == 0 && !errors.Is(err, io.EOF) {
			return nil, &usageError{fmt.Errorf("%s has several games, and --page takes one: choose it with --game", arg)}
		}
		return oneGame(g), nil
	}
}

func (f *analyseFlags) newEngine() (*engine.Engine, error) {
	network, err := engine.OpenNetwork(f.network)
	if err != nil {
		return nil, fmt.Errorf("analyse: --network: %w", err)
	}
	return engine.New(engine.Options{Threads: f.threads, HashMB: f.hashMB, Network: network}), nil
}

// annotateGames annotates the games of a source, each of them once.
func (f *analyseFlags) annotateGames(cmd *cobra.Command, e *engine.Engine, arg string, source gameSource, out io.Writer) error {
	games, bad, seen := 0, 0, map[string]bool{}
	for {
		g, err := source()
		var broken *pgn.GameError
		switch {
		case errors.Is(err, io.EOF):
			return checkCounts(arg, games, bad)
		case errors.As(err, &broken):
			bad++
			fmt.Fprintln(cmd.ErrOrStderr(), "skipped:", broken)
			continue
		case err != nil:
			return fmt.Errorf("analyse: %w", err)
		}
		if id := record.GameID(g.Tag); id != "" {
			if seen[id] {
				continue
			}
			seen[id] = true
		}
		games++
		if err := f.annotateGame(cmd, e, g, out); err != nil {
			return err
		}
	}
}

// checkCounts returns an error if games could not be read.
func checkCounts(file string, games, bad int) error {
	switch {
	case bad > 0:
		return fmt.Errorf("analyse %s: %d of %d games could not be read", file, bad, games+bad)
	case games == 0:
		return fmt.Errorf("analyse %s: no games in it", file)
	}
	return nil
}

// annotateGame evaluates a game, writes it, and summarises each player's moves.
func (f *analyseFlags) annotateGame(cmd *cobra.Command, e *engine.Engine, g *pgn.Game, out io.Writer) error {
	bar := term.NewProgress(cmd.ErrOrStderr(), len(g.Moves)+1, "positions")
	found, err := analysis.Annotate(cmd.Context(), e, f.limits, g, bar.Set)
	bar.Finish()
	if err != nil {
		return interrupted("analyse", err)
	}
	g.SetTag("Annotator", "zhbot "+app.Version())
	if _, err := g.WriteTo(out); err != nil {
		return fmt.Errorf("analyse: %w", err)
	}
	if err := f.writePage(g, found); err != nil {
		return err
	}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		name := strings.ToUpper(c.String()[:1]) + c.String()[1:]
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s: %s\n", name, term.Printable(g.Tag(name)), found.Players[c])
	}
	return nil
}

// writePage writes the page of a game, if one was requested.
func (f *analyseFlags) writePage(g *pgn.Game, found *analysis.Analysis) error {
	if f.page == "" {
		return nil
	}
	effort := f.limits.MoveTime.String() + " a position"
	if f.limits.Nodes > 0 {
		effort = fmt.Sprintf("%d nodes a position", f.limits.Nodes)
	}
	var page bytes.Buffer
	if err := analysispage.Write(&page, g, found, "Analysed by zhbot "+app.Version()+", "+effort); err != nil {
		return fmt.Errorf("analyse: %w", err)
	}
	if err := os.WriteFile(f.page, page.Bytes(), 0o644); err != nil { //nolint:gosec // a page is for others to read
		return fmt.Errorf("analyse: --page: %w", err)
	}
	return nil
}

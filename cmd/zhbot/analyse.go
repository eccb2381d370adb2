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

	engine   *engine.Engine
	out      io.Writer
	bar      *term.Progress
	searched int // positions of the games before
}

func newAnalyseCommand() *cobra.Command {
	var f analyseFlags
	cmd := command("analyse FILE", f.run)
	flags := cmd.Flags()
	durationFlag(flags, &f.limits.MoveTime, "time", 200*time.Millisecond, time.Millisecond, "time for each position")
	flags.Uint64Var(&f.limits.Nodes, "nodes", 0,
		"nodes for each position instead, on one thread; the result is repeatable")
	threadsFlag(flags, &f.threads, 0, "search threads (default one for each core)")
	hashFlag(flags, &f.hashMB, 64, "transposition table in MiB")
	networkFlag(flags, &f.network, "network file")
	numberFlag(flags, &f.game, "game", 0, 1, nil, "only the game with this number in the file")
	flags.StringVar(&f.output, "output", "", "file for the annotated games (default standard output)")
	flags.StringVar(&f.page, "page", "", "HTML file for a page with the analysis of the game")
	return cmd
}

func (f *analyseFlags) run(cmd *cobra.Command, args []string) (err error) {
	if f.limits.Nodes > 0 {
		f.limits.MoveTime, f.threads = 0, 1
	}
	in, err := openInput(cmd, args[0])
	switch {
	case err != nil && gameAddress.MatchString(args[0]):
		return usagef("%s is not a PGN file: %w", term.Printable(args[0]), errUseCurl)
	case err != nil:
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	if err := f.checkOutput(args[0]); err != nil {
		return err
	}
	network, err := engine.OpenNetwork(f.network)
	if err != nil {
		return fmt.Errorf("--network: %w", err)
	}
	f.engine = engine.New(engine.Options{Threads: f.threads, HashMB: f.hashMB, Network: network})
	f.out = cmd.OutOrStdout()
	if f.output != "" {
		file := &lazyFile{path: f.output}
		defer func() { err = errors.Join(err, file.Close()) }()
		f.out = file
	}
	positions, err := f.countPositions(cmd.Context(), in)
	if err != nil {
		return err
	}
	f.bar = term.NewProgress(cmd.ErrOrStderr(), positions, "positions")
	if err := f.annotateGames(cmd, pgn.NewReader(in)); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// lazyFile is a file that is created by the first write.
type lazyFile struct {
	path string
	file *os.File // nil before
}

func (l *lazyFile) Write(b []byte) (n int, err error) {
	if l.file == nil {
		if l.file, err = os.Create(l.path); err != nil {
			return 0, fmt.Errorf("--output: %w", err)
		}
	}
	return l.file.Write(b)
}

// Close closes the file, if there is one.
func (l *lazyFile) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// gameAddress matches the address of a game on Lichess, and its id.
var gameAddress = regexp.MustCompile(`^(\w+://.*|(www\.)?lichess\.org/.*|[A-Za-z0-9]{8}([A-Za-z0-9]{4})?)$`)

func openInput(cmd *cobra.Command, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(file)
}

// checkOutput refuses to overwrite what is read or written.
func (f *analyseFlags) checkOutput(input string) error {
	if f.page != "" && (filepath.Clean(f.output) == filepath.Clean(f.page) || file.Same(f.output, f.page)) {
		return usagef("--output and --page are both %s: name two files", f.page)
	}
	for flag, name := range map[string]string{"--output": f.output, "--page": f.page} {
		if file.Same(input, name) {
			return usagef("%s %s is the input file", flag, name)
		}
	}
	return nil
}

// countPositions returns how many positions of a file are to be searched; 0 if that is unknown,
// since it can be read only once.
func (f *analyseFlags) countPositions(ctx context.Context, in io.Reader) (positions int, err error) {
	file, ok := in.(io.Seeker)
	if !ok {
		return 0, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil { // a pipe
		return 0, nil //nolint:nilerr // it is read all the same
	}
	games := pgn.NewReader(in)
	for n := 1; ctx.Err() == nil; n++ {
		g, err := games.Next()
		if _, broken := errors.AsType[*pgn.GameError](err); err != nil && !broken {
			break
		} else if err == nil && (f.game == 0 || f.game == n) {
			positions += len(g.Moves) + 1
		}
	}
	_, err = file.Seek(0, io.SeekStart)
	return positions, err
}

// annotateGames annotates the games of a file, each of them once, or that of --game.
func (f *analyseFlags) annotateGames(cmd *cobra.Command, in *pgn.Reader) error {
	games, bad, others, seen := 0, 0, 0, map[string]bool{}
	defer func() { printLeftOut(cmd, others) }()
	for n := 1; ; n++ {
		g, err := in.Next()
		broken, isBroken := errors.AsType[*pgn.GameError](err)
		atEnd := errors.Is(err, io.EOF)
		switch {
		case cmd.Context().Err() != nil:
			return cmd.Context().Err()
		case atEnd && f.game > 0 && n > 1:
			return fmt.Errorf("--game %d: there are only %d", f.game, n-1)
		case atEnd && bad > 0:
			return fmt.Errorf("%d of %d games could not be read", bad, games+bad)
		case atEnd && games == 0:
			return errors.New("no crazyhouse games in it")
		case atEnd:
			return nil
		case err != nil && !isBroken, isBroken && n == f.game:
			return err
		case n < f.game:
			continue
		case errors.Is(err, pgn.ErrVariant):
			others++
			continue
		case isBroken:
			bad++
			fmt.Fprintln(cmd.ErrOrStderr(), "skipped:", broken)
			continue
		}
		if f.page != "" && f.game == 0 {
			if _, err := in.Next(); !errors.Is(err, io.EOF) {
				return usagef("it has several games, and --page takes one: choose it with --game")
			}
		}
		if id := record.GameID(g.Tag); id == "" || !seen[id] {
			seen[id] = true
			games++
			err = f.annotateGame(cmd, g)
		}
		if err != nil || f.game > 0 || f.page != "" {
			return err
		}
	}
}

// annotateGame evaluates a game, writes it, and summarises each player's moves.
func (f *analyseFlags) annotateGame(cmd *cobra.Command, g *pgn.Game) error {
	errOut := cmd.ErrOrStderr()
	for _, w := range g.Warnings {
		fmt.Fprintln(errOut, w)
	}
	if g.Variations > 0 {
		fmt.Fprintf(errOut, "left out: %s\n", count(g.Variations, "variation"))
	}
	f.bar.SetStatus(term.Printable(g.Tag("White") + " – " + g.Tag("Black")))
	found, err := analysis.Annotate(cmd.Context(), f.engine, f.limits, g, func(positions int) {
		f.bar.Set(f.searched + positions)
	})
	f.bar.Clear()
	f.searched += len(g.Moves) + 1
	if err != nil {
		return err
	}
	g.SetTag("Annotator", annotator(g.Tag("Annotator")))
	if _, err := g.WriteTo(f.out); err != nil {
		return err
	}
	if err := f.writePage(g, found); err != nil {
		return err
	}
	for c, name := range []string{"White", "Black"} { // by colour
		fmt.Fprintf(errOut, "%s %s: %s\n", name, term.Printable(g.Tag(name)), found.Players[c])
	}
	return nil
}

// annotator adds us to those who annotated a game before.
func annotator(before string) string {
	us := "zhbot " + app.Version()
	if before == "" || strings.HasPrefix(before, "zhbot ") {
		return us
	}
	return strings.TrimSuffix(before, ", "+us) + ", " + us
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
		return err
	}
	if err := os.WriteFile(f.page, page.Bytes(), 0o644); err != nil { //nolint:gosec // a page is for others to read
		return fmt.Errorf("--page: %w", err)
	}
	return nil
}

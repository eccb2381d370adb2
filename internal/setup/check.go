package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/rules"
)

// checker checks the requirements of a bot one after the other, and writes a line for each.
type checker struct {
	source config.Source
	out    io.Writer
	failed bool
}

func (k *checker) reportOK(format string, args ...any) {
	printLine(k.out, "ok", fmt.Sprintf(format, args...))
}

// reportNote prints what the bot can run with, and what to do about it, if anything.
func (k *checker) reportNote(text, todo string) { k.report("note", text, todo) }

// reportProblem prints what is wrong and what to do about it.
func (k *checker) reportProblem(what string, err error, todo string) {
	k.failed = true
	k.report("WRONG", fmt.Sprintf("%s: %v", what, err), todo)
}

func (k *checker) report(kind, text, todo string) {
	printLine(k.out, kind, text)
	if todo != "" {
		fmt.Fprintf(k.out, "        -> %s\n", todo)
	}
}

// Check checks everything that a bot needs and reports whether it can run. With notify, it
// sends a test notification.
func Check(ctx context.Context, source config.Source, notify bool, out io.Writer) (ok bool) {
	k := &checker{source: source, out: out}
	k.engine()
	if c := k.configuration(ctx); c != nil {
		k.notifications(ctx, c, notify)
		k.blocklist(ctx, c)
		k.server(ctx, c)
	}
	return !k.failed
}

// load returns the settings, nil if they are invalid.
func (k *checker) load() *config.Config {
	c, err := config.Load(k.source)
	if bad, ok := errors.AsType[*config.Error](err); ok { // it always is one
		for _, problem := range bad.Problems {
			k.reportProblem("configuration", problem, "")
		}
		return nil
	}
	for _, warning := range k.source.Warnings(c, os.Environ()) {
		k.reportNote(warning, "")
	}
	return c
}

// configuration loads the settings, nil if that fails, and checks the files that they
// name.
func (k *checker) configuration(ctx context.Context) *config.Config {
	c := k.load()
	if c == nil {
		return nil
	}
	k.reportOK("configuration: server %s, up to %d games at once", c.Lichess.URL, c.Games.Max)
	k.network("engine.network", c.Engine.Network)
	k.program(ctx, "engine", c, mover.EngineSettings(c))
	k.books("engine.book", c.Engine.Book)
	k.contenders(ctx, c)
	if _, err := control.PlaceOf(c); err != nil && !errors.Is(err, control.ErrOff) {
		k.reportNote(fmt.Sprintf("%v: the bot would play, but \"zhbot ctl\" could not reach it", err), "")
	}
	if err := writable(c.Records.Dir); err != nil {
		k.reportProblem("records", err, "make the folder writable for this user, or set records.dir to another folder")
	}
	return c
}

// notifications reads where notifications are sent, and sends one if that is wanted.
func (k *checker) notifications(ctx context.Context, c *config.Config, send bool) {
	list := c.Endpoints()
	switch {
	case !send && len(list) > 0:
		k.reportOK("notifications: %s; none was sent, see --notify", listEndpoints(list))
	case send && len(list) == 0:
		k.reportProblem("notifications", errors.New("there is no endpoint"), "set notify.urls")
	case send:
		sent, err := app.SendTest(ctx, c)
		if len(sent) > 0 {
			k.reportOK("notifications: a test was sent to %s", strings.Join(sent, ", "))
		}
		if err != nil {
			k.reportProblem("notifications", err, "correct notify.urls")
		}
	}
}

func listEndpoints(list []config.Endpoint) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.String()
	}
	return strings.Join(names, ", ")
}

// contenders checks the files that the contenders name, and tries their programs.
func (k *checker) contenders(ctx context.Context, c *config.Config) {
	for i, contender := range c.Contenders {
		key := fmt.Sprintf("contenders[%d]", i)
		if contender.Network != nil {
			k.network(key+".network", *contender.Network)
		}
		k.books(key+".book", contender.Book)
		if contender.Command != nil || contender.Options != nil {
			k.program(ctx, key, c, mover.ContenderSettings(mover.EngineSettings(c), &contender))
		}
	}
}

func (k *checker) network(key, name string) {
	if _, err := engine.OpenNetwork(name); err != nil {
		k.reportProblem("network", fmt.Errorf("%s: %w", key, err),
			"name a file that \"zhbot train\" wrote, or remove the setting")
	}
}

// books reads opening books, each on its own: more than one may be wrong.
func (k *checker) books(key string, paths []string) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if b, err := book.Open(path); err != nil {
			k.reportProblem("book", fmt.Errorf("%s: %w", key, err), "name a file that \"zhbot book build\" wrote, "+
				"a Polyglot book (.bin), or embedded; or remove it from the list")
		} else {
			k.reportOK("book: %s: %s", path, b)
		}
	}
}

// program tries the engine program of the settings in a section, if one is to search.
func (k *checker) program(ctx context.Context, section string, c *config.Config, e config.Engine) {
	if e.Command == "" {
		return
	}
	e = mover.ProgramSettings(c, e)
	name, move, err := mover.TryProgram(ctx, e, c.Games.Max, mover.Options{})
	if err != nil {
		k.reportProblem(section, err, "name a UCI program that knows crazyhouse by its path, "+
			"such as /usr/games/fairy-stockfish, with options that it has; or remove the command")
		return
	}
	k.reportOK("%s: %s starts and finds a mate by a drop, %s; %d processes, with %d threads and %d MiB in total",
		section, name, move, c.Games.Max, e.Threads, e.HashMB)
}

// writable returns an error if files cannot be created in a folder, "" for none. It creates
// the folder as the bot does.
func writable(dir string) error {
	if dir == "" {
		return nil
	}
	missing, err := file.MakeDir(dir)
	if err == nil {
		err = file.CheckWritable(filepath.Join(dir, ".check"))
	}
	for _, made := range missing {
		_ = os.Remove(made) // a check leaves no trace, unless a bot is quicker
	}
	if err != nil {
		return fmt.Errorf("records.dir: %w", err)
	}
	return nil
}

// engine tests rules and search.
func (k *checker) engine() {
	const todo = "this build is broken: install another"
	start := rules.StartPosition()
	if n := start.Perft(4); n != 197281 {
		k.reportProblem("rules", fmt.Errorf("perft 4 is %d, not 197281", n), todo)
		return
	}
	g := mover.MateByDrop()
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	r, err := e.Search(context.Background(), g, engine.Limits{Depth: 4}, nil)
	if moves, mate := r.Info.Score.MateIn(); err != nil || !mate || moves != 1 {
		k.reportProblem("engine", fmt.Errorf("no mate found in %s: %s", g.Position().FEN(), r.Move), todo)
		return
	}
	k.reportOK("engine: the move count is correct, and a mate by a drop is found")
}

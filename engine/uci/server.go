package uci

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Server is a UCI server for our engine.
type Server struct {
	Version string         // what "id name" gives after our name
	Options engine.Options // the defaults of the options Threads and Hash
	// Draw returns a random number from 0 to n-1, which picks among the moves
	// of a book; nil for one that nobody can foresee.
	Draw func(n int) int
	Seed uint64 // decides the random choices below full strength
}

// Run serves commands from in until quit, the end of input, or the end of the
// context, none of which is an error. It sets GOMAXPROCS to two more than the
// search threads, so that commands are read in time while all threads search.
//
// A read that is pending when the context ends is left behind: nothing but
// closing in can end it.
func (s Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newSession(s, &lineWriter{w: out, onError: cancel})
	lines, readErr := readLines(ctx, in)
	c.serve(ctx, lines)
	if err := c.out.err(); err != nil {
		return fmt.Errorf("write UCI answer: %w", err)
	}
	select {
	case err := <-readErr:
		return fmt.Errorf("read UCI commands: %w", err)
	default:
		return nil
	}
}

// session is one run of the server. Its fields belong to the goroutine of
// serve; jobs get what they need when they start.
type session struct {
	server  Server
	out     *lineWriter
	options options
	engine  *engine.Engine // nil until needed, and after its size changed
	game    *rules.Game
	seeds   *rand.Rand // of searches below full strength
	job     *job       // nil when idle
	queued  []string   // lines that came while a job ran that they must wait for
	quit    bool       // quit was obeyed
}

func newSession(s Server, out *lineWriter) *session {
	return &session{
		server:  s,
		out:     out,
		options: defaultOptions(s.Options),
		game:    rules.NewGame(rules.StartPosition()),
		seeds:   rand.New(rand.NewPCG(s.Seed, 0)),
	}
}

// serve obeys lines until quit, and leaves no job running.
func (c *session) serve(ctx context.Context, lines <-chan string) {
	for !c.quit {
		select {
		case line := <-lines:
			c.dispatch(ctx, line)
		case <-c.job.finished():
			c.jobDone(ctx)
		case <-ctx.Done():
			c.quit = true
		}
	}
	if c.job != nil {
		c.job.cancel()
		<-c.job.done
	}
}

// dispatch obeys a line at once if it may, or lets it wait for the job.
func (c *session) dispatch(ctx context.Context, line string) {
	name, args := splitCommand(line)
	switch {
	case name == "":
		return
	case name == "isready":
		c.prepareEngine()
		c.out.writeLine("readyok")
		return
	case len(c.queued) == 0 && (c.job == nil || isImmediate(name)):
		c.execute(ctx, name, args)
		return
	case name == "stop", name == "quit" && c.job.isSearch():
		c.job.cancel() // and again when the line's turn comes
	case c.job.endless:
		c.job.cancel() // or the line would wait forever
	}
	c.queued = append(c.queued, line)
}

// jobDone obeys the lines that waited, up to the next one that starts a job.
func (c *session) jobDone(ctx context.Context) {
	c.job = nil
	lines := c.queued
	c.queued = nil
	for _, line := range lines {
		if c.quit {
			return
		}
		c.dispatch(ctx, line)
	}
}

// prepareEngine makes the engine if it is not there in the size asked for.
// While a search runs there is always one.
func (c *session) prepareEngine() {
	if c.engine != nil {
		return
	}
	c.engine = engine.New(engine.Options{Threads: c.options.threads, HashMB: c.options.hashMB, Network: c.options.network})
	runtime.GOMAXPROCS(c.options.threads + 2)
}

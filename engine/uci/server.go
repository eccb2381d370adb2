package uci

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// Server serves an engine over UCI. The zero value has default options.
type Server struct {
	Version string         // follows the name in "id name"
	Options engine.Options // defaults of the UCI options Threads and Hash, and the network
	Seed    uint64         // of the random choices below full strength

	// Parameters lists the parameters of the search among the options. They can always be set.
	Parameters bool

	MaxHashMB int // upper bound of the option Hash, such as the machine's memory; 0 means 64 GiB
}

// Run executes commands from in until quit, the end of input, or the end of the context,
// none of which is an error; a failure to read or write is. It sets GOMAXPROCS to two more
// than the search threads, so that commands are read while all threads search.
//
// A read in progress when the context ends continues in the background; only closing in
// ends it.
func (s Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newSession(s, &lineWriter{w: out, onError: cancel})
	lines, readErr := readLines(ctx, in)
	c.serve(ctx, lines)
	if err := c.out.firstErr; err != nil {
		return fmt.Errorf("write UCI answer: %w", err)
	}
	select {
	case err := <-readErr:
		return fmt.Errorf("read UCI commands: %w", err)
	default:
		return nil
	}
}

// session is the state of a connection. It belongs to the goroutine of serve; jobs get
// what they need when they start.
type session struct {
	server  Server
	out     *lineWriter
	options Options
	engine  *engine.Engine // nil until needed, and after a change of its options
	game    *rules.Game    // nil after a position that was refused
	seeds   *rand.Rand     // for searches below full strength
	job     *job           // nil when idle
	queued  []string       // lines that wait for the job
	quit    bool           // quit was executed
}

func newSession(s Server, out *lineWriter) *session {
	return &session{
		server:  s,
		out:     out,
		options: s.defaults(),
		game:    rules.NewGame(rules.StartPosition()),
		seeds:   rand.New(rand.NewPCG(s.Seed, 0)),
	}
}

// defaults returns the options before any is set.
func (s Server) defaults() Options {
	o := DefaultOptions(s.Options)
	if s.MaxHashMB > 0 {
		o.maxHashMB = min(s.MaxHashMB, o.maxHashMB)
	}
	return o
}

// maxQueued is how many lines can wait. More are read when the job ends.
const maxQueued = 256

// serve executes lines until quit, and waits for the running job.
func (c *session) serve(ctx context.Context, lines <-chan string) {
	for !c.quit {
		next := lines
		if len(c.queued) >= maxQueued {
			next = nil
		}
		select {
		case line := <-next:
			if line == endOfInput && c.job.isSearch() && !c.job.endless {
				// This fails if nobody reads, and so ends it.
				c.out.writeLine("info string end of input: finishing the search")
			}
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

// dispatch executes a line at once if possible, or queues it until the job is done.
func (c *session) dispatch(ctx context.Context, line string) {
	name, args := splitCommand(line)
	switch {
	case name == "":
		return
	case name == "isready":
		c.prepareEngine()
		c.out.writeLine("readyok")
		return
	case len(c.queued) == 0 && (c.job == nil || !slices.Contains(waiting, name)):
		if err := c.execute(ctx, name, args); err != nil {
			c.out.writeError(err)
		}
		return
	case name == "quit" && c.job.isSearch():
		c.quit = true
		return
	case name == "stop":
		c.job.cancel() // and again when the line is dispatched
	case c.job.endless:
		c.job.cancel() // otherwise the line would wait forever
	}
	c.queued = append(c.queued, line)
}

// jobDone dispatches the queued lines again, up to the next one that starts a job.
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

// prepareEngine creates the engine if there is none with the current options. During a
// search there is always one.
func (c *session) prepareEngine() {
	if c.engine != nil {
		return
	}
	c.engine = engine.New(c.options.Engine)
	runtime.GOMAXPROCS(c.options.Engine.Threads + 2)
}

// job runs while commands are read: a search, a perft or a benchmark. At most one runs at
// a time.
type job struct {
	cancel  context.CancelFunc
	done    chan struct{}
	search  *searchJob // nil for other jobs
	endless bool       // it ends only when cancelled
}

// start runs work on its own goroutine, until it returns.
func (c *session) start(ctx context.Context, j *job, work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	j.cancel, j.done = cancel, make(chan struct{})
	c.job = j
	go func() {
		defer close(j.done)
		defer cancel()
		work(ctx)
	}()
}

// finished is closed when the job is done; without a job it is nil.
func (j *job) finished() <-chan struct{} {
	if j == nil {
		return nil
	}
	return j.done
}

func (j *job) isSearch() bool { return j != nil && j.search != nil }

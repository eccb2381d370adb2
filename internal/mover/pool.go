package mover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/term"
)

// Process is a running program, such as [*external.Process].
type Process interface {
	io.ReadWriteCloser
	Kill()
}

// noAnswer is the error of a search for which the program was not asked, or of which it gave
// no answer in time.
type noAnswer struct {
	reason event.Fallback
	text   string
}

func (e *noAnswer) Error() string { return e.text }

// The ways in which a search fails, besides those of [external.Engine.SearchAndReport], which
// mean that the process is replaced.
var (
	ErrStarting   error = &noAnswer{event.FallbackStarting, "the program is still starting"}
	ErrNotRunning error = &noAnswer{event.FallbackNotRunning, "the process is not running"}
	ErrBusy       error = &noAnswer{event.FallbackBusy, "all processes are busy"}
	ErrLate       error = &noAnswer{event.FallbackLate, "the program did not answer in time"}
	// errShortOfTime means that the program is not asked.
	errShortOfTime error = &noAnswer{event.FallbackShortOfTime, "too little time is left to ask the program"}
)

// timing are the waits of a pool.
type timing struct {
	answer   time.Duration // of a process that is idle or was told to stop
	start    time.Duration // of the handshake, in which a network may be loaded
	newGame  time.Duration // of a new game, for which the table is cleared
	pause    time.Duration // before the first restart; doubled with each further one
	maxPause time.Duration
	longRun  time.Duration // after which the pauses begin again; see also provenAnswers
}

var defaultTiming = timing{
	answer: 2 * time.Second, start: 10 * time.Second, newGame: 5 * time.Second,
	pause: 250 * time.Millisecond, maxPause: 30 * time.Second, longRun: 10 * time.Second,
}

// Pool keeps the processes of a program that speaks UCI or xboard's protocol running for the games of a bot, and
// gives each game its own, as long as there are enough. No process is trusted: one that
// crashes, hangs, floods or makes an illegal move is killed with all its children, and
// restarted after growing pauses. [Pool.Search] returns in time whatever happens, with a
// legal move or an error; what to play then is up to the caller. A pool is safe for
// concurrent use.
type Pool struct {
	engine  config.Engine // command, options, and what all processes share: at least one thread and 1 MiB each
	o       Options
	timing  timing
	workers []*worker
	start   func() // starts the supervisors, the first time
	stop    context.CancelFunc
	wg      sync.WaitGroup // the supervisors of the workers

	processes sync.Map // of Process: those that run, since before their handshake

	mu      sync.Mutex
	name    string        // of the program; before its first start, that of its file
	ready   bool          // it has been ready once
	failure error         // why the program cannot be used; nil while it starts, and after that
	turns   int           // counts the uses of the workers
	changed chan struct{} // closed and replaced whenever a worker changes
}

// NewPool returns a pool of the program in the settings. It starts the processes when Start
// or Search is first called.
func NewPool(ctx context.Context, e config.Engine, o Options) *Pool {
	return newPool(ctx, e, o, defaultTiming)
}

func newPool(ctx context.Context, e config.Engine, o Options, t timing) *Pool {
	e.Processes = max(e.Processes, 1)
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Pool{engine: e, o: o, timing: t, stop: stop, name: fileName(e.Command), changed: make(chan struct{})}
	for number := range e.Processes {
		p.workers = append(p.workers, &worker{pool: p, number: number})
	}
	p.start = sync.OnceFunc(func() { p.wg.Go(func() { p.workers[0].supervise(keeping) }) })
	return p
}

// Start starts the processes without waiting for them: the others once the first one is
// ready.
func (p *Pool) Start() { p.start() }

// AwaitReady waits until the program has been ready once. It fails if the program cannot
// be used: it cannot be started, ends at once, does not know crazyhouse or lacks one of the
// options. One that does not answer may still be starting. Failed starts are repeated, so
// a later call may succeed.
func (p *Pool) AwaitReady(ctx context.Context) error {
	for {
		p.mu.Lock()
		ready, err, changed := p.ready, p.failure, p.changed
		p.mu.Unlock()
		if ready || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Name returns the program's name as it reports it; before its first start, that of its
// file.
func (p *Pool) Name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

// fileName returns the name of a program's file, as far as its command line tells.
func fileName(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	return term.Short(strings.Trim(filepath.Base(words[0]), `"'`), maxName)
}

// Close ends the processes, and waits until they are gone. No search may be started after
// that.
func (p *Pool) Close() {
	p.stop()
	p.wg.Wait()
}

// Kill kills all processes at once, for the end of a process that may hang: it waits for no
// lock that a search holds.
func (p *Pool) Kill() {
	for process := range p.processes.Range {
		process.(Process).Kill()
	}
}

// EndGame frees the process of a game.
func (p *Pool) EndGame(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.workers {
		if s.game == id {
			s.game = ""
		}
	}
	p.notify()
}

// fail records why a process could not be started or has ended, and returns how grave that
// is: before the program's first start, nothing can be searched with it.
func (p *Pool) fail(err error) zerolog.Level {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready {
		return zerolog.WarnLevel
	}
	if p.failure = nil; !errors.Is(err, external.ErrTimeout) {
		p.failure = fmt.Errorf("engine.command: %w", err)
	}
	p.notify()
	return zerolog.ErrorLevel
}

// notify wakes the searches that wait for a worker. The caller holds p.mu.
func (p *Pool) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// running is a process after its handshake.
type running struct {
	process  Process
	engine   *external.Engine
	failed   chan error     // receives why it has to be replaced
	searches sync.WaitGroup // one at most
	answers  int            // searches that it has ended as it should; guarded by the pool's mutex
}

// startProcess starts a process and performs the handshake.
func (p *Pool) startProcess(ctx context.Context) (*running, error) {
	start := p.o.StartProgram
	if start == nil {
		start = func(c external.Command) (Process, error) { return c.Start() }
	}
	process, err := start(external.Command{Line: p.engine.Command, Env: environment(os.Environ()), Stderr: newStderrLog(p.o.Log)})
	if err != nil {
		return nil, err
	}
	p.processes.Store(process, nil)
	// One that hangs is not waited for when its connection is closed.
	defer context.AfterFunc(ctx, process.Kill)()
	kill := time.AfterFunc(p.timing.start+time.Second, process.Kill)
	defer kill.Stop()
	settings := external.Config{Protocol: external.Protocol(p.engine.Protocol), Preferred: p.resources(), Timeout: p.timing.answer, StartTimeout: p.timing.start}
	for _, option := range p.engine.Options { // they take precedence over ours
		settings.Options = append(settings.Options, external.Option(option))
	}
	e, err := external.New(ctx, process, settings)
	if err != nil {
		p.processes.Delete(process)
		return nil, err
	}
	return &running{process: process, engine: e, failed: make(chan error, 1)}, nil
}

// resources returns the options that share threads and memory out to the processes.
func (p *Pool) resources() []external.Option {
	return []external.Option{
		{Name: "Threads", Value: fmt.Sprint(p.threadsEach())},
		{Name: "Hash", Value: fmt.Sprint(max(p.engine.HashMB/p.engine.Processes, 1))},
	}
}

// threadsEach returns the threads of a process.
func (p *Pool) threadsEach() int { return max(p.engine.Threads/p.engine.Processes, 1) }

// isFull reports whether as many processes search as there are threads for. The caller
// holds p.mu.
func (p *Pool) isFull() bool {
	searching := 0
	for _, s := range p.workers {
		if s.request != nil {
			searching++
		}
	}
	return searching >= p.maxSearching()
}

// maxSearching returns how many processes may search at once before a pondering one is
// stopped.
func (p *Pool) maxSearching() int { return max(p.engine.Threads/p.threadsEach(), 1) }

// stopPondering stops a pondering process, if there is one, so that a search can have it or
// its threads. The caller holds p.mu.
func (p *Pool) stopPondering() (stopped bool) {
	for _, s := range p.workers {
		if c := s.request; c != nil && c.limits.Ponder && !c.stopped {
			c.cancel()
			c.stopped = true
			return true
		}
	}
	return false
}

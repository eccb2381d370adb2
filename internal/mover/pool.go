package mover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/engine/external"
)

// PoolOptions configure the program and its resources.
type PoolOptions struct {
	Command   string            // the program and its arguments
	Options   []external.Option // of the program; they take precedence over ours
	Processes int               // how many to run
	Threads   int               // of all processes together; each gets at least one
	HashMB    int               // of all processes together; each gets at least 1 MiB
	Log       zerolog.Logger

	// Start starts the command; nil for [external.Command.Start].
	Start func(external.Command) (Process, error)
}

// Process is a running program, such as [*external.Process].
type Process interface {
	io.ReadWriteCloser
	Kill()
}

// The ways in which a search fails, besides those of [external.UCI.SearchAndReport], which
// mean that the process is replaced.
var (
	ErrStarting   = errors.New("the program is still starting")
	ErrNotRunning = errors.New("the process is not running")
	ErrBusy       = errors.New("all processes are busy")
	ErrLate       = errors.New("the program did not answer in time")
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

// Pool keeps the processes of a program that speaks UCI running for the games of a bot, and
// gives each game its own, as long as there are enough. No process is trusted: one that
// crashes, hangs, floods or makes an illegal move is killed with all its children, and
// restarted after growing pauses. [Pool.Search] returns in time whatever happens, with a
// legal move or an error; what to play then is up to the caller. A pool is safe for
// concurrent use.
type Pool struct {
	o       PoolOptions
	timing  timing
	workers []*worker
	start   func() // starts the supervisors, the first time
	stop    context.CancelFunc
	wg      sync.WaitGroup // the supervisors of the workers, and the searches

	processes sync.Map // of Process: those that run, since before their handshake

	mu      sync.Mutex
	name    string        // of the program, "" before its first start
	failure error         // why the program cannot be used; nil while it starts, and after that
	turns   int           // counts the uses of the workers
	changed chan struct{} // closed and replaced whenever a worker changes
}

// NewPool returns a pool. It starts the processes when Start, Search or Ponder is first called.
func NewPool(ctx context.Context, o PoolOptions) *Pool { return newPool(ctx, o, defaultTiming) }

func newPool(ctx context.Context, o PoolOptions, t timing) *Pool {
	o.Processes = max(o.Processes, 1)
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Pool{o: o, timing: t, stop: stop, changed: make(chan struct{})}
	for number := range o.Processes {
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
		ready, err, changed := p.name != "", p.failure, p.changed
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
	return cmp.Or(p.name, p.fileName())
}

// fileName returns the name of the program's file, as far as the command line tells.
func (p *Pool) fileName() string {
	words := strings.Fields(p.o.Command)
	if len(words) == 0 {
		return ""
	}
	return cleanName(strings.Trim(filepath.Base(words[0]), `"'`))
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
	if p.name != "" {
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
	process Process
	uci     *external.UCI
	use     sync.Mutex // held while somebody talks to it
}

// startProcess starts a process and performs the handshake.
func (p *Pool) startProcess(ctx context.Context) (*running, error) {
	start := p.o.Start
	if start == nil {
		start = func(c external.Command) (Process, error) { return c.Start() }
	}
	process, err := start(external.Command{Line: p.o.Command, Env: environment(os.Environ()), Stderr: newStderrLog(p.o.Log)})
	if err != nil {
		return nil, err
	}
	p.processes.Store(process, nil)
	// One that hangs is not waited for when its connection is closed.
	defer context.AfterFunc(ctx, process.Kill)()
	kill := time.AfterFunc(p.timing.start+time.Second, process.Kill)
	defer kill.Stop()
	uci, err := external.NewUCI(ctx, process, external.Config{
		Preferred: p.resources(), Options: p.o.Options, Timeout: p.timing.answer, StartTimeout: p.timing.start,
	})
	if err != nil {
		p.processes.Delete(process)
		return nil, err
	}
	return &running{process: process, uci: uci}, nil
}

// resources returns the options that share threads and memory out to the processes.
func (p *Pool) resources() []external.Option {
	return []external.Option{
		{Name: "Threads", Value: fmt.Sprint(p.threadsEach())},
		{Name: "Hash", Value: fmt.Sprint(max(p.o.HashMB/p.o.Processes, 1))},
	}
}

// threadsEach returns the threads of a process.
func (p *Pool) threadsEach() int { return max(p.o.Threads/p.o.Processes, 1) }

// maxSearching returns how many processes may search at once before a pondering one is
// stopped: as many as there are threads for.
func (p *Pool) maxSearching() int { return max(p.o.Threads/p.threadsEach(), 1) }

// searching returns how many processes are in use. The caller holds p.mu.
func (p *Pool) searching() (n int) {
	for _, s := range p.workers {
		if s.busy {
			n++
		}
	}
	return n
}

// stopPondering stops a pondering process, if there is one, so that a search can have it or
// its threads. The caller holds p.mu.
func (p *Pool) stopPondering() (stopped bool) {
	i := slices.IndexFunc(p.workers, func(s *worker) bool { return s.ponder != nil })
	if i < 0 {
		return false
	}
	p.workers[i].ponder()
	p.workers[i].ponder = nil
	return true
}

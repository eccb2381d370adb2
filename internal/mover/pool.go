package mover

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/term"
)

// noAnswer is the reason why the program was not asked to search, or why its answer is not
// waited for.
type noAnswer event.Fallback

func (e noAnswer) Error() string { return "no answer of the program: " + string(e) }

// The ways in which a search fails, besides those of [external.Engine.SearchAndReport].
var (
	errStarting    error = noAnswer(event.FallbackStarting)
	errNotRunning  error = noAnswer(event.FallbackNotRunning)
	errBusy        error = noAnswer(event.FallbackBusy)
	errLate        error = noAnswer(event.FallbackLate)
	errShortOfTime error = noAnswer(event.FallbackShortOfTime)
)

// timing are the waits of a pool.
type timing struct {
	answer  time.Duration // of a process that is idle or was told to stop
	start   time.Duration // see external.Config.StartTimeout
	pause   time.Duration // before the first restart; doubled with each further one
	longRun time.Duration // after which the pauses begin again; see also provenMoves
}

var defaultTiming = timing{answer: 2 * time.Second, pause: 250 * time.Millisecond, longRun: 10 * time.Second}

// pool keeps one process of a program running for each place of a game. A game has a place
// of its own from its first search to its end. No process is trusted: one that crashes,
// hangs, floods, is late or makes an illegal move is killed with all its children, and
// started again after growing pauses. Search returns in time whatever happens, with
// a legal move or an error; what to play then is up to the caller. A pool is safe for
// concurrent use.
type pool struct {
	engine config.Engine // command, options, and what all processes share: at least one thread and 1 MiB each
	o      Options
	timing timing
	ctx    context.Context // of the processes
	stop   context.CancelFunc
	wg     sync.WaitGroup // of the places

	processes sync.Map // of Process: those that run, since before their handshake

	mu        sync.Mutex
	size      int                             // places wanted; more exist while games end in surplus ones
	places    []*place                        // none before the start
	searching map[*process]context.CancelFunc // stops one that ponders; nil for others
	name      string                          // of the program, or of its file before its first start
	ready     bool                            // it has been ready once
	failure   error                           // why the program cannot be used; nil if it is starting or has ever run
	settled   context.Context                 // see AwaitReady
	endWait   context.CancelFunc
}

// newPool returns a pool of the program in the settings. It starts the processes when Start
// or Search is first called.
func newPool(ctx context.Context, e config.Engine, places int, o Options) *pool {
	p := &pool{
		engine: e, o: o, timing: defaultTiming, size: places, name: fileName(e.Command),
		searching: map[*process]context.CancelFunc{},
	}
	p.settled, p.endWait = context.WithCancel(context.Background())
	p.ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	return p
}

// Start starts the processes without waiting for them.
func (p *pool) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.places) == 0 {
		p.fit()
	}
}

// Resize changes the number of places. A process with its old share of threads and memory
// is ended or replaced, after its game if it has one.
func (p *pool) Resize(places int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size = places
	if len(p.places) > 0 {
		p.fit()
	}
}

// fit closes free places that are too many or of an earlier size, and opens those that are
// missing. The caller holds p.mu.
func (p *pool) fit() {
	surplus := len(p.places) - p.size
	p.places = slices.DeleteFunc(p.places, func(s *place) bool {
		if s.game != "" || surplus <= 0 && s.size == p.size {
			return false
		}
		surplus--
		s.close()
		return true
	})
	for len(p.places) < p.size {
		ctx, stop := context.WithCancel(p.ctx)
		s := &place{pool: p, size: p.size, close: stop, ended: make(chan struct{}, 1)}
		p.places = append(p.places, s)
		p.wg.Go(func() { s.supervise(ctx) })
	}
}

// EndGame frees the place of a game.
func (p *pool) EndGame(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.places {
		if s.game == id && id != "" {
			s.game = ""
			select {
			case s.ended <- struct{}{}:
			default: // no process has taken the last one
			}
		}
	}
	if len(p.places) > 0 { // else it has not been started
		p.fit()
	}
}

// assign returns the process of a game, which gets a free place if it has none.
func (p *pool) assign(game string) (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found *place
	for _, s := range p.places {
		if s.game == game {
			found = s
			break
		}
		if s.game == "" && (found == nil || found.process == nil) {
			found = s
		}
	}
	if found == nil {
		return nil, errBusy
	}
	found.game = game
	switch {
	case found.process != nil:
		return found.process, nil
	case !p.ready && p.failure == nil:
		return nil, errStarting
	}
	return nil, errNotRunning
}

// AwaitReady waits until each place has started a process, or failed to, and one is ready. It
// fails if the program cannot be used: no process can be started, or each ends at once, does
// not know crazyhouse or lacks one of the options. One that does not answer may still be
// starting. Failed starts are repeated, so a later call may succeed.
func (p *pool) AwaitReady(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.settled.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// settle ends the wait of AwaitReady, unless a place has not tried, or all that is wrong is
// that no process has answered. The caller holds p.mu.
func (p *pool) settle(err error) {
	if slices.ContainsFunc(p.places, func(s *place) bool { return !s.tried || !p.ready && !s.unusable }) {
		return
	}
	if !p.ready {
		p.failure = fmt.Errorf("engine.command: %w", err)
	}
	p.endWait()
}

// setFailure records why the process of a place could not be started or has ended, and
// returns how grave that is: before the program's first start, nothing can be searched with
// it, and one message is enough for all places.
func (p *pool) setFailure(s *place, err error) zerolog.Level {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.tried, s.unusable = true, !errors.Is(err, external.ErrTimeout)
	p.settle(err)
	switch {
	case p.ready:
		return zerolog.WarnLevel
	case s == p.places[0]:
		return zerolog.ErrorLevel
	}
	return zerolog.DebugLevel
}

// Name returns the program's name as it reports it; before its first start, that of its
// file.
func (p *pool) Name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

// maxName bounds the name of a program, in characters.
const maxName = 60

// fileName returns the name of a program's file, as far as its command line tells.
func fileName(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	return term.Short(strings.Trim(filepath.Base(words[0]), `"'`), maxName)
}

// Close ends the processes, and waits until they are gone. Nothing may be searched after
// that.
func (p *pool) Close() {
	p.stop()
	p.wg.Wait()
}

// Kill kills all processes at once, for the end of a process that may hang: it waits for no
// lock that a search holds.
func (p *pool) Kill() {
	for process := range p.processes.Range {
		process.(Process).Kill()
	}
}

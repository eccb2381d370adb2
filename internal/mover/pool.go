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

// noAnswer is the error of a search for which the program was not asked, or of which it gave
// no answer in time.
type noAnswer struct {
	reason event.Fallback
	text   string
}

func (e *noAnswer) Error() string { return e.text }

// The ways in which a search fails, besides those of [external.Engine.SearchAndReport].
var (
	ErrStarting   error = &noAnswer{event.FallbackStarting, "the program is still starting"}
	ErrNotRunning error = &noAnswer{event.FallbackNotRunning, "the process is not running"}
	ErrBusy       error = &noAnswer{event.FallbackBusy, "all processes play other games"}
	ErrLate       error = &noAnswer{event.FallbackLate, "the program did not answer in time"}
	// errShortOfTime means that the program is not asked.
	errShortOfTime error = &noAnswer{event.FallbackShortOfTime, "too little time is left to ask the program"}
)

// errNoPondering is why a search on the opponent's time is refused.
var errNoPondering = errors.New("no process is free to ponder")

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

// Pool keeps one process of a program running for each place of a game. A game has a place
// of its own from its first search to its end. No process is trusted: one that crashes,
// hangs, floods, is late or makes an illegal move is killed with all its children, and
// started again after growing pauses. [Pool.Search] returns in time whatever happens, with
// a legal move or an error; what to play then is up to the caller. A pool is safe for
// concurrent use.
type Pool struct {
	engine config.Engine // command, options, and what all processes share: at least one thread and 1 MiB each
	o      Options
	timing timing
	ctx    context.Context // of the processes
	stop   context.CancelFunc
	wg     sync.WaitGroup

	processes sync.Map // of Process: those that run, since before their handshake

	mu        sync.Mutex
	started   bool
	size      int // how many places there are, once those that are too many have lost their games
	places    []*place
	searching map[*process]context.CancelFunc // those that search; the function stops one that ponders
	name      string                          // of the program; before its first start, that of its file
	ready     bool                            // it has been ready once
	failure   error                           // why the program cannot be used; nil while it starts, and after that
	changed   chan struct{}                   // closed and replaced when ready or failure changes
}

// NewPool returns a pool of the program in the settings. It starts the processes when Start
// or Search is first called.
func NewPool(ctx context.Context, e config.Engine, places int, o Options) *Pool {
	return newPool(ctx, e, places, o, defaultTiming)
}

func newPool(ctx context.Context, e config.Engine, places int, o Options, t timing) *Pool {
	p := &Pool{
		engine: e, o: o, timing: t, size: max(places, 1), name: fileName(e.Command),
		searching: map[*process]context.CancelFunc{}, changed: make(chan struct{}),
	}
	p.ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	return p
}

// Start starts the processes without waiting for them.
func (p *Pool) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.started {
		p.started = true
		p.fit()
	}
}

// Resize changes the number of places. One that is too many is closed after its game.
func (p *Pool) Resize(places int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if places = max(places, 1); places == p.size {
		return
	}
	p.size = places
	p.fit()
	for _, s := range p.places { // those in games follow at their end
		p.prepare(s)
	}
}

// fit opens and closes places until there are as many as there should be. The caller holds
// p.mu.
func (p *Pool) fit() {
	if !p.started {
		return
	}
	surplus := len(p.places) - p.size
	p.places = slices.DeleteFunc(p.places, func(s *place) bool {
		if surplus <= 0 || s.game != "" {
			return false
		}
		surplus--
		s.close()
		return true
	})
	for len(p.places) < p.size {
		ctx, stop := context.WithCancel(p.ctx)
		s := &place{pool: p, close: stop}
		p.places = append(p.places, s)
		p.wg.Go(func() {
			defer stop()
			s.supervise(ctx)
		})
	}
}

// EndGame frees the place of a game, and prepares its process for another one.
func (p *Pool) EndGame(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.places, func(s *place) bool { return s.game == id })
	if i < 0 || id == "" {
		return
	}
	s := p.places[i]
	s.game = ""
	p.fit()
	p.prepare(s)
}

// prepare prepares the process of a free place for another game, in the background: tables
// take a while to be cleared. The caller holds p.mu.
func (p *Pool) prepare(s *place) {
	c := s.process
	if c == nil || s.game != "" || !slices.Contains(p.places, s) || p.ctx.Err() != nil {
		return
	}
	p.wg.Go(func() {
		select {
		case c.busy <- struct{}{}: // once it has stopped pondering
		case <-c.engine.Done():
			return
		}
		p.mu.Lock()
		taken := s.game != "" // by a game that prepares it
		p.mu.Unlock()
		var err error
		if !taken {
			err = c.setUp(p.ctx, "", 0)
		}
		c.release(err)
	})
}

// assign returns the process of a game, which gets a free place if it has none.
func (p *Pool) assign(game string) (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var own, free *place
	down := false
	for _, s := range p.places {
		switch {
		case s.game != "" && s.game == game:
			own = s
		case s.game == "" && s.process != nil:
			free = s
		case s.game == "":
			down = true
		}
	}
	if own == nil && free != nil {
		own = free
		own.game = game
	}
	switch {
	case own != nil && own.process != nil:
		return own.process, nil
	case own == nil && !down:
		return nil, ErrBusy
	case !p.ready && p.failure == nil:
		return nil, ErrStarting
	}
	return nil, ErrNotRunning
}

// AwaitReady waits until a process has been ready once. It fails if the program cannot be
// used: no process can be started, or each ends at once, does not know crazyhouse or lacks
// one of the options. One that does not answer may still be starting. Failed starts are
// repeated, so a later call may succeed.
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

// notify wakes AwaitReady. The caller holds p.mu.
func (p *Pool) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
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

// Close ends the processes, and waits until they are gone. Nothing may be searched after
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

// failed records why the process of a place could not be started or has ended, and returns
// how grave that is: before the program's first start, nothing can be searched with it, and
// one message is enough.
func (p *Pool) failed(s *place, err error) zerolog.Level {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready {
		return zerolog.WarnLevel
	}
	p.failure, s.unusable = nil, !errors.Is(err, external.ErrTimeout)
	if !slices.ContainsFunc(p.places, func(s *place) bool { return !s.unusable }) {
		p.failure = fmt.Errorf("engine.command: %w", err)
	}
	p.notify()
	if s != p.places[0] {
		return zerolog.DebugLevel
	}
	return zerolog.ErrorLevel
}

// threadsEach returns the threads of a process. The caller holds p.mu.
func (p *Pool) threadsEach() int { return max(p.engine.Threads/p.size, 1) }

// shares returns the options that divide threads and memory among the processes, without
// those that the settings set.
func (p *Pool) shares() (list []external.Option) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range []external.Option{
		{Name: "Threads", Value: fmt.Sprint(p.threadsEach())},
		{Name: "Hash", Value: fmt.Sprint(max(p.engine.HashMB/p.size, 1))},
	} {
		if !slices.ContainsFunc(p.engine.Options, func(set config.Option) bool { return strings.EqualFold(set.Name, o.Name) }) {
			list = append(list, o)
		}
	}
	return list
}

// beginSearch reports whether a process may search. While there are as many searches as
// threads, none may ponder, and a move gets the threads of a process that does.
func (p *Pool) beginSearch(c *process, ponder bool, stop context.CancelFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	full := len(p.searching) >= max(p.engine.Threads/p.threadsEach(), 1)
	if ponder {
		if !full {
			p.searching[c] = stop
		}
		return !full
	}
	for other, stop := range p.searching {
		if full && stop != nil {
			stop()
			p.searching[other] = nil
			break
		}
	}
	p.searching[c] = nil
	return true
}

// endSearch ends what beginSearch has begun.
func (p *Pool) endSearch(c *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.searching, c)
}

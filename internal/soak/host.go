package soak

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// disk is the folder of records, on which writes can be made to hang or to fail.
type disk struct {
	dir  string
	mu   sync.Mutex // guards full
	full bool

	blocked sync.RWMutex // held while no write gets through
}

// attach puts the records of a bot on the disk.
func (d *disk) attach(o *bot.Options) {
	if archive, ok := o.Archive.(*record.Archive); ok {
		archive.SetSync(d.sync)
	}
	if o.State != nil {
		o.State.SetSync(d.sync)
	}
}

func (d *disk) sync(f *os.File) error {
	d.blocked.RLock()
	defer d.blocked.RUnlock()
	return f.Sync()
}

// block makes every write hang for a time.
func (d *disk) block(t time.Duration) {
	if d.blocked.TryLock() {
		time.AfterFunc(t, d.blocked.Unlock)
	}
}

// fill makes every write fail for a time: a file takes the place of the folder.
func (d *disk) fill(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full || os.Rename(d.dir, d.dir+".aside") != nil {
		return
	}
	d.full = true
	_ = os.WriteFile(d.dir, nil, 0o600) // or the bot would make the folder again
	time.AfterFunc(t, d.restore)
}

// restore gives the folder back.
func (d *disk) restore() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		_ = os.RemoveAll(d.dir) // losing what was written during the fault is part of it
		_ = os.Rename(d.dir+".aside", d.dir)
		d.full = false
	}
}

// panickingEngine is the real engine, some of whose searches panic.
type panickingEngine struct {
	game.Engine
	due atomic.Int64 // searches that will
}

// panicDepth is where in a search the panic comes: there is a best move by then.
// Every other panic comes before the search begins.
const panicDepth = 3

func (e *panickingEngine) Search(
	ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info),
) (game.SearchResult, error) {
	due := e.due.Load()
	if l.Plain || due <= 0 || !e.due.CompareAndSwap(due, due-1) {
		return e.Engine.Search(ctx, g, l, report)
	}
	if due%2 == 0 {
		panic("soak: before a search")
	}
	return e.Engine.Search(ctx, g, l, func(i engine.Info) {
		if i.Depth >= panicDepth {
			panic("soak: in a search")
		}
		if report != nil {
			report(i)
		}
	})
}

// programs are the running processes of the engine program, which can be made to fail. It
// is safe for concurrent use.
type programs struct {
	mu      sync.Mutex
	running []*faultyProgram
}

// start starts a process; see [mover.Options].
func (p *programs) start(c external.Command) (mover.Process, error) {
	process, err := c.Start()
	if err != nil {
		return nil, err
	}
	f := &faultyProgram{Process: process}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, f)
	return f, nil
}

// pick draws a running process, nil if there is none.
func (p *programs) pick(rng *rand.Rand) *faultyProgram {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, (*faultyProgram).hasExited)
	if len(p.running) == 0 {
		return nil
	}
	return p.running[rng.IntN(len(p.running))]
}

// harm returns a function that does something to a process, if there is one.
func (s *soak) harm(do func(*faultyProgram, *rand.Rand)) func(*lichesstest.Injection) {
	return func(i *lichesstest.Injection) {
		if f := s.programs.pick(i.Rand); f != nil {
			do(f, i.Rand)
		}
	}
}

// faultyProgram is a process whose output can be corrupted.
type faultyProgram struct {
	*external.Process
	corruption atomic.Pointer[corruption] // nil for none yet
}

// corruption changes output until a time.
type corruption struct {
	until  time.Time
	flood  string         // endless output instead; "" for none
	change func(b []byte) // in place
}

func (f *faultyProgram) hasExited() bool {
	select {
	case <-f.Done():
		return true
	default:
		return false
	}
}

// Read reads the program's output, corrupted.
func (f *faultyProgram) Read(b []byte) (int, error) {
	c := f.corruption.Load()
	if c != nil && c.flood != "" && time.Now().Before(c.until) && !f.hasExited() {
		return copy(b, strings.Repeat(c.flood, 1+len(b)/len(c.flood))), nil
	}
	n, err := f.Process.Read(b)
	c = f.corruption.Load() // it may have begun while there was no output
	if c != nil && c.change != nil && time.Now().Before(c.until) {
		c.change(b[:n])
	}
	return n, err
}

func kill(f *faultyProgram, _ *rand.Rand) { f.Kill() }

// longestFreeze is how long a process may be frozen or corrupted before it recovers; the
// bot gives up on it earlier or later.
const longestFreeze = 4 * time.Second

// freeze stops the process. Half of them continue after a while.
func freeze(f *faultyProgram, rng *rand.Rand) {
	suspend(f.Pid())
	if rng.IntN(2) == 0 {
		time.AfterFunc(time.Duration(rng.Int64N(int64(longestFreeze))), func() {
			if !f.hasExited() {
				resume(f.Pid())
			}
		})
	}
}

// corrupt has the process write garbage, illegal moves, nothing, or without end.
func corrupt(f *faultyProgram, rng *rand.Rand) {
	garbage := rand.New(rand.NewPCG(rng.Uint64(), 0)) //nolint:gosec // chance, not secrets
	c := []corruption{
		{change: func(b []byte) {
			for i := range b {
				if garbage.IntN(4) == 0 {
					b[i] = byte(garbage.IntN(256))
				}
			}
		}},
		{change: makeMoveIllegal},
		{change: func(b []byte) { copy(b, bytes.Repeat([]byte("\n"), len(b))) }},
		{flood: "info string nothing to say\n"},
		{flood: "info pv e2e4 e7e5 "},
		{flood: "info depth 1 score cp 5 pv e2e4 e7e5\nbestmove 0000\n"},
	}[rng.IntN(6)]
	c.until = time.Now().Add(time.Duration(rng.Int64N(int64(longestFreeze))))
	f.corruption.Store(&c)
}

// makeMoveIllegal replaces a move that the program makes.
func makeMoveIllegal(b []byte) {
	_, move, _ := bytes.Cut(b, []byte("bestmove "))
	copy(move, "a1a1")
}

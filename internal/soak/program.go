package soak

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

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

// faultyProgram is a process whose output can be corrupted.
type faultyProgram struct {
	*external.Process
	fault atomic.Pointer[outputFault] // nil for none
}

// outputFault changes output until a time, zero for as long as the process runs.
type outputFault struct {
	until  time.Time
	change func(b []byte) (done bool) // in place
	flood  []byte                     // endless output instead
}

func (f *faultyProgram) hasExited() bool {
	select {
	case <-f.Done():
		return true
	default:
		return false
	}
}

// Read reads the program's output as changed by the fault.
func (f *faultyProgram) Read(b []byte) (int, error) {
	if fault := f.fault.Load(); fault != nil && fault.flood != nil {
		if f.hasExited() {
			return 0, io.EOF
		}
		n := 0
		for n < len(b) {
			n += copy(b[n:], fault.flood)
		}
		return n, nil
	}
	n, err := f.Process.Read(b)
	if fault := f.fault.Load(); fault != nil && fault.change != nil {
		if over := !fault.until.IsZero() && time.Now().After(fault.until); over || fault.change(b[:n]) {
			f.fault.Store(nil)
		}
	}
	return n, err
}

// longestFreeze is how long a frozen or silent process may stay so before it recovers; the
// bot gives up on it earlier or later.
const longestFreeze = 4 * time.Second

// harm returns a function that does something to a process, if there is one.
func (k *soak) harm(do func(*faultyProgram, *rand.Rand)) func(*lichesstest.Injection) {
	return func(i *lichesstest.Injection) {
		if f := k.programs.pick(i.Rand); f != nil {
			do(f, i.Rand)
		}
	}
}

func (f *faultyProgram) kill(*rand.Rand) { f.Kill() }

// freeze stops the process. Half of them continue after a while.
func (f *faultyProgram) freeze(rng *rand.Rand) {
	suspend(f.Pid())
	if rng.IntN(2) == 0 {
		time.AfterFunc(time.Duration(rng.Int64N(int64(longestFreeze))), func() {
			if !f.hasExited() {
				resume(f.Pid())
			}
		})
	}
}

// corrupt has the process write garbage, an illegal move, nothing, or without end.
func (f *faultyProgram) corrupt(rng *rand.Rand) {
	until := time.Now().Add(time.Duration(rng.Int64N(int64(longestFreeze))))
	garbage := rand.New(rand.NewPCG(rng.Uint64(), 0)) //nolint:gosec // chance, not secrets
	f.fault.Store([]*outputFault{
		{until: until, change: func(b []byte) bool { return garble(b, garbage) }},
		{change: makeMoveIllegal},
		{until: until, change: silence},
		{flood: []byte("info string nothing to say\n")},
		{flood: []byte("info pv e2e4 e7e5 ")},
		{flood: []byte("info depth 1 score cp 5 pv e2e4 e7e5\nbestmove 0000\n")},
	}[rng.IntN(6)])
}

// garble changes some of the bytes.
func garble(b []byte, rng *rand.Rand) bool {
	for i := range b {
		if rng.IntN(4) == 0 {
			b[i] = byte(rng.IntN(256))
		}
	}
	return false
}

// makeMoveIllegal replaces a move that the program makes, and reports whether there is one.
func makeMoveIllegal(b []byte) (done bool) {
	_, move, found := bytes.Cut(b, []byte("bestmove "))
	if found {
		copy(move, "a1a1")
	}
	return found
}

// silence makes lines empty.
func silence(b []byte) bool {
	for i := range b {
		b[i] = '\n'
	}
	return false
}

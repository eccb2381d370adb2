package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// maxBusy is the longest that the handling of an event, or the end of a canceled
// search, may take. Both take milliseconds.
const maxBusy = time.Minute

// liveness tracks what must make progress: loops that answer pings, and tasks that
// must end soon.
type liveness struct {
	mu    sync.Mutex
	loops map[*loop]bool
	tasks map[*task]bool
}

// loop is a goroutine that handles events.
type loop struct {
	name string
	ping chan struct{} // received by the loop
	done chan struct{} // closed at its end
}

// task is work in progress that must end soon.
type task struct {
	name  string
	since time.Time
	done  bool
}

func newLiveness() *liveness {
	return &liveness{loops: map[*loop]bool{}, tasks: map[*task]bool{}}
}

// register registers a loop, until unregister is called.
func (l *liveness) register(name string) (ping <-chan struct{}, unregister func()) {
	one := &loop{name, make(chan struct{}), make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loops[one] = true
	return one.ping, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.loops, one)
		close(one.done)
	}
}

// beginTask registers a task, until end is called.
func (l *liveness) beginTask(name string) (end func()) {
	one := &task{name: name}
	l.start(one)
	return func() { l.end(one) }
}

// beginTaskAfter registers a task that must end soon after a context.
func (l *liveness) beginTaskAfter(ctx context.Context, name string) (end func()) {
	one := &task{name: name}
	stop := context.AfterFunc(ctx, func() { l.start(one) })
	return func() {
		stop()
		l.end(one)
	}
}

func (l *liveness) start(one *task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.since = time.Now(); !one.done {
		l.tasks[one] = true
	}
}

func (l *liveness) end(one *task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.done = true
	delete(l.tasks, one)
}

// overdue returns an error for a task that has taken too long, if there is one.
func (l *liveness) overdue(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.tasks {
		if took := now.Sub(t.since); took > maxBusy {
			return fmt.Errorf("%s has been running for %s", t.name, took.Round(time.Second))
		}
	}
	return nil
}

func (l *liveness) snapshot() (loops []*loop) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for one := range l.loops {
		loops = append(loops, one)
	}
	return loops
}

// CheckLiveness returns an error if a part of the bot hangs: a game that does not
// answer, a lock that is not released, an event that is not handled, a search that
// does not end. It does not depend on Lichess. The context bounds the wait for
// answers.
func (b *Bot) CheckLiveness(ctx context.Context) error {
	for _, one := range b.liveness.snapshot() {
		select {
		case one.ping <- struct{}{}:
		case <-one.done:
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer", one.name)
		}
	}
	locks := make(chan struct{})
	go func() { // leaks if a lock is held
		defer close(locks)
		b.slots.Use()
		b.queue.HumanWaits()
		b.memory.Tally("")
		b.me()
	}()
	select {
	case <-locks:
		return b.liveness.overdue(time.Now())
	case <-ctx.Done():
		return errors.New("a lock is not released")
	}
}

package event

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// maxBusy is the longest that the handling of an event, or the end of a cancelled
// search, may take. Both take milliseconds.
const maxBusy = time.Minute

// Liveness detects whether a part of the program hangs. It tracks what must make
// progress: loops that answer pings, and tasks that
// must end soon. It is safe for concurrent use.
type Liveness struct {
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

// NewLiveness returns a tracker that tracks nothing yet.
func NewLiveness() *Liveness {
	return &Liveness{loops: map[*loop]bool{}, tasks: map[*task]bool{}}
}

// Register registers a loop, until unregister is called.
func (l *Liveness) Register(name string) (ping <-chan struct{}, unregister func()) {
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

// BeginTask registers a task, until end is called.
func (l *Liveness) BeginTask(name string) (end func()) {
	one := &task{name: name}
	l.start(one)
	return func() { l.end(one) }
}

// BeginTaskAfter registers a task that must end soon after a context.
func (l *Liveness) BeginTaskAfter(ctx context.Context, name string) (end func()) {
	one := &task{name: name}
	stop := context.AfterFunc(ctx, func() { l.start(one) })
	return func() {
		stop()
		l.end(one)
	}
}

func (l *Liveness) start(one *task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.since = time.Now(); !one.done {
		l.tasks[one] = true
	}
}

func (l *Liveness) end(one *task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.done = true
	delete(l.tasks, one)
}

// Len returns how many loops and tasks are tracked.
func (l *Liveness) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.loops) + len(l.tasks)
}

// overdue returns an error for a task that has taken too long, if there is one.
func (l *Liveness) overdue(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.tasks {
		if took := now.Sub(t.since); took > maxBusy {
			return fmt.Errorf("%s has been running for %s", t.name, took.Round(time.Second))
		}
	}
	return nil
}

// Check returns an error if something hangs: a loop that does not answer, a task that
// does not end, or a function that takes the locks and does not return. The context
// bounds the wait for answers.
func (l *Liveness) Check(ctx context.Context, lock func()) error {
	l.mu.Lock()
	loops := slices.Collect(maps.Keys(l.loops))
	l.mu.Unlock()
	for _, one := range loops {
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
		lock()
	}()
	select {
	case <-locks:
		return l.overdue(time.Now())
	case <-ctx.Done():
		return errors.New("a lock is not released")
	}
}

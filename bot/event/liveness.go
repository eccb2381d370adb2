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

// Liveness detects whether a part of the program hangs. It tracks what must make progress:
// loops that answer pings, and tasks that must end soon. It is safe for concurrent use.
type Liveness struct {
	mu      sync.Mutex
	tracked map[*tracked]bool
}

// tracked is a loop, which handles events, or a task.
type tracked struct {
	name  string
	since time.Time     // when it began
	ping  chan struct{} // received by the loop; nil for a task
	ended chan struct{} // closed at the end
}

// NewLiveness returns a tracker that tracks nothing yet.
func NewLiveness() *Liveness { return &Liveness{tracked: map[*tracked]bool{}} }

// Register registers a loop, until unregister is called.
func (l *Liveness) Register(name string) (ping <-chan struct{}, unregister func()) {
	one := &tracked{name: name, ping: make(chan struct{}), ended: make(chan struct{})}
	l.begin(one)
	return one.ping, func() { l.end(one) }
}

// BeginTask registers a task, until end is called.
func (l *Liveness) BeginTask(name string) (end func()) {
	one := &tracked{name: name, ended: make(chan struct{})}
	l.begin(one)
	return func() { l.end(one) }
}

// BeginTaskAfter registers a task that must end soon after a context.
func (l *Liveness) BeginTaskAfter(ctx context.Context, name string) (end func()) {
	one := &tracked{name: name, ended: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { l.begin(one) })
	return func() {
		stop()
		l.end(one)
	}
}

func (l *Liveness) begin(one *tracked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-one.ended:
	default:
		one.since = time.Now()
		l.tracked[one] = true
	}
}

func (l *Liveness) end(one *tracked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(one.ended)
	delete(l.tracked, one)
}

// Len returns how many loops and tasks are tracked.
func (l *Liveness) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.tracked)
}

// check returns an error if a task has taken too long, or if a loop does not answer.
func (t *tracked) check(ctx context.Context) error {
	if t.ping == nil {
		if took := time.Since(t.since); took > maxBusy {
			return fmt.Errorf("%s has been running for %s", t.name, took.Round(time.Second))
		}
		return nil
	}
	select {
	case t.ping <- struct{}{}:
	case <-t.ended:
	case <-ctx.Done():
		return fmt.Errorf("%s does not answer", t.name)
	}
	return nil
}

// Check returns an error if something hangs: a loop that does not answer, a task that
// does not end, or a function that takes the locks and does not return. The context
// bounds the wait for answers.
func (l *Liveness) Check(ctx context.Context, lock func()) error {
	l.mu.Lock()
	all := slices.Collect(maps.Keys(l.tracked))
	l.mu.Unlock()
	for _, one := range all {
		if err := one.check(ctx); err != nil {
			return err
		}
	}
	locks := make(chan struct{})
	go func() { // leaks if a lock is held
		defer close(locks)
		lock()
	}()
	select {
	case <-locks:
		return nil
	case <-ctx.Done():
		return errors.New("a lock is not released")
	}
}

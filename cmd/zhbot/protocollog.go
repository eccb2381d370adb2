package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// protocolLog writes what engine programs read and write, each line with the time and the
// engine. It is safe for concurrent use.
type protocolLog struct {
	out io.Writer

	mu      sync.Mutex
	started map[string]int // by name
	err     error          // the first
}

// start returns what logs a line of an engine that is started: one of a name may run for
// each of the games at once, or again after a crash.
func (l *protocolLog) start(name string) func(line string, sent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.started == nil {
		l.started = map[string]int{}
	}
	l.started[name]++
	number := l.started[name]
	return func(line string, sent bool) {
		direction := '<'
		if sent {
			direction = '>'
		}
		at := time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.err == nil {
			_, l.err = fmt.Fprintf(l.out, "%s %s#%d %c %s\n", at, name, number, direction, line)
		}
	}
}

// Package logtest keeps logs for tests that read them.
package logtest

import (
	"strings"
	"sync"
)

// Log is a log that a test can read while it is written. The zero value is empty.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns what has been logged so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Count returns how often a text has been logged.
func (l *Log) Count(text string) int { return strings.Count(l.String(), text) }

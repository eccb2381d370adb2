// Package disktest has a disk that blocks, for tests of code that writes to disk.
package disktest

import (
	"os"
	"testing"
	"time"
)

// Disk is a disk on which every sync blocks until Unblocked is closed.
type Disk struct {
	Attempts  chan struct{} // receives at each sync; it has room for 100
	Unblocked chan struct{}
}

// Block returns a blocked disk.
func Block() *Disk { return &Disk{make(chan struct{}, 100), make(chan struct{})} }

// Sync syncs a file once the disk is unblocked.
func (d *Disk) Sync(f *os.File) error {
	d.Attempts <- struct{}{}
	<-d.Unblocked
	return f.Sync()
}

// ReturnsPromptly fails the test if f waits for the blocked disk.
func ReturnsPromptly(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s waits for the disk", what)
	}
}

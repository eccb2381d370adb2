package record

import (
	"os"
	"testing"
	"time"
)

// blockedDisk is a disk on which every sync blocks until Unblocked is closed.
type blockedDisk struct {
	Attempts  chan struct{} // receives at each sync; it has room for 100
	Unblocked chan struct{}
}

// blockDisk returns a blocked disk.
func blockDisk() *blockedDisk { return &blockedDisk{make(chan struct{}, 100), make(chan struct{})} }

// Sync syncs a file once the disk is unblocked.
func (d *blockedDisk) Sync(f *os.File) error {
	d.Attempts <- struct{}{}
	<-d.Unblocked
	return f.Sync()
}

// returnsPromptly fails the test if f waits for the blocked disk.
func returnsPromptly(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s waits for the disk", what)
	}
}

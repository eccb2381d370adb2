package record

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// blockedDisk blocks every sync until it is unblocked.
type blockedDisk struct {
	attempted chan struct{} // receives at each attempt
	unblocked chan struct{} // closed when it works again
	count     atomic.Int32
}

func newBlockedDisk() *blockedDisk {
	return &blockedDisk{attempted: make(chan struct{}, 100), unblocked: make(chan struct{})}
}

func (d *blockedDisk) sync(f *os.File) error {
	d.count.Add(1)
	d.attempted <- struct{}{}
	<-d.unblocked
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

// Other games begin and continue while a finished game waits for the disk.
func TestArchive_BlockedDisk(t *testing.T) {
	dir := t.TempDir()
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	disk := newBlockedDisk()
	a.SetSync(disk.sync)
	saved := make(chan error, 2)
	go func() { saved <- a.Save(sample(t, "first000", august)) }()
	<-disk.attempted
	go func() { saved <- a.Save(sample(t, "second00", august)) }()
	running := sample(t, "third000", august)
	returnsPromptly(t, "a running game", func() {
		j, err := a.Journal(running.ID)
		if err != nil {
			t.Error(err)
			return
		}
		begun := *running
		begun.Game = rules.NewGame(rules.StartPosition())
		for _, err := range []error{j.Begin(&begun), j.Update(running.Game, running.Notes), j.SetTakebacks(1)} {
			if err != nil {
				t.Error(err)
			}
		}
		if left := a.Unfinished(); len(left) != 0 {
			t.Errorf("unfinished: %v", left)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	close(disk.unblocked)
	for range 2 {
		if err := <-saved; err != nil {
			t.Error(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "2026-08.pgn"))
	if n := strings.Count(string(text), "[GameId"); err != nil || n != 2 {
		t.Errorf("%d games archived, %v", n, err)
	}
}

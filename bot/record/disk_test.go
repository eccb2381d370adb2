package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Other games begin and continue while a finished game waits for the disk.
func TestArchive_BlockedDisk(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	disk := blockDisk()
	a.SetSync(disk.Sync)
	saved := make(chan error, 2)
	go func() { saved <- a.Save(sample(t, "first000", august)) }()
	<-disk.Attempts
	go func() { saved <- a.Save(sample(t, "second00", august)) }()
	running := sample(t, "third000", august)
	returnsPromptly(t, "a running game", func() {
		a.Track(&Live{Game: running})
		if a.Live(running.ID) == nil || !slices.Equal(a.Unfinished(), []string{running.ID}) {
			t.Errorf("in progress: %v", a.Unfinished())
		}
	})
	close(disk.Unblocked)
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

package fileowner

import (
	"os"
	"runtime"
	"testing"
)

func TestIs(t *testing.T) {
	info, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !Is(info, os.Getuid()) {
		t.Error("a new folder is not ours")
	}
	if got, want := Is(info, os.Getuid()+1), runtime.GOOS == "windows"; got != want {
		t.Errorf("another's: %t, want %t", got, want)
	}
}

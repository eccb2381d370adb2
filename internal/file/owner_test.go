package file

import (
	"os"
	"runtime"
	"testing"
)

func TestIsOwnedBy(t *testing.T) {
	info, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !IsOwnedBy(info, os.Getuid()) {
		t.Error("a new folder is not ours")
	}
	if got, want := IsOwnedBy(info, os.Getuid()+1), runtime.GOOS == "windows"; got != want {
		t.Errorf("another's: %t, want %t", got, want)
	}
}

package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config")
	fixture.Write(t, path, "1234")
	if text, err := ReadRegular(path, 4); err != nil || string(text) != "1234" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := ReadRegular(path, 3); !errors.Is(err, ErrNotRegular) ||
		!strings.Contains(err.Error(), "config: not a regular file of at most 3 bytes") {
		t.Errorf("a file that is too long: %v", err)
	}
	const growing = "/proc/self/status" // on Linux: its size is said to be 0
	if _, err := os.Stat(growing); err == nil {
		if _, err := ReadRegular(growing, 3); !errors.Is(err, ErrNotRegular) {
			t.Errorf("a file that is longer than its size: %v", err)
		}
	}
	if _, err := ReadRegular(filepath.Join(dir, "none"), 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, other := range []string{dir, os.DevNull} {
		if _, err := ReadRegular(other, 4); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

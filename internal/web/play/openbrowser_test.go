//go:build !windows && !darwin

package play

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The browser gets the URL, and nothing of what only this program may know. On Windows and
// macOS the opener is a part of the system.
func TestOpenBrowser(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\n{ echo \"$@\"; env; } >" + filepath.Join(dir, "part") + "\nmv " + filepath.Join(dir,
		"part") + " " + filepath.Join(dir, "opened") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":0")
	t.Setenv("ZHBOT_LICHESS_TOKEN", "lip_verysecret")
	t.Setenv("Zhbot_Web_Password", "lip_verysecret")
	if err := OpenBrowser(t.Context(), "http://127.0.0.1:8081"); err != nil {
		t.Fatal(err)
	}
	var opened []byte
	for deadline := time.Now().Add(time.Minute); len(opened) == 0 &&
		time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		opened, _ = os.ReadFile(filepath.Join(dir, "opened"))
	}
	text := string(opened)
	if !strings.HasPrefix(text, "http://127.0.0.1:8081\n") || !strings.Contains(text, "DISPLAY=:0") {
		t.Errorf("opened with %q", text)
	}
	if strings.Contains(text, "verysecret") {
		t.Error("the browser has the token")
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if err := OpenBrowser(t.Context(), "http://127.0.0.1:8081"); err == nil {
		t.Error("a browser opens without a screen")
	}
}

func TestOpener(t *testing.T) {
	for _, tt := range []struct {
		system, display string
		want            string
	}{
		{"linux", ":0", "[xdg-open]"}, {"linux", "", "[]"}, {"freebsd", ":0", "[xdg-open]"}, {"darwin", "", "[open]"},
		{"windows", "", "[rundll32 url.dll,FileProtocolHandler]"},
	} {
		got := fmt.Sprint(opener(tt.system, func(name string) string {
			if name == "DISPLAY" {
				return tt.display
			}
			return ""
		}))
		if got != tt.want {
			t.Errorf("%s, display %q: %s, want %s", tt.system, tt.display, got, tt.want)
		}
	}
}

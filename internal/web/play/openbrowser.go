package play

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// OpenBrowser opens a URL in the person's browser, without waiting for it. An error means
// that there is no browser, or no screen.
func OpenBrowser(ctx context.Context, url string) error {
	command := opener(runtime.GOOS, os.Getenv)
	if command == nil {
		return errors.New("no browser to open")
	}
	// The opener may be a browser: it outlives this program.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], append(command[1:], url)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), isSetting)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// isSetting reports whether a variable of the environment is a setting of zhbot: some are
// secret. On Windows the case of a name does not matter.
func isSetting(variable string) bool { return strings.HasPrefix(strings.ToUpper(variable), "ZHBOT_") }

// opener returns the command of a system that opens a URL, nil without a screen.
func opener(system string, env func(string) string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}

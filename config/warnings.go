package config

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// Warnings returns what can be, but is likely a mistake: variables of the
// environment that no setting has, files with secrets that others can read, a
// page that others can reach, and settings that defeat others.
func (s Source) Warnings(c *Config, environ []string) []string {
	warnings := unknownEnvVars(environ)
	if readableByOthers(c.Lichess.TokenFile) {
		warnings = append(warnings, permissionWarning("lichess.token_file", c.Lichess.TokenFile))
	}
	if c.Lichess.Token != "" && s.setInFile("lichess.token") && readableByOthers(s.File) {
		warnings = append(warnings, permissionWarning("lichess.token", s.File))
	}
	if readableByOthers(c.Explorer.TokenFile) {
		warnings = append(warnings, permissionWarning("explorer.token_file", c.Explorer.TokenFile))
	}
	if c.Explorer.Token != "" && s.setInFile("explorer.token") && readableByOthers(s.File) {
		warnings = append(warnings, permissionWarning("explorer.token", s.File))
	}
	if c.Web.Password != "" && s.setInFile("web.password") && readableByOthers(s.File) {
		warnings = append(warnings, permissionWarning("web.password", s.File))
	}
	if c.Web.Listen != "" && !c.Web.isLocal() && c.Web.Password == "" {
		warnings = append(warnings, fmt.Sprintf("web.listen: others can reach %s; without web.password, what we think of a running game is shown only when it is over", c.Web.Listen))
	}
	return append(warnings, c.conflictWarnings(s.Cores)...)
}

// conflictWarnings returns what settings, each of them possible, keep from happening.
func (c *Config) conflictWarnings(cores int) (warnings []string) {
	add := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if n := c.Engine.Threads; cores > 0 && n > cores {
		add("engine.threads: %d threads share %d cores, so moves may come late; want at most %d, or 0", n, cores, cores)
	}
	if c.Matchmaking.Enabled && c.Games.ReservedForHumans == c.Games.Max {
		add("matchmaking.enabled: games.reserved_for_humans leaves no game for bots, so none is challenged")
	}
	for _, t := range []struct {
		section string
		Terms
	}{{"challenges.humans", c.Challenges.Humans}, {"challenges.bots", c.Challenges.Bots}} {
		if t.Enabled && (len(t.Modes) == 0 || len(t.Speeds) == 0) {
			add("%s: without any of modes or speeds all are declined; enabled: false says the same", t.section)
		}
	}
	for _, text := range []struct{ key, of string }{{"chat.greeting", c.Chat.Greeting}, {"chat.goodbye", c.Chat.Goodbye}} {
		if n := utf8.RuneCountInString(text.of); n > maxChat {
			add("%s: %d characters, of which Lichess takes %d", text.key, n, maxChat)
		}
	}
	return warnings
}

// maxChat is how long a line of chat may be on Lichess.
const maxChat = 140

// isLocal reports whether only this machine can reach the page.
func (w *Web) isLocal() bool {
	host, _, err := net.SplitHostPort(w.Listen)
	return err == nil && loopback(strings.ToLower(host))
}

// setInFile reports whether the file, and nothing that wins over it, gives a key.
func (s Source) setInFile(key string) bool {
	if s.File == "" {
		return false
	}
	if s.Env == nil {
		return true
	}
	_, overridden := s.Env(EnvVar(key))
	return !overridden
}

func permissionWarning(key, path string) string {
	return fmt.Sprintf("%s: other users of this machine can read %s; chmod 600 keeps it yours", key, path)
}

// readableByOthers reports whether a file is there that more than its owner can
// read. Windows does not tell.
func readableByOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o044 != 0 && runtime.GOOS != "windows"
}

// unknownEnvVars names the variables that look like settings and are none. They
// are no error: whoever starts us may have variables of that name.
func unknownEnvVars(environ []string) []string {
	var known, stray []string
	for _, k := range allKeys() {
		known = append(known, strings.TrimPrefix(EnvVar(k.path), envPrefix))
	}
	for _, entry := range environ {
		variable, _, _ := strings.Cut(entry, "=")
		name, ours := strings.CutPrefix(variable, envPrefix)
		if !ours || slices.Contains(known, name) {
			continue
		}
		text := variable + " is no setting and has no effect"
		if n := nearest(name, known); n != "" {
			text += "; did you mean " + envPrefix + n + "?"
		}
		stray = append(stray, text)
	}
	return stray
}

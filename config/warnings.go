package config

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
)

// Warnings returns likely mistakes: unknown ZHBOT_ variables in the environment,
// secrets in files that others can read, a page that others can reach, and
// settings that disable others.
func (s Source) Warnings(c *Config, environ []string) []string {
	warnings := unknownEnvVars(environ)
	for _, setting := range c.settings() {
		path := ""
		switch {
		case strings.HasSuffix(setting.key, "_file"):
			path = setting.String()
		case isSecret(setting.Type()) && setting.Len() > 0 && !s.inEnv(setting):
			path = s.File
		}
		if readableByOthers(path) {
			warnings = append(warnings, fmt.Sprintf("%s: other users of this machine can read %s; run chmod 600",
				setting.key, path))
		}
	}
	host, ok := SplitAddress(c.Web.Listen)
	if ok && !lichess.IsLoopback(strings.ToLower(host)) && c.Web.Password == "" {
		warnings = append(warnings, fmt.Sprintf("web.listen: others can reach %s; without web.password, "+
			"they see all but the evaluations of games in progress", c.Web.Listen))
	}
	return append(warnings, c.conflictWarnings(s.Cores)...)
}

// conflictWarnings returns the effects of settings that are valid but defeat
// others.
func (c *Config) conflictWarnings(cores int) (warnings []string) {
	add := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if n := c.Engine.Threads; cores > 0 && n > cores {
		add("engine.threads: %d threads share %d cores, so moves may come late; want at most %d, or 0", n, cores, cores)
	}
	c.Engine.programWarnings(add)
	if c.Matchmaking.Enabled && c.Games.ReservedForHumans == c.Games.Max {
		add("matchmaking.enabled: games.reserved_for_humans leaves no game for bots, so no bot is challenged")
	}
	if len(c.Contenders) > 0 && c.Engine.Skill < human.MaxLevel {
		add("engine.skill: only casual games are played at level %d, "+
			"since contenders play rated games at full strength", c.Engine.Skill)
	}
	if len(c.Contenders) > 0 && c.Records.Dir == "" {
		add("contenders: without records.dir no games are kept, so the contenders cannot be compared")
	}
	return warnings
}

// readableByOthers reports whether a file exists that others than its owner can
// read. Windows has no such permission bits.
func readableByOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && isOpen(info, os.Geteuid())
}

// isOpen reports whether others than a user can read a file. A file of another owner
// is read through its group: that is how Kubernetes mounts secrets.
func isOpen(info fs.FileInfo, uid int) bool {
	mode := info.Mode().Perm()
	return mode&0o004 != 0 || mode&0o040 != 0 && file.IsOwnedBy(info, uid)
}

// unknownEnvVars warns of variables with our prefix that are not settings. They
// are not an error: they may belong to another program.
func unknownEnvVars(environ []string) []string {
	var known, stray []string
	for _, key := range Keys() {
		known = append(known, envVar(key))
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) {
			stray = append(stray, name+" is not a setting and has no effect"+DidYouMean(name, known))
		}
	}
	return stray
}

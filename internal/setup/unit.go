package setup

import (
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/deploy"
)

// systemUnit returns the unit of a system service, whose token systemd reads.
func systemUnit(program, settings, token string) string {
	return withDirectives(deploy.SystemUnit, map[string]string{
		"ExecStart":      execStart(program, settings),
		"LoadCredential": "token:" + escapeSpecifiers(token),
	})
}

// userUnit returns the unit of a user service. It runs in the folder of the settings.
func userUnit(program, settings string) string {
	return withDirectives(deploy.UserUnit, map[string]string{
		"ExecStart":        execStart(program, settings),
		"WorkingDirectory": escapeSpecifiers(filepath.Dir(settings)),
	})
}

// execStart is the command line that runs the bot. The program's path has no quotes and
// no dollar sign, which systemd does not allow there.
func execStart(program, settings string) string {
	return quoteArgument(program) + " run --config " + quoteArgument(settings)
}

// withDirectives returns a unit with other values of some directives. The comment at its
// top, on how to install it, is replaced by one on its origin.
func withDirectives(unit string, values map[string]string) string {
	_, body, _ := strings.Cut(unit, "[Unit]\n")
	var b strings.Builder
	b.WriteString("# Written by \"zhbot setup\", which overwrites it; put changes into a drop-in.\n[Unit]\n")
	for line := range strings.Lines(body) {
		name, _, _ := strings.Cut(line, "=")
		if value, other := values[name]; other {
			line = name + "=" + value + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// directives returns a unit without its comments and empty lines.
func directives(unit string) string {
	var b strings.Builder
	for line := range strings.Lines(unit) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// escapeSpecifiers escapes what systemd would expand in a path.
func escapeSpecifiers(path string) string { return strings.ReplaceAll(path, "%", "%%") }

// quoteArgument escapes an argument of a command line in a unit.
func quoteArgument(text string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(text)
	if escaped != text || strings.ContainsAny(text, " \t';") {
		return `"` + escaped + `"`
	}
	return text
}

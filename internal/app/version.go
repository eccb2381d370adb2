package app

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Release builds set these variables by the linker's option -X.
var release, commit string

// Version returns the release, or the version recorded by the Go toolchain.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); release == "" && ok {
		return cmp.Or(strings.TrimPrefix(info.Main.Version, "(devel)"), "devel")
	}
	return cmp.Or(release, "unknown")
}

// UserAgent returns how requests over HTTP name this program.
func UserAgent() string { return "zhbot/" + Version() }

// VersionLine returns name, number and, if the build recorded it, commit, such as "zhbot
// v1.2.3 0123456789ab (changed)".
func VersionLine() string {
	name, changed := "zhbot "+Version(), ""
	if commit != "" {
		return name + " " + commit
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return name
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			name += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " (changed)"
		}
	}
	return name + changed
}

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by the linker in release builds: -X main.release=v1.2.3.
var release string

// version returns the release, or what the Go toolchain knows of the build.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return "devel"
}

// revision returns the commit and whether the tree was changed, "" if the
// build does not know.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " (changed)"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changed
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit and the Go release",
		Example: "  zhbot version",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := "zhbot " + version()
			if r := revision(); r != "" {
				text += " " + r
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), text, runtime.Version())
			return err
		},
	}
}

package main

import (
	"embed"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/soak"
)

// helpTexts has a file for each command, named like its manual page: what it does in a
// line, the description, and examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

// addHelp gives a command its help.
func addHelp(cmd *cobra.Command) {
	text, _ := helpTexts.ReadFile(helpFile(cmd)) // a test reads them all
	about, examples, _ := strings.Cut(string(text), "\nExamples:\n")
	short, long, _ := strings.Cut(about, "\n")
	if strings.HasPrefix(cmd.CommandPath(), "zhbot ctl ") {
		long = short + ".\n" + long
	}
	if strings.Contains(long, "{") { // the lists take time
		long = strings.NewReplacer("{reloaded}", strings.Join(config.Reloaded(), ", "),
			"{faults}", soak.FaultHelp()).Replace(long)
	}
	cmd.Short, cmd.Long, cmd.Example = short, strings.TrimSpace(long), strings.TrimRight(examples, "\n")
}

func helpFile(cmd *cobra.Command) string {
	return "help/" + strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".txt"
}

func newManCommand() *cobra.Command {
	return command("man FOLDER", func(cmd *cobra.Command, args []string) error {
		root := cmd.Root()
		root.DisableAutoGenTag = true
		header := doc.GenManHeader{Section: "1", Source: "zhbot " + app.Version(), Manual: "zhbot"}
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		return doc.GenManTree(root, &header, args[0])
	})
}

func newVersionCommand() *cobra.Command {
	return command("version", func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
		return err
	})
}

func version() string { return app.VersionLine() + " " + runtime.Version() }

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/version"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the manual pages into a folder",
		Long:    "man writes a manual page for each command. Packages bring them along already.",
		Example: "  zhbot man ~/.local/share/man/man1",
		Args:    oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := doc.GenManHeader{Section: "1", Source: "zhbot " + version.Number(), Manual: "zhbot"}
			if err := doc.GenManTree(root, &header, args[0]); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// addCompletions teaches the shell what the flags of all commands take, beyond files.
func addCompletions(cmd *cobra.Command) {
	for name, complete := range map[string]cobra.CompletionFunc{"set": completeSetting, "from": completeUser, "player": completeUser} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // an error means that it has its own
		}
	}
	if cmd.Flags().Lookup("config") != nil {
		_ = cmd.MarkFlagFilename("config", "yaml", "yml")
	}
	for _, sub := range cmd.Commands() {
		addCompletions(sub)
	}
}

// completeSetting completes games.max=4: the key, then the default or, of a switch, both
// values.
func completeSetting(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	defaults := config.Default()
	var list []cobra.Completion
	if key, _, chosen := strings.Cut(typed, "="); chosen {
		switch value := config.Format(&defaults, key); value {
		case "true", "false":
			list = []cobra.Completion{key + "=true", key + "=false"}
		default:
			list = []cobra.Completion{key + "=" + strings.Trim(value, "[]")}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	for _, key := range config.Keys() {
		if strings.HasPrefix(key, typed) && config.CheckFlag(key) == nil {
			list = append(list, key+"=")
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeUser completes the name of a user by those in the latest records.
func completeUser(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, g := range recentGames(cmd) {
		for _, p := range []record.Player{g.White, g.Black} {
			if hasPrefixFold(p.Name, typed) && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeGame completes the id of a game by those in the latest records.
func completeGame(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	for _, g := range recentGames(cmd) {
		if strings.HasPrefix(g.ID, typed) {
			ids = append(ids, cobra.CompletionWithDesc(g.ID, fmt.Sprintf("%s against %s, %s", g.White.Name, g.Black.Name, g.Result)))
		}
	}
	return ids, cobra.ShellCompDirectiveKeepOrder
}

// recentGames returns the latest games of the bot that a command's flags are about,
// newest first; none if the settings are wrong.
func recentGames(cmd *cobra.Command) []record.Summary {
	var s settings
	s.file, _ = cmd.Flags().GetString("config") // a command without these flags uses the defaults
	s.set, _ = cmd.Flags().GetStringArray("set")
	c, err := s.load()
	if err != nil || c.Records.Dir == "" {
		return nil
	}
	games, _ := record.Recent(c.Records.Dir) // what cannot be read is not completed
	return games
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/term"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), app.VersionLine(), runtime.Version())
			return err
		},
	}
}

// addCompletions teaches the shell what arguments and flags of all commands take, beyond
// files: settings, users, games. A command's own completion goes first.
func addCompletions(cmd *cobra.Command) {
	flags := map[string]cobra.CompletionFunc{"set": completeSetting, "from": completeUser, "player": completeUser, "user": completeUser}
	for name, complete := range flags {
		if cmd.Flags().Lookup(name) != nil || cmd.PersistentFlags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // an error means that it has its own
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, fixed := f.Value.(interface{ Choices() []string }); fixed && v.Choices() != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.Choices(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
		}
	})
	if cmd.Flags().Lookup("config") != nil {
		_ = cmd.MarkFlagFilename("config", "yaml", "yml")
	}
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = completeArgument(strings.Fields(cmd.Use)[1:])
	}
	for _, sub := range cmd.Commands() {
		addCompletions(sub)
	}
}

// completeArgument completes the arguments that a command's usage names, nil for those of
// which the shell knows as much.
func completeArgument(names []string) cobra.CompletionFunc {
	known := map[string]cobra.CompletionFunc{"USER": completeUser, "GAME": completeRunningGame, "FILE|URL|ID": completeGame}
	for _, name := range names {
		if words := strings.Trim(name, "[]"); strings.Contains(words, "|") && words == strings.ToLower(words) { // such as on|off
			known[name] = cobra.FixedCompletions(strings.Split(words, "|"), cobra.ShellCompDirectiveNoFileComp)
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool { return known[name] != nil }) {
		return nil
	}
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) < len(names) && known[names[len(args)]] != nil {
			return known[names[len(args)]](cmd, args, typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
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

// completeGame completes the id of a game by those in the latest records; a file will do,
// too.
func completeGame(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	for _, g := range recentGames(cmd) {
		if strings.HasPrefix(g.ID, typed) {
			ids = append(ids, cobra.CompletionWithDesc(g.ID, fmt.Sprintf("%s against %s, %s", g.White.Name, g.Black.Name, g.Result)))
		}
	}
	return ids, cobra.ShellCompDirectiveKeepOrder
}

// completionTimeout is how long a shell waits for the running bot.
const completionTimeout = time.Second

// completeRunningGame completes the id of a game in progress, which the running bot knows.
func completeRunningGame(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	c, err := settingsOf(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	r, err := control.Send(ctx, c, control.Request{Command: "status"})
	if err != nil || r.Status == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []cobra.Completion
	for _, g := range r.Status.Games {
		if strings.HasPrefix(g.ID, typed) {
			ids = append(ids, cobra.CompletionWithDesc(g.ID, term.Printable("against "+g.Opponent.Name)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// settingsOf returns the settings that a command's flags name.
func settingsOf(cmd *cobra.Command) (*config.Config, error) {
	var s settings
	s.file, _ = cmd.Flags().GetString("config") // a command without these flags uses the defaults
	s.set, _ = cmd.Flags().GetStringArray("set")
	return s.load()
}

// recentGames returns the latest games of the bot that a command's flags are about,
// newest first; none if the settings are wrong.
func recentGames(cmd *cobra.Command) []*record.Summary {
	c, err := settingsOf(cmd)
	if err != nil || c.Records.Dir == "" {
		return nil
	}
	games, _ := record.Recent(cmd.Context(), c.Records.Dir) // what cannot be read is not completed
	return games
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

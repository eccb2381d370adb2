package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/term"
)

func newVersionCommand() *cobra.Command {
	return command("version", func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), app.VersionLine(), runtime.Version())
		return err
	})
}

// addCompletions teaches the shell what a command's arguments and flags take, beyond
// files: settings, users, games. A command's own completion goes first.
func addCompletions(cmd *cobra.Command) {
	flags := map[string]cobra.CompletionFunc{"set": completeSetting, "from": completeUser, "player": completeUser}
	for name, complete := range flags {
		f := cmp.Or(cmd.Flags().Lookup(name), cmd.PersistentFlags().Lookup(name))
		if f != nil && f.Annotations == nil { // no file
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // an error means that it has its own
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, fixed := f.Value.(interface{ Choices() []string }); fixed && v.Choices() != nil {
			complete := func(
				_ *cobra.Command, _ []string, typed string,
			) ([]cobra.Completion, cobra.ShellCompDirective) {
				return completeChoice("", typed, v.Choices()), cobra.ShellCompDirectiveNoFileComp
			}
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // the flag is there
		}
	})
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = completeArgument(strings.Fields(cmd.Use)[1:])
	}
}

// completeArgument completes the arguments that a command's usage names, nil for those of
// which the shell knows as much.
func completeArgument(names []string) cobra.CompletionFunc {
	known := map[string]cobra.CompletionFunc{"USER": completeUser, "GAME": completeRunningGame}
	for _, name := range names {
		words := strings.Trim(name, "[]")
		if strings.Contains(words, "|") && words == strings.ToLower(words) { // such as on|off
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

// completeChoice completes one of the choices, or a list of them, after a text.
func completeChoice(before, typed string, choices []string) (list []cobra.Completion) {
	end := strings.LastIndex(typed, ",") + 1
	for _, choice := range choices {
		if end == 0 || !slices.Contains(strings.Split(typed[:end], ","), choice) {
			list = append(list, before+typed[:end]+choice)
		}
	}
	return list
}

// completeSetting completes games.max=4: the key, then a value that it can have, or the
// default if there are too many.
func completeSetting(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if key, value, chosen := strings.Cut(typed, "="); chosen {
		choices := config.Choices(key)
		if defaults := config.Default(); choices == nil {
			choices = []string{strings.Trim(config.Format(&defaults, key), "[]")}
		}
		return completeChoice(key+"=", value, choices), cobra.ShellCompDirectiveNoFileComp
	}
	var list []cobra.Completion
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
			if strings.HasPrefix(strings.ToLower(p.Name), strings.ToLower(typed)) && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeRunningGame completes the id of a game in progress, which the running bot knows.
func completeRunningGame(cmd *cobra.Command, _ []string, typed string) (
	ids []cobra.Completion, _ cobra.ShellCompDirective,
) {
	c, err := settingsOf(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if status := control.AskStatus(cmd.Context(), c); status != nil {
		for _, g := range status.Games {
			if strings.HasPrefix(g.ID, typed) {
				ids = append(ids, cobra.CompletionWithDesc(g.ID, term.Printable("against "+g.Opponent.Name)))
			}
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

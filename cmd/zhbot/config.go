package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/term"
)

func newConfigCommand() *cobra.Command {
	var asJSON bool
	cmd := settingsCommand("config", func(cmd *cobra.Command, source config.Source) error {
		data, err := source.Read()
		if err != nil {
			return err
		}
		list, err := source.Effective(data)
		switch {
		case err != nil:
			return err
		case asJSON:
			return printJSON(cmd.OutOrStdout(), list)
		}
		return printSettings(cmd.OutOrStdout(), list)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(newConfigExampleCommand(), newRemovedCommand("import",
		errors.New("\"Coming from lichess-bot or BotLi\" in docs/install.md lists which settings of ours to write "+
			"instead")))
	return cmd
}

// printSettings prints settings for people.
func printSettings(out io.Writer, list []config.Effective) error {
	w := newTable(out, 0)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Key, e.Origin, cmp.Or(term.Printable(e.Text()), `""`))
	}
	return w.Flush()
}

func newConfigExampleCommand() *cobra.Command {
	return command("example", func(cmd *cobra.Command, _ []string) error {
		_, err := io.WriteString(cmd.OutOrStdout(), zhbot.Example)
		return err
	})
}

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/term"
)

func newConfigCommand() *cobra.Command {
	var s settings
	var asJSON bool
	cmd := &cobra.Command{
		Use: "config",
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, err := s.source()
			if err != nil {
				return err
			}
			list, err := effective(&source)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(cmd.OutOrStdout(), list)
			}
			return printSettings(cmd.OutOrStdout(), list)
		},
	}
	s.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(newConfigExampleCommand())
	return cmd
}

// effective returns the settings in force.
func effective(source *config.Source) ([]config.Effective, error) {
	data, err := source.Read()
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return source.Effective(data)
}

// printSettings prints settings for people.
func printSettings(out io.Writer, list []config.Effective) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		text := term.Printable(e.Text())
		if text == "" {
			text = `""`
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Key, e.Origin, text)
	}
	return w.Flush()
}

func newConfigExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "example",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), config.Example)
			return err
		},
	}
}

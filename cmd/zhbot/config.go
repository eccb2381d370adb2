package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/setup"
	"github.com/zhbot/zhbot/internal/term"
)

func newConfigCommand() *cobra.Command {
	var asJSON bool
	cmd := settingsCommand("config", func(cmd *cobra.Command, source config.Source) error {
		data, err := source.Read()
		if err != nil {
			return fmt.Errorf("config: %w", err)
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
	cmd.AddCommand(newConfigExampleCommand(), newConfigImportCommand())
	return cmd
}

// printSettings prints settings for people.
func printSettings(out io.Writer, list []config.Effective) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Key, e.Origin, cmp.Or(term.Printable(e.Text()), `""`))
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

func newConfigImportCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "import FILE",
		RunE: func(cmd *cobra.Command, args []string) error {
			source := config.Source{File: args[0]}
			data, err := source.Read()
			if err != nil {
				return fmt.Errorf("config import: %w", err)
			}
			converted, notes, err := setup.Import(args[0], data)
			if err != nil {
				return fmt.Errorf("config import: %w", err)
			}
			if output == "" {
				_, err = cmd.OutOrStdout().Write(converted)
			} else {
				err = createFile(output, converted)
			}
			if err != nil {
				return fmt.Errorf("config import: %w", err)
			}
			for _, note := range notes {
				fmt.Fprintln(cmd.ErrOrStderr(), term.Printable(note))
			}
			return nil
		},
	}
	fileFlag(cmd.Flags(), &output, "output", "", "new file for the settings (default standard output)", "yaml", "yml")
	return cmd
}

// createFile writes a new file, readable only by its owner.
func createFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists; name another file", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

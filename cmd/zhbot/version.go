package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/internal/version"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit and the Go release",
		Example: "  zhbot version",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version.Program(), runtime.Version())
			return err
		},
	}
}

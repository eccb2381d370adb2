package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
)

func newNetworkInspectCommand() *cobra.Command {
	return command("inspect [FILE]", func(cmd *cobra.Command, args []string) error {
		n, err := engine.OpenNetwork(strings.Join(args, "")) // at most one; without, the embedded network
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", n, n.Summary())
		return err
	})
}

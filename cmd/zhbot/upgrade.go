package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/internal/terminal"
	"github.com/zhbot/zhbot/internal/wiring"
)

func newUpgradeCommand() *cobra.Command {
	var s settings
	var yes bool
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Turn a fresh account into a BOT account",
		Long: "upgrade turns the token's account into a BOT account. That cannot be undone, and the\n" +
			"account must never have played a game.",
		Example: "  zhbot upgrade\n  zhbot upgrade --yes",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return upgrade(cmd, &s, yes) },
	}
	s.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func upgrade(cmd *cobra.Command, s *settings, yes bool) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	secret, err := c.Token(os.LookupEnv)
	if err != nil {
		return err
	}
	client, err := wiring.NewClient(&c.Startup, secret, nil, zerolog.Nop())
	if err != nil {
		return err
	}
	defer client.Close()
	a, err := client.Account(cmd.Context())
	if err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	out := cmd.OutOrStdout()
	if a.IsBot() {
		fmt.Fprintf(out, "%s is a BOT account already\n", a.Username)
		return nil
	}
	if !yes {
		question := fmt.Sprintf("%s becomes a BOT account. This CANNOT be undone. Type the account's name to continue: ", a.Username)
		answer, _ := terminal.NewPrompt(cmd.InOrStdin(), out).Line(cmd.Context(), question) // no answer is a no
		if !strings.EqualFold(answer, a.Username) {
			return errors.New("upgrade: not confirmed, nothing was changed")
		}
	}
	if err := client.UpgradeToBot(cmd.Context()); err != nil {
		return fmt.Errorf("upgrade %s: %w", a.Username, err)
	}
	fmt.Fprintf(out, "%s is a BOT account now; \"zhbot run\" plays with it\n", a.Username)
	return nil
}

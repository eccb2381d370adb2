package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
)

func newHealthCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Say whether the running bot is ready to play",
		Long: "health asks the bot that runs with the same settings, at web.listen, whether its event\n" +
			"stream is open. Its exit code is 0 only if so: that is what a container is asked.",
		Example: "  zhbot health\n  zhbot health --config config.yaml",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			if err := askHealth(cmd.Context(), c); err != nil {
				return fmt.Errorf("health: %w", err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		},
	}
	s.addFlags(cmd.Flags())
	return cmd
}

// healthTimeout bounds the question: who asks wants an answer either way.
const healthTimeout = 5 * time.Second

// maxHealthBody bounds the answer.
const maxHealthBody = 1 << 10

// askHealth asks a running bot whether it is ready; the error says why not.
func askHealth(ctx context.Context, c *config.Config) error {
	if c.Web.Listen == "" {
		return errors.New("web.listen is empty: the bot serves nothing that could be asked")
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, pageURL(c.Web.Listen)+"/readyz", nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // straight there, whatever proxy is set
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the bot does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxHealthBody))
	if err != nil {
		return fmt.Errorf("the bot answers %s: %w", answer.Status, err)
	}
	return fmt.Errorf("not ready: %s", strings.TrimSpace(string(text)))
}

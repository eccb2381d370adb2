package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
)

const (
	readyTimeout = 5 * time.Second // who asks wants an answer either way
	maxReason    = 1 << 10         // bytes of why a bot is not ready
)

// AskReady asks the bot whose page listens at an address of this machine (web.listen)
// whether it is ready to play; the error is the reason if not.
func AskReady(ctx context.Context, listen string) error {
	if listen == "" {
		return errors.New("web.listen is empty: the bot serves no page that could be asked")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, web.LocalURL(listen)+"/readyz", nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: lichess.Transport{
		Transport: &http.Transport{DisableKeepAlives: true}, // straight there, whatever proxy is set
	}}
	answer, err := client.Do(request)
	var network *net.OpError
	switch {
	case errors.As(err, &network) && network.Op == "dial":
		return control.NotRunning(listen)
	case err != nil:
		return fmt.Errorf("the bot does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxReason))
	if err != nil {
		return fmt.Errorf("the bot answers %s: %w", answer.Status, err)
	}
	return fmt.Errorf("not ready: %s", strings.TrimSpace(string(text)))
}

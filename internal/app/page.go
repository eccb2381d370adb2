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

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/lichess"
)

// newPage returns the live page configured by the settings, nil if they disable it.
func (a *App) newPage(c *config.Config) (*live.Page, error) {
	if c.Web.Listen == "" {
		return nil, nil
	}
	o := live.Options{
		Listen: c.Web.Listen, Hosts: c.Web.Hosts, Password: c.Web.Password.Reveal(),
		Analyse: a.mover.Analyse,
		MadeBy:  fmt.Sprintf("Analysed by zhbot %s, %d nodes a position", Version(), mover.AnalysisNodes),
		Status:  a.status, Game: a.game, Log: a.log,
	}
	if c.Records.Dir != "" {
		o.Records = record.NewHistory(c.Records.Dir)
	}
	p, err := live.New(o)
	if err != nil {
		return nil, fmt.Errorf("web.listen: %w", err)
	}
	return p, nil
}

// servePage serves the live page until Close, and returns its URL, which may contain a
// secret (see [web.Guard.Link]); "" without a page. The bot can run without it.
func (a *App) servePage(ctx context.Context) (url string, err error) {
	if a.page == nil {
		return "", nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", a.settings.Load().Web.Listen)
	if err != nil {
		return "", err
	}
	a.closers = append(a.closers, web.Start(ctx, l, a.page.Handler(), a.log, "live page ended"))
	url = a.page.Link(web.LocalURL(l.Addr().String()))
	a.log.Info().Str("url", url).Msg("live page")
	return url, nil
}

const (
	readyTimeout = 5 * time.Second // health probes need a quick answer
	maxReason    = 1 << 10         // bytes of why a bot is not ready
)

// AskReady asks the bot whose page listens at an address of this machine (web.listen) whether its
// event stream is open; the error is the reason if not.
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
	switch network, ok := errors.AsType[*net.OpError](err); {
	case ok && network.Op == "dial":
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

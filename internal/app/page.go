package app

import (
	"context"
	"fmt"
	"net"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/rules/pgn"
)

// newPage returns the live page configured by the settings, nil if they disable it.
func (a *App) newPage(c *config.Config) (*live.Page, error) {
	if c.Web.Listen == "" {
		return nil, nil
	}
	o := live.Options{
		Listen: c.Web.Listen, Hosts: c.Web.Hosts, Password: c.Web.Password.Reveal(),
		Analyse: func(ctx context.Context, g *pgn.Game) (*analysis.Analysis, error) { return a.mover.Analyse(ctx, g) },
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

// ServePage serves the live page until Close, and returns its URL, which may contain a
// secret (see [web.Guard.Link]). The bot can run without it: if the port is taken, that is
// only a warning, and the URL is "", as it is without a page.
func (a *App) ServePage(ctx context.Context) (url string) {
	if a.page == nil {
		return ""
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", a.settings.Load().Web.Listen)
	if err != nil {
		a.log.Warn().Err(err).Msg("no live page: the bot plays without it")
		return ""
	}
	a.closers = append(a.closers, web.Start(ctx, l, a.page.Handler(), a.log, "live page ended"))
	url = a.page.Link(web.LocalURL(l.Addr().String()))
	a.log.Info().Str("url", url).Msg("live page")
	return url
}

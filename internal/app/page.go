package app

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/internal/web/live"
)

// page is the live page.
type page struct {
	web    *live.Page
	listen string
	url    string // "" if it is not served; may contain a secret: see [live.Page.Link]
	log    zerolog.Logger
}

// newPage returns the page configured by the settings, nil if they disable it.
func newPage(c *config.Config, slots func() game.Use, log zerolog.Logger) (p *page, err error) {
	if c.Web.Listen == "" {
		return nil, nil
	}
	p = &page{listen: c.Web.Listen, log: log}
	o := live.Options{
		Listen: c.Web.Listen, Hosts: c.Web.Hosts, Password: c.Web.Password.Reveal(),
		Site: c.Lichess.URL, Version: Version(), Threads: c.Engine.SearchThreads(mover.Cores()), Slots: slots, Log: log,
	}
	if c.Records.Dir != "" {
		o.Records = record.NewHistory(c.Records.Dir)
	}
	if p.web, err = live.New(o); err != nil {
		return nil, fmt.Errorf("web.listen: %w", err)
	}
	return p, nil
}

// serve serves the page until stop is called. The bot can run without it: if the port is
// taken, that is only a warning.
func (p *page) serve(ctx context.Context) (stop func()) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", p.listen)
	if err != nil {
		p.log.Warn().Err(err).Msg("no live page: the bot plays without it")
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := p.web.Serve(ctx, l); err != nil {
			p.log.Warn().Err(err).Msg("live page ended")
		}
	})
	p.url = p.web.Link(web.LocalURL(l.Addr().String()))
	p.log.Info().Str("url", p.url).Msg("live page")
	return func() {
		cancel()
		serving.Wait()
	}
}

package app

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/mover"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/lichess"
)

// Page is the live page. A nil one shows nothing.
type Page struct {
	web     *live.Page
	metrics *live.Metrics
	listen  string
	log     zerolog.Logger
	bot     atomic.Pointer[bot.Bot] // the one that is shown; nil before NewBot
}

// New returns the page configured by the settings, nil if they disable it.
func NewPage(c *config.Config, log zerolog.Logger) (*Page, error) {
	if c.Web.Listen == "" {
		return nil, nil
	}
	threads := c.Engine.SearchThreads(mover.Cores())
	p := &Page{listen: c.Web.Listen, log: log}
	p.metrics = live.NewMetrics(Version(), threads, p.slots)
	o := live.Options{
		Listen: c.Web.Listen, Hosts: c.Web.Hosts, Password: c.Web.Password.Reveal(),
		Site: c.Lichess.URL, Version: Version(), Threads: threads, Metrics: p.metrics.Handler(), Slots: p.slots, Log: log,
	}
	if c.Records.Dir != "" {
		o.Records = record.NewHistory(c.Records.Dir)
	}
	var err error
	if p.web, err = live.New(o); err != nil {
		return nil, fmt.Errorf("web.listen: %w", err)
	}
	return p, nil
}

// slots returns the use of the bot's slots.
func (p *Page) slots() game.Use {
	if b := p.bot.Load(); b != nil {
		return b.Slots()
	}
	return game.Use{}
}

// NewBot returns a bot, which the page shows from now on.
func (p *Page) NewBot(o bot.Options, s bot.Settings) *bot.Bot {
	if p == nil {
		return bot.New(o, s)
	}
	o.Observe = func(e event.Event) {
		p.web.Observe(e)
		p.metrics.Observe(e)
	}
	b := bot.New(o, s)
	p.bot.Store(b)
	return b
}

// ObserveRequest counts a request to Lichess.
func (p *Page) ObserveRequest(r lichess.Observation) {
	if p != nil {
		p.web.ObserveRequest(r)
		p.metrics.ObserveRequest(r)
	}
}

// CountDroppedLines adds a metric of how many lines of the log were dropped.
func (p *Page) CountDroppedLines(dropped func() int64) {
	if p != nil {
		p.metrics.CountDroppedLines(dropped)
	}
}

// SetHealthCheck sets the function that returns an error if the process hangs.
func (p *Page) SetHealthCheck(check func() error) {
	if p != nil {
		p.web.SetHealthCheck(check)
	}
}

// SetOperator adds controls to the page, if it has a password.
func (p *Page) SetOperator(e control.Executor) {
	if p != nil {
		p.web.SetOperator(e)
	}
}

// Serve serves the page until stop is called. The bot can run without it: if the port is
// taken, that is only a warning, and the URL is empty. The URL may contain a secret: see
// [live.Page.Link].
func (p *Page) Serve(ctx context.Context) (url string, stop func()) {
	if p == nil {
		return "", func() {}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", p.listen)
	if err != nil {
		p.log.Warn().Err(err).Msg("no live page: the bot plays without it")
		return "", func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := p.web.Serve(ctx, l); err != nil {
			p.log.Warn().Err(err).Msg("live page ended")
		}
	})
	url = p.web.Link(LocalURL(l.Addr().String()))
	p.log.Info().Str("url", url).Msg("live page")
	return url, func() {
		cancel()
		serving.Wait()
	}
}

// LocalURL returns the URL on this machine of a page that listens at an address; an
// address that stands for all addresses is replaced.
func LocalURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(strings.ToLower(host), port)
}

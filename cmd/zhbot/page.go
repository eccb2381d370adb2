package main

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/web"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// newPage makes the live page of the settings, nil if they want none.
func newPage(c *config.Config, log zerolog.Logger) (*web.Page, error) {
	if c.Web.Listen == "" {
		return nil, nil
	}
	o := web.Options{
		Listen: c.Web.Listen, Hosts: c.Web.Hosts, Password: c.Web.Password.Reveal(),
		Site: c.Lichess.URL, Version: version(), Threads: searchThreads(c), Log: log,
	}
	if c.Records.Dir != "" {
		o.Records = record.NewHistory(c.Records.Dir)
	}
	page, err := web.New(o)
	if err != nil {
		return nil, fmt.Errorf("web.listen: %w", err)
	}
	return page, nil
}

// cores is how many threads can run at once. Go knows of a container's share of
// the processor, but only until newEngine asks it for more threads.
var cores = runtime.GOMAXPROCS(0)

// searchThreads is how many threads search.
func searchThreads(c *config.Config) int {
	if c.Engine.Threads == 0 {
		return cores
	}
	return c.Engine.Threads
}

// newObservedBot makes a bot of the options and has the page, if there is one, show it.
func newObservedBot(page *web.Page, o bot.Options) *bot.Bot {
	if page == nil {
		return bot.New(o)
	}
	o.Observe = page.Observe
	b := bot.New(o)
	page.SetSlotSource(b.Slots)
	return b
}

// observeRequests reports the requests to Lichess to the page, if there is one, and
// to the observer that tune sets.
func observeRequests(page *web.Page, tune func(*lichess.Options)) func(*lichess.Options) {
	return func(o *lichess.Options) {
		tune(o)
		if page == nil {
			return
		}
		observe := o.Observe
		o.Observe = func(r lichess.Observation) {
			observe(r)
			page.ObserveRequest(web.Request{Endpoint: r.Endpoint, Status: r.Status, Duration: r.Duration, Wait: r.Wait})
		}
	}
}

// servePage serves the page, if there is one, until stop is called. The bot does
// not need it: a port that is taken is a warning.
func servePage(ctx context.Context, page *web.Page, address string, log zerolog.Logger) (url string, stop func()) {
	if page == nil {
		return "", func() {}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		log.Warn().Err(err).Msg("no live page: the bot plays without it")
		return "", func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := page.Serve(ctx, l); err != nil {
			log.Warn().Err(err).Msg("live page ended")
		}
	})
	url = pageURL(l.Addr().String())
	log.Info().Str("url", url).Msg("live page")
	return url, func() {
		cancel()
		serving.Wait()
	}
}

// pageURL is where this machine finds a page that listens at an address: one
// that stands for all addresses cannot be asked.
func pageURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(strings.ToLower(host), port)
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// serveOnly runs the server until a signal.
func (d *demo) serveOnly(ctx context.Context, out io.Writer) error {
	addr := d.serve
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	s, token, err := embeddedServer(lichesstest.Options{Addr: addr})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(out, "embedded Lichess at %s\n\nplay there from another terminal:\n\n  ZHBOT_LICHESS_URL=%s ZHBOT_LICHESS_TOKEN=%s zhbot run\n\n", s.URL(), s.URL(), token)
	connected := make(chan struct{}, 1)
	s.OnConnect(func(string) {
		select {
		case connected <- struct{}{}:
		default:
		}
	})
	select {
	case <-connected:
	case <-ctx.Done():
		return nil
	}
	n := 0
	series := d.schedule(0)
	series.RetryDelay = 3 * time.Second // this bot may be full, or about to leave
	series.OnRefused = func(err error) { fmt.Fprintln(out, err) }
	err = s.RunGames(ctx, series, func(r lichesstest.Result) {
		n++
		printResult(out, n, 0, r)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

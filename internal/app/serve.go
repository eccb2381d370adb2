package app

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// ServeSandbox runs only the server, at an address, until the context ends; its players
// challenge every bot that connects. Without a host it serves this machine only.
func ServeSandbox(ctx context.Context, addr string, clock lichess.Clock, concurrent int, out io.Writer) error {
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	connected := make(chan struct{}, 1)
	s, token, err := StartSandbox(lichesstest.Options{Addr: addr, OnConnect: func(string) {
		select {
		case connected <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(out, "embedded Lichess at %s\n\nplay there from another terminal:\n\n  ZHBOT_LICHESS_URL=%s ZHBOT_LICHESS_TOKEN=%s zhbot run\n\n", s.URL(), s.URL(), token.Reveal())
	select {
	case <-connected:
	case <-ctx.Done():
		return nil
	}
	n := 0
	series := Schedule(clock, 0, concurrent)
	series.RetryDelay = 3 * time.Second // this bot may be full, or about to leave
	series.OnRefused = func(err error) { fmt.Fprintln(out, err) }
	err = s.RunGames(ctx, series, func(r lichesstest.Result) {
		n++
		PrintResult(out, n, 0, r)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

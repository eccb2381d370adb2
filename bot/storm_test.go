//go:build !race

// The runtime of the race detector fails with this many goroutines.

package bot

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// slowConn delays what its server reads.
type slowConn struct {
	net.Conn
	by time.Duration
}

func (c slowConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == nil {
		time.Sleep(c.by)
	}
	return n, err
}

// TestRun_SlowServer is a benchmark on the clock of a bubble: with as many games as Lichess allows,
// a server that answers each request after 2 s, just too late for a move, causes no storm of lists
// and connections.
func TestRun_SlowServer(t *testing.T) {
	const games = 200
	for _, tt := range []struct {
		by           time.Duration
		lists, conns float64 // at most, a game
	}{{0, 0.2, 3}, {2 * time.Second, 1, 15}} {
		t.Run(tt.by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				t.Cleanup(func() { time.Sleep(tt.by) }) // of the last read
				var conns atomic.Int64
				r := newRig(t, lichesstest.Options{WrapConn: func(c net.Conn) net.Conn {
					conns.Add(1)
					return slowConn{c, tt.by}
				}})
				r.change = func(o *lichess.Options) { o.MoveTimeout, o.RetryFor, o.StreamIdle = 0, 0, 0 }
				var humans []string
				for i := range games {
					humans = append(humans, fmt.Sprint("human", i))
					r.AddHuman(humans[i], peaceful(10, time.Second))
				}
				r.start(func(b *setup) {
					b.timing, b.opts.Engine = lichessTiming, &fakeEngine{peace: 10}
					b.settings().Games = config.Games{Max: games}
				})
				r.playAll(games, games, "15m+0s", humans...)
				lists, opened := float64(r.requests(endpointPlaying))/games, float64(conns.Load())/games
				t.Logf("%.2f lists and %.1f connections a game, up to %d games at once", lists, opened,
					r.Audit(botName).MaxConcurrent)
				if lists > tt.lists || opened > tt.conns {
					t.Errorf("more than %.2f lists or %.1f connections", tt.lists, tt.conns)
				}
			})
		})
	}
}

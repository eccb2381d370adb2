package bot

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// rewriter rewrites what a server says; both texts have the same length.
type rewriter struct {
	mu       sync.Mutex
	from, to []byte
	left     int // how often
}

func (w *rewriter) set(from, to string, times int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.from, w.to, w.left = []byte(from), []byte(to), times
}

type rewritingConn struct {
	net.Conn
	*rewriter
}

func (c rewritingConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if c.left > 0 && bytes.Contains(b, c.from) {
		c.left--
		b = bytes.ReplaceAll(b, c.from, c.to)
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// newRewritingRig returns a rig whose server's words can be rewritten.
func newRewritingRig(t *testing.T) (*rig, *rewriter) {
	w := new(rewriter)
	return newRig(t, lichesstest.Options{WrapConn: func(c net.Conn) net.Conn { return rewritingConn{c, w} }}), w
}

// An unknown status is the end once the list of games lacks the game, or with a winner; without one
// the result is unknown.
func TestGame_EndsByUnknownStatus(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		end      func(context.Context, *botOpponent) error
		want     rules.Result
	}{
		{`"draw"`, `"moot"`, func(ctx context.Context, o *botOpponent) error { return o.Draw(ctx, o.id, true) },
			rules.NoResult},
		{`"draw"`, "null  ", func(ctx context.Context, o *botOpponent) error { return o.Draw(ctx, o.id, true) },
			rules.NoResult},
		{`"resign"`, `"shrugs"`, func(ctx context.Context, o *botOpponent) error { return o.Resign(ctx, o.id) },
			rules.BlackWins},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, w := newRewritingRig(t)
			b := r.start(func(b *setup) {
				scoring(b, 1000, -400)
				b.settings().Play.Draw = true
				b.timing.games.Stream.DuplicateBackoff = lichessTiming.games.Stream.DuplicateBackoff
			})
			rival := r.challengeAsBot("white")
			rival.exchange("g1f3", "f3g1", "g1h3")
			w.set(`"status":`+tt.from, `"status":`+tt.to, 1<<30)
			if err := tt.end(t.Context(), rival); err != nil {
				t.Fatal(err)
			}
			r.until("the game is recorded", func() bool { return len(r.archive.saved()) == 1 && len(b.Running()) == 0 })
			if g := r.archive.saved()[0]; g.Status != lichess.StatusUnknownFinish || g.Result != tt.want {
				t.Errorf("recorded as %s, %s, want %s", g.Status, g.Result, tt.want)
			}
			if len(seen[event.Duplicate](r)) != 0 {
				t.Error("another program was seen")
			}
		})
	}
}

// A game that a list has that was requested after its end is played on, whatever has ended it.
func TestGame_EndIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := newRewritingRig(t)
		r.start(func(b *setup) { b.timing.games.SyncLive = time.Second })
		p := r.challengeAsHuman("white")
		p.exchange("e2e4")
		w.set(`"status":"started"`, `"status":"aborted"`, 1)
		p.play(2, "g1f3")
		await[event.GameEnded](r, 1)
		r.plies(p.id, 4)
		p.resign()
		await[event.GameEnded](r, 2)
	})
}

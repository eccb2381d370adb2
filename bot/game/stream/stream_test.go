package stream

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// playedGame is a game on a server, and what its stream brings.
type playedGame struct {
	*Stream
	t      *testing.T
	server *lichesstest.Server
	id     string

	opened, lost int // how often the stream was
}

// startGame starts a game on a server, in which we are White, and its stream.
func startGame(t *testing.T) *playedGame {
	t.Helper()
	g := &playedGame{t: t, server: lichesstest.NewServer(t, lichesstest.Options{KeepAlive: 500 * time.Millisecond})}
	g.server.AddHuman("alice", lichesstest.Idle())
	client := g.server.Client(t, g.server.AddBot("zhbot"), func(o *lichess.Options) { o.StreamIdle = 2 * time.Second })
	g.id = g.server.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "black"})
	if err := client.AcceptChallenge(t.Context(), g.id, lichess.Human); err != nil {
		t.Fatal(err)
	}
	timing := Timing{
		Reopen:         event.Backoff{Initial: 5 * time.Millisecond, Max: 50 * time.Millisecond},
		ReopenEarlyMax: 50 * time.Millisecond,
		FirstEvent:     event.Backoff{Initial: 2 * time.Second, Max: 10 * time.Second},
		RefusalGap:     time.Minute,
	}
	var readers sync.WaitGroup
	g.Stream = New(Options{
		Game: g.id, Source: FromLichess(client, g.id), Reachability: NewReachability(), Timing: timing,
		Log:  zerolog.Nop(),
		Emit: g.observe, OnDuplicate: func() {}, Go: readers.Go,
	})
	ctx, stop := context.WithCancel(context.Background())
	g.Start(ctx)
	t.Cleanup(func() { stop(); readers.Wait() })
	g.next()
	return g
}

func (g *playedGame) observe(e event.Event) {
	switch e.(type) {
	case event.StreamOpened:
		g.opened++
	case event.StreamLost:
		g.lost++
	}
}

// next returns the stream's next item.
func (g *playedGame) next() Item {
	for {
		if item := (<-g.Reports())(); item != nil {
			return *item
		}
	}
}

// reopen reads the game again, and returns when an item of a new connection is there.
func (g *playedGame) reopen() {
	asked := time.Now()
	g.Reopen()
	for !g.next().ConnectedAt.After(asked) {
	}
}

// absence returns how long we have been absent from the game.
func (g *playedGame) absence() time.Duration {
	r, _ := g.server.Game(g.id)
	return r.WhiteAbsent
}

// A new look opens the next connection before the one before is closed, which the
// server then ends: that is no loss, and we are never absent. While the next cannot be
// opened, the one before goes on.
func TestStream_ReopensWithoutAbsence(t *testing.T) {
	g := startGame(t)
	before := g.absence()
	for range 5 {
		g.reopen()
	}
	if g.opened != 6 || g.lost != 0 {
		t.Errorf("opened %d times, want 6, and lost %d times", g.opened, g.lost)
	}
	g.server.Faults.Inject("fail", lichesstest.When{Class: "game", Next: 3, Status: 503})
	g.reopen()
	if absent := g.absence() - before; absent != 0 {
		t.Errorf("absent for %s", absent)
	}
}

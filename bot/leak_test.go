package bot

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// No goroutine outlives its game, however the game was disturbed: what runs when
// all games are over ran before the first.
func TestGames_LeaveNoGoroutine(t *testing.T) {
	r := newRig(t, lichesstest.Options{Seed: 3})
	r.AddHuman("alice", lichesstest.Greedy(1))
	r.start(func(b *Bot) { b.timing.games.Rating = 50 * time.Millisecond })
	eventually(t, "the bot waits for games", func() bool { return r.requests(endpointPlaying) > 1 })
	before := goleak.IgnoreCurrent()
	r.Faults.Random(lichesstest.Rates{Cut: 0.02, Duplicate: 0.1, Noise: 0.1, Fail: 0.02, Lose: 0.02})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	plan := lichesstest.Schedule{
		Bot: botName, Opponents: []string{"alice"}, Games: 12, Concurrency: 4,
		Spec: func(int) lichesstest.ChallengeSpec { return blitz },
	}
	if err := r.RunGames(ctx, plan, func(lichesstest.Result) {}); err != nil {
		t.Fatal(err)
	}
	r.Faults.Clear()
	eventually(t, "all games are archived", func() bool { return len(r.archive.saved()) >= plan.Games })
	// Connections that are kept for the next request are no game's, nor is what
	// serves them; and the event stream may have been opened again.
	connections := []goleak.Option{
		before,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
		goleak.IgnoreAnyFunction("net/http.(*conn).serve"),
		goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"),
		goleak.IgnoreAnyFunction("github.com/zhbot/zhbot/bot/eventstream.Follow"),
		goleak.IgnoreAnyFunction("github.com/zhbot/zhbot/bot/eventstream.(*silenceWatch).watchOnline"),
	}
	if err := goleak.Find(connections...); err != nil {
		t.Error(err)
	}
}

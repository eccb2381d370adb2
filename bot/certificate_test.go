package bot

import (
	"fmt"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TLS handshakes that fail, at the start and in the middle of a game, are explained and
// tried again until they succeed.
func TestRun_HandshakeFails(t *testing.T) {
	for h, want := range map[lichesstest.Handshake]string{
		lichesstest.HandshakeExpired: "is this machine's clock right?",
		lichesstest.HandshakeForeign: "another server answers in its place",
		lichesstest.HandshakeFails:   "tls: internal error",
	} {
		t.Run(fmt.Sprint(h), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{TLS: true})
			r.AddHuman("alice", peaceful(60, 2*time.Millisecond))
			r.SetHandshake(h)
			go func() {
				defer r.SetHandshake(lichesstest.HandshakeValid)
				for end := time.Now().Add(patience); r.log.Count(want) == 0 && time.Now().Before(end); {
					time.Sleep(time.Millisecond)
				}
			}()
			bot := r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 60} })
			if bot.ended() {
				t.Fatalf("the bot ended with %v", bot.err)
			}
			id := r.Challenge("alice", botName, blitz)
			r.plies(id, 4)
			before := r.log.Count(want)
			r.SetHandshake(h)
			r.Restart(time.Millisecond)
			eventually(t, want, func() bool { return r.log.Count(want) > before })
			r.SetHandshake(lichesstest.HandshakeValid)
			if result := r.finished(id); result.Status != "mate" {
				t.Errorf("the game ended by %s", result.Status)
			}
			r.checkNoViolations()
		})
	}
}

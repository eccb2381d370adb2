package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A bot that drains takes as much care of its moves as any other.
func TestDrain_MovesAreNotLost(t *testing.T) {
	for name, fault := range map[string]func(*lichesstest.Faults){
		"done, reply lost":  func(f *lichesstest.Faults) { f.LoseReplies("move", 1) },
		"not done, 503":     func(f *lichesstest.Faults) { f.Fail("move", 1, 503) },
		"refused once":      func(f *lichesstest.Faults) { f.Refuse("move", 1, 400, "Invalid UCI: no such move") },
		"too many requests": func(f *lichesstest.Faults) { f.Limit("move", time.Second, lichesstest.LimitSeconds) },
		"unanswered":        func(f *lichesstest.Faults) { f.BlackHole(1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lichesstest.Options{})
			e := newGatedEngine()
			b := r.start(func(b *Bot) { b.opts.Engine = e })
			rival := r.challengeAsBot(withColor(blitz, "white"))
			rival.play(0, "e2e4")
			e.thinking(t, "e2e4")
			b.Drain()
			fault(r.Faults)
			e.proceed <- struct{}{}
			r.plies(rival.id, 2)
			moves := rival.moves()
			rival.play(2, "a2a3")
			e.thinking(t, strings.Join(append(moves, "a2a3"), " "))
			if b.ended() {
				t.Error("the bot has ended before its game")
			}
			if err := rival.Resign(t.Context(), rival.id); err != nil {
				t.Fatal(err)
			}
			if err := b.wait(); err != nil {
				t.Error(err)
			}
			r.checkNoViolations()
		})
	}
}

package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
)

// Commands are answered in the room that they are given in, and name those who wait in turn.
func TestChat_Commands(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(func(b *setup) {
			scoring(b, 1000, 123)
			b.opts.Version = "v9"
			b.settings().Chat.Spectators = true
			oneGame(b)
		})
		o := r.challengeAsBot("white casual")
		stream, err := o.StreamGame(t.Context(), o.id)
		r.must(err)
		defer stream.Close()
		o.exchange("e2e4")
		for i, name := range []string{"alice", "bob"} {
			r.AddHuman(name, nil)
			r.challenge(name, "casual")
			await[event.ChallengeDecided](r, i+2)
		}
		for _, tt := range []struct {
			room      lichess.Room
			ask, want string
		}{
			{lichess.PlayerRoom, "!eval", "+1.23 at depth 1"},
			{lichess.SpectatorRoom, "!engine", "zhbot v9"},
			{lichess.PlayerRoom, "!pv", "I expect 1… "},
			{lichess.PlayerRoom, "!queue", "I play 1 of at most 1 games; waiting: alice, bob."},
		} {
			r.Say(o.id, "rival", string(tt.room), tt.ask)
			for {
				e, err := stream.Next()
				r.must(err)
				line, ok := e.(*lichess.ChatLine)
				if !ok || line.Username != botName {
					continue
				}
				if line.Room != tt.room || !strings.Contains(line.Text, tt.want) {
					t.Errorf("%s: said %q in the room %s, want %q in %s", tt.ask, line.Text, line.Room, tt.want,
						tt.room)
				}
				break
			}
		}
	})
}

// No word that is slow to go out holds a move up.
func TestChat_NeverBlocksAMove(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.change = func(o *lichess.Options) {
			o.Observe = func(o lichess.Observation) { // before the request returns
				if o.Endpoint == "POST /api/bot/game/{id}/chat" {
					time.Sleep(5 * time.Second)
				}
			}
		}
		r.start(func(b *setup) { b.opts.Engine, b.settings().Chat.Greeting = &fakeEngine{peace: 1000}, "hello" })
		o := r.challengeAsBot("white")
		for _, move := range []string{"g1f3", "f3g1", "g1h3"} {
			r.Say(o.id, "rival", "player", "!help")
			began := time.Now()
			o.exchange(move)
			if took := time.Since(began); took > time.Second {
				t.Errorf("%s and the reply took %s", move, took)
			}
		}
	})
}

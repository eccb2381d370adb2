package bot

import (
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
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
		r.fault("limit chat 1h seconds")
		r.start(func(b *setup) { b.opts.Engine, b.settings().Chat.Greeting = &fakeEngine{peace: 1000}, "hello" })
		o := r.challengeAsBot("white")
		for _, move := range []string{"g1f3", "f3g1", "g1h3"} {
			r.Say(o.id, "rival", "player", "!help")
			o.exchange(move)
		}
	})
}

// promiseRematch starts a game with a human, who asks for a rematch and is answered.
func (r *rig) promiseRematch(words string) (*runningBot, *humanOpponent) {
	r.t.Helper()
	b, alice := r.startPeaceful(1000), r.challengeAsHuman("white "+words)
	alice.exchange("e2e4")
	r.Say(alice.id, humanName, "player", "!rematch")
	r.until("the promise is given", func() bool { return len(r.chatSent(alice.id)) > 0 })
	return b, alice
}

func TestRematch_IsOfferedAfterTheGame(t *testing.T) {
	for _, words := range []string{"2d", ""} {
		runInBubble(t, words, func(t *testing.T, r *rig) {
			b, alice := r.promiseRematch(words)
			alice.resign()
			r.until("the rematch is on", func() bool { ids := b.Running(); return len(ids) == 1 && ids[0] != alice.id })
			next := r.Playing(botName)[0]
			r.plies(next, 1) // our bot plays it
			if result, _ := r.Game(next); result.White != botName {
				t.Errorf("%s has White again", result.White)
			}
		})
	}
}

func TestRematch_ByTheRules(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		b := r.startPeaceful(1000)
		alice := r.challengeAsHuman("white casual")
		alice.exchange("e2e4")
		b.reload(func(c *config.Config) { c.Challenges.Block = []string{humanName} })
		r.Say(alice.id, humanName, "player", "!rematch")
		r.until("it is refused", func() bool {
			return slices.Contains(r.chatSent(alice.id), "No rematch: challenges.block.")
		})
		alice.resign()
		r.finished(alice.id)
		b.drain()
		if len(r.Playing(botName)) != 0 {
			t.Error("a rematch is on")
		}
	})
}

// A rematch that is declined, or that nobody answers before the bot stops, leaves
// no slot taken and no challenge open.
func TestRematch_DeclinedFreesTheSlot(t *testing.T) {
	for name, answer := range map[string]lichesstest.Answer{"declined": {Decline: "later"},
		"no answer": {Silent: true}} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			b, alice := r.promiseRematch("casual")
			r.AnswerChallenges(humanName, func(lichesstest.ChallengeSpec) lichesstest.Answer { return answer })
			alice.resign()
			if sent := await[event.ChallengeSent](r, 1)[0]; sent.Opponent != humanName ||
				sent.Sender != event.Rematch || sent.Clock.String() != "3+2" {
				t.Errorf("sent %+v", sent)
			}
			b.drain()
			if use := b.Slots(); use.Games != 0 {
				t.Errorf("%d slots are taken", use.Games)
			}
		})
	}
}

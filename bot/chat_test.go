package bot

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules/pgn"
)

// chatReader reads what our bot says in both rooms of a game, by an onlooker's
// stream.
type chatReader struct {
	t      *testing.T
	stream *lichess.GameStream
}

// readChat listens to a game of our bot's through its opponent's stream.
func (o *botOpponent) readChat() *chatReader {
	o.r.t.Helper()
	stream, err := o.StreamGame(o.r.t.Context(), o.id)
	if err != nil {
		o.r.t.Fatal(err)
	}
	o.r.t.Cleanup(func() { stream.Close() })
	return &chatReader{o.r.t, stream}
}

// next returns our bot's next line, and its room.
func (o *chatReader) next() (room lichess.Room, text string) {
	o.t.Helper()
	for {
		e, err := o.stream.Next()
		if err != nil {
			o.t.Fatal(err)
		}
		if line, ok := e.(*lichess.ChatLine); ok && line.Username == botName {
			return line.Room, line.Text
		}
	}
}

// expect fails unless our bot says something in a room next.
func (o *chatReader) expect(room lichess.Room, text string) {
	o.t.Helper()
	if gotRoom, got := o.next(); gotRoom != room || !strings.Contains(got, text) {
		o.t.Fatalf("said %q in the room %s, want %q in %s", got, gotRoom, text, room)
	}
}

// startChat starts a game with one move each, and returns it with our bot's words.
func startChat(t *testing.T, rated bool, change func(*Bot)) (*rig, *botOpponent, *chatReader) {
	t.Helper()
	r := newRig(t, lichesstest.Options{})
	r.start(func(b *Bot) {
		b.opts.Engine, b.opts.Version, b.opts.Network = &scoringEngine{fakeEngine: fakeEngine{peace: 1000}, score: pgn.Score{Centipawns: 123}}, "v9", "zh-abc"
		b.settings().Chat.Spectators = true
		if change != nil {
			change(b)
		}
	})
	spec := withColor(casual, "white")
	spec.Rated = rated
	o := r.challengeAsBot(spec)
	words := o.readChat()
	o.play(0, "e2e4")
	r.plies(o.id, 2)
	waittest.Until(t, "our move is seen", func() bool { return len(seen[event.Moved](r)) == 1 })
	return r, o, words
}

func TestChat_Commands(t *testing.T) {
	r, o, words := startChat(t, false, nil)
	for _, tt := range []struct{ ask, answer string }{
		{"!help", "!eval"},
		{"!EVAL please", "+1.23 at depth 1"},
		{" !engine", "zhbot v9, network zh-abc"},
		{"!stats", "the first game"},
	} {
		room := []lichess.Room{lichess.PlayerRoom, lichess.SpectatorRoom}[len(tt.ask)%2]
		r.Say(o.id, "rival", string(room), tt.ask)
		words.expect(room, tt.answer)
	}
}

func TestChat_CommandsAboutTheGame(t *testing.T) {
	r, o, words := startChat(t, false, nil)
	for ask, answer := range map[string]string{
		"!pv": "I expect 1… ", "!opening": "no move from my book", "!queue": "I play 1 of at most 4 games, and nobody waits.",
	} {
		r.Say(o.id, "rival", "player", ask)
		words.expect(lichess.PlayerRoom, answer)
	}
}

func TestChat_NamesTheEngineProgram(t *testing.T) {
	r, o, words := startChat(t, false, func(b *Bot) { b.opts.Program = func() string { return "Fairy-Stockfish 11.1" } })
	r.Say(o.id, "rival", "player", "!engine")
	words.expect(lichess.PlayerRoom, "zhbot v9, and Fairy-Stockfish 11.1 searches for me")
}

// In a rated game no room gets an evaluation, whoever asks.
func TestChat_NoEvaluationWhileRated(t *testing.T) {
	r, o, words := startChat(t, true, nil)
	r.AddHuman("onlooker", nil)
	for _, room := range []lichess.Room{lichess.PlayerRoom, lichess.SpectatorRoom} {
		for _, user := range []string{"rival", "onlooker"} {
			for _, hidden := range []string{"!eval", "!pv", "!opening"} {
				r.Say(o.id, user, string(room), hidden)
			}
			r.Say(o.id, user, string(room), "!help")
			gotRoom, text := words.next() // lines are answered in turn
			if gotRoom != room || text != "I answer to !engine, !stats, !rematch, !queue." {
				t.Errorf("%s asks for an evaluation in the room %s: %q in %s", user, room, text, gotRoom)
			}
		}
	}
}

// A command that the settings leave out is not answered, and not offered.
func TestChat_CommandsTurnedOff(t *testing.T) {
	r, o, words := startChat(t, false, func(b *Bot) { b.settings().Chat.Commands = []string{"help", "queue"} })
	r.Say(o.id, "rival", "player", "!engine")
	r.Say(o.id, "rival", "player", "!help")
	words.expect(lichess.PlayerRoom, "I answer to !queue.")
}

func TestChat_Opening(t *testing.T) {
	r, o, words := startChat(t, false, func(b *Bot) { b.opts.Engine = &scoringEngine{fakeEngine: fakeEngine{peace: 1000}, book: 2} })
	r.Say(o.id, "rival", "player", "!opening")
	words.expect(lichess.PlayerRoom, "All my moves are from my book: 1. e4 ")
	r.Say(o.id, "rival", "player", "!pv")
	words.expect(lichess.PlayerRoom, "I have not searched for my latest move.")
	o.play(2, "g1f3")
	r.plies(o.id, 4)
	waittest.Until(t, "our move is seen", func() bool { return len(seen[event.Moved](r)) == 2 })
	r.Say(o.id, "rival", "player", "!opening")
	words.expect(lichess.PlayerRoom, "2. Nf3.")
	r.Say(o.id, "rival", "player", "!pv")
	words.expect(lichess.PlayerRoom, "I expect 2… ")
}

// Those whose challenges wait for a slot are named, in turn.
func TestChat_Queue(t *testing.T) {
	r, o, words := startChat(t, false, func(b *Bot) { b.games.Resize(config.Games{Max: 1}) })
	for i, name := range []string{"alice", "bob"} {
		r.AddHuman(name, nil)
		r.Challenge(name, botName, casual)
		waittest.Until(t, name+" waits", func() bool { return len(seen[event.ChallengeDecided](r)) == i+2 })
	}
	r.Say(o.id, "rival", "player", "!queue")
	words.expect(lichess.PlayerRoom, "I play 1 of at most 1 games; waiting: alice, bob.")
}

func TestChat_SpectatorsOnlyIfAllowed(t *testing.T) {
	r, o, words := startChat(t, false, func(b *Bot) { b.settings().Chat.Spectators = false })
	r.Say(o.id, "rival", "spectator", "!engine")
	r.Say(o.id, "rival", "player", "!help")
	words.expect(lichess.PlayerRoom, "!eval")
}

func TestChat_LimitPerUser(t *testing.T) {
	r, o, words := startChat(t, false, nil)
	r.AddHuman("onlooker", nil)
	for range 7 {
		r.Say(o.id, "rival", "player", "!engine")
	}
	r.Say(o.id, "onlooker", "player", "!help")
	for range 4 {
		words.expect(lichess.PlayerRoom, "zhbot")
	}
	words.expect(lichess.PlayerRoom, "!eval")
}

func TestChat_OthersAreNotAnswered(t *testing.T) {
	r, o, words := startChat(t, false, nil)
	r.AddHuman("lichess", nil)
	r.Say(o.id, "lichess", "player", "Takeback sent")
	r.Say(o.id, "rival", "player", "hello")
	r.Say(o.id, "rival", "player", "!unknown")
	r.Say(o.id, botName, "player", "!engine")
	words.next() // which is that line itself
	r.Say(o.id, "rival", "player", "!help")
	words.expect(lichess.PlayerRoom, "I answer to")
}

// No word that is slow to go out holds a move up.
func TestChat_NeverBlocksAMove(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.Faults.Inject("limit", lichesstest.When{Class: "chat", For: time.Hour, Style: lichesstest.LimitSeconds})
		r.start(func(b *Bot) { b.opts.Engine, b.settings().Chat.Greeting = &fakeEngine{peace: 1000}, "hello" })
		o := r.challengeAsBot(withColor(blitz, "white"))
		for i, move := range []string{"g1f3", "f3g1", "g1h3"} {
			o.play(2*i, move)
			r.Say(o.id, "rival", "player", "!help")
		}
		r.plies(o.id, 6)
		r.checkNoViolations()
	})
}

func TestRematch_IsOfferedAfterTheGame(t *testing.T) {
	for name, spec := range map[string]lichesstest.ChallengeSpec{
		"clock": casual, "correspondence": {Days: 2}, "rated": blitz,
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 1000} })
			alice := r.challengeAsHuman(withColor(spec, "white"))
			alice.play(0, "e2e4")
			r.plies(alice.id, 2)
			r.Say(alice.id, humanName, "player", "!rematch")
			waittest.Until(t, "the promise is given", func() bool {
				return slices.ContainsFunc(r.chatSent(alice.id), func(s string) bool { return strings.Contains(s, "rematch") })
			})
			alice.perform(lichesstest.Action{Resign: true})
			var next string
			waittest.Until(t, "the rematch is on", func() bool {
				ids := r.Playing(botName)
				if len(ids) == 1 && ids[0] != alice.id {
					next = ids[0]
				}
				return next != ""
			})
			r.plies(next, 1) // our bot plays it
			if result, _ := r.Game(next); result.White != botName {
				t.Errorf("%s has White again", result.White)
			}
		})
	}
}

func TestRematch_ByTheRules(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		b := r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 1000} })
		alice := r.challengeAsHuman(withColor(casual, "white"))
		alice.play(0, "e2e4")
		r.plies(alice.id, 2)
		o := *b.settings()
		o.Games.Max, o.Challenges.Block = 4, []string{humanName}
		b.Reload(&o)
		r.Say(alice.id, humanName, "player", "!rematch")
		waittest.Until(t, "it is refused", func() bool {
			return slices.Contains(r.chatSent(alice.id), "No rematch: challenges.block.")
		})
		alice.perform(lichesstest.Action{Resign: true})
		r.finished(alice.id)
		b.Drain()
		if err := b.wait(); err != nil {
			t.Error(err)
		}
		if len(r.Playing(botName)) != 0 {
			t.Error("a rematch is on")
		}
	})
}

// A rematch that is declined, or that nobody answers before the bot stops, leaves
// no slot taken and no challenge open.
func TestRematch_DeclinedFreesTheSlot(t *testing.T) {
	for name, answer := range map[string]lichesstest.Answer{"declined": {Decline: "later"}, "no answer": {Silent: true}} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			b := r.start(func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 1000} })
			alice := r.challengeAsHuman(withColor(casual, "white"))
			r.AnswerChallenges(humanName, func(lichesstest.ChallengeSpec) lichesstest.Answer { return answer })
			alice.play(0, "e2e4")
			r.plies(alice.id, 2)
			r.Say(alice.id, humanName, "player", "!rematch")
			waittest.Until(t, "the promise is given", func() bool { return len(r.chatSent(alice.id)) > 0 })
			alice.perform(lichesstest.Action{Resign: true})
			waittest.Until(t, "the rematch is offered", func() bool { return len(seen[event.ChallengeSent](r)) == 1 })
			b.Drain()
			if err := b.wait(); err != nil {
				t.Error(err)
			}
			if use := b.Slots(); use.Games != 0 {
				t.Errorf("%d slots are taken", use.Games)
			}
		})
	}
}

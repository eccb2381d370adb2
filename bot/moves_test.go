package bot

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// startThinking starts a game with a bot, which thinks about its first move.
func startThinking(t *testing.T, r *rig) (b *runningBot, e *gatedEngine, rival *botOpponent) {
	t.Helper()
	e = newGatedEngine()
	b = r.start(func(b *setup) { b.opts.Engine = e })
	rival = r.challengeAsBot("white")
	rival.play(0, "e2e4")
	e.thinking(t, "e2e4")
	return b, e, rival
}

// A person takes a move back while the bot thinks about it, and makes it again or another one. A
// second takeback is declined. All lines come twice.
func TestGame_TakebackRedirectsSearch(t *testing.T) {
	for name, again := range map[string]string{"another move": "h2h3", "the same move": "a2a3"} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			e := newGatedEngine()
			r.fault("duplicate 100%")
			r.start(func(b *setup) { b.opts.Engine, b.settings().Play.Takebacks = e, 1 })
			alice := r.challengeAsHuman("white casual")
			alice.play(0, "e2e4")
			e.thinking(t, "e2e4")
			e.proceed <- struct{}{}
			r.plies(alice.id, 2)
			moves := alice.moves()
			alice.play(2, "a2a3")
			e.thinking(t, strings.Join(append(moves, "a2a3"), " "))
			alice.perform(lichesstest.Action{AskTakeback: true})
			r.until("the move is taken back", func() bool { return len(alice.moves()) == 2 })
			alice.play(2, again)
			e.thinking(t, strings.Join(append(moves, again), " "))
			alice.perform(lichesstest.Action{AskTakeback: true})
			r.until("both are answered", func() bool { return r.requests(endpointTakeback) >= 2 })
			e.proceed <- struct{}{}
			r.plies(alice.id, 4)
			synctest.Wait()
			r.checkRequests(endpointTakeback, 2)
		})
	}
}

// A server that refuses every move for a while is asked at growing pauses, with an
// error each time, and gets the move we want in the end.
func TestGame_RefusalsAreNoLoop(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		_, e, rival := startThinking(t, r)
		const refusals = 5
		r.fault("fail move x5 400: Invalid UCI: no such move")
		posts, streams := r.requests(endpointMove), r.requests(endpointGameStream)
		e.proceed <- struct{}{}
		r.plies(rival.id, 2)
		r.until("the last post is counted", func() bool { return r.requests(endpointMove)-posts > refusals })
		if n := r.requests(endpointMove) - posts; n != refusals+1 {
			t.Errorf("%d posts, want %d", n, refusals+1)
		}
		if n := r.requests(endpointGameStream) - streams; n < refusals {
			t.Errorf("the game was read again %d times, want %d", n, refusals)
		}
		errs := r.log.errors()
		if len(errs) != refusals-1 || errs[0]["fen"] == "" || errs[0]["moves"] != "e2e4" {
			t.Fatalf("logged %v, want %d errors with the position", errs, refusals-1)
		}
		wanted, first, second := errs[0]["move"], errs[1]["move"], errs[2]["move"]
		if first == wanted || second == wanted || first == second || rival.moves()[1] != wanted {
			t.Errorf("wanted %v, tried %v and %v, played %s", wanted, first, second, rival.moves()[1])
		}
	})
}

// However often a move is refused, without a word about the move itself it stays the
// move we want, and is played in the end.
func TestGame_StrayRefusalsKeepTheMove(t *testing.T) {
	for _, text := range []string{"", ": Not your turn, or game already over", ": move refused for some reason"} {
		runInBubble(t, text, func(t *testing.T, r *rig) {
			_, e, rival := startThinking(t, r)
			wanted, err := new(fakeEngine).Search(t.Context(), fixture.Game(t, "e2e4"), game.SearchLimits{}, nil)
			r.must(err)
			r.fault("fail move x3 400" + text)
			e.proceed <- struct{}{}
			r.plies(rival.id, 2)
			if got := rival.moves()[1]; got != wanted.Move.String() {
				t.Errorf("played %s, want %s\n%s", got, wanted.Move, r.log)
			}
			r.checkNoErrors()
		})
	}
}

func TestGame_FallbackMove(t *testing.T) {
	for name, hook := range map[string]func(*search) error{
		"engine fails":         func(s *search) error { s.found.Move = rules.NoMove; return errors.New("broken") },
		"engine finds no move": func(s *search) error { s.found.Move = rules.NoMove; return nil },
		"engine's move illegal": func(s *search) error {
			s.found.Move = rules.NewDrop(rules.Queen,
				rules.E1)
			return nil
		},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(func(b *setup) { b.opts.Engine = &fakeEngine{hook: hook} })
			rival := r.challengeAsBot("white")
			rival.exchange("e2e4")
			errs := r.log.errors()
			if len(errs) != 1 || errs[0]["fen"] == "" {
				t.Errorf("logged %v, want one error with the position", errs)
			}
		})
	}
}

// A game whose opponent does not move is aborted, which counts against nobody; the opponent's
// abort does. Other games go on.
func TestGame_NoShowIsAborted(t *testing.T) {
	for _, tt := range []struct {
		name, color string
		ours        bool
		aborts      int
		reason      string
	}{
		{"no first move", "white", true, 0, opponent.NoFirstMove},
		{"no second move", "black", true, 0, opponent.NoFirstMove},
		{"theirs", "white", false, 1, ""},
	} {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.state = record.InMemoryState()
			bot := r.start(func(b *setup) { b.settings().Games.AbortAfter = time.Hour })
			other := r.challengeAsBot("white")
			other.exchange("e2e4")
			if tt.ours {
				bot.reload(func(c *config.Config) { c.Games.AbortAfter = 50 * time.Millisecond })
			}
			alice := r.challengeAsHuman(tt.color)
			if !tt.ours {
				alice.perform(lichesstest.Action{Abort: true})
			}
			if result := r.finished(alice.id); result.Status != "aborted" {
				t.Errorf("ended by %s", result.Status)
			}
			r.until("the slot is free", func() bool { return !bot.games.Has(alice.id) })
			if o := opponentOf(r.state, humanName); len(o.Aborts) != tt.aborts || o.Reason != tt.reason {
				t.Errorf("%d aborts, reason %q; want %d, %q", len(o.Aborts), o.Reason, tt.aborts, tt.reason)
			}
			other.exchange("a2a3")
		})
	}
}

// The words are those of the settings when they are said.
func TestGame_Chat(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		quiet := peaceful(4, 0)
		r.AddHuman("alice", func(ctx context.Context, t lichesstest.Turn) lichesstest.Action {
			a := quiet(ctx, t)
			a.Chat = "hi"
			return a
		})
		bot := r.start(func(b *setup) { b.settings().Chat.Goodbye = "Bye!" })
		bot.reload(func(c *config.Config) {
			c.Chat.Greeting, c.Chat.Goodbye = "Hello {opponent}! "+strings.Repeat("x", 200), "See you"
		})
		id := r.challenge("alice", "")
		r.finished(id)
		bot.drain()
		said := r.chatSent(id)
		if len(said) != 2 || !strings.HasPrefix(said[0], "Hello alice! xxx") ||
			len(said[0]) != lichess.MaxChatLength || said[1] != "See you" {
			t.Errorf("said %q", said)
		}
	})
}

// TestGame_Threefold plays into a repetition on both sides of it. The server
// sends two lines with equal moves, and a move between them would be refused.
func TestGame_Threefold(t *testing.T) {
	shuffle := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	for _, tt := range []struct {
		color string // the rival's
		turn  int
	}{{"white", 0}, {"black", 1}} {
		runInBubble(t, tt.color, func(t *testing.T, r *rig) {
			r.start(func(b *setup) {
				b.opts.Engine = &fakeEngine{hook: func(s *search) error {
					if s.Ply() == 8 {
						t.Error("asked for a move after the end")
					}
					s.found.Move = moveOf(t, strings.Fields(s.line()), shuffle[s.Ply()%4])
					return nil
				}}
			})
			rival := r.challengeAsBot(tt.color)
			for ply := tt.turn; ply < 8; ply += 2 {
				rival.play(ply, shuffle[ply%4])
			}
			result := r.finished(rival.id)
			if result.Status != "draw" || result.Plies != 8 {
				t.Errorf("ended by %s after %d plies", result.Status, result.Plies)
			}
			r.archived(1)
			synctest.Wait() // the last reply is counted
			r.checkRequests(endpointMove, 4)
		})
	}
}

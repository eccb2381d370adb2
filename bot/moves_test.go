package bot

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// casual is a game in which takebacks may be granted.
var casual = lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}

// startTakeback starts a game with a bot that grants one takeback, and lets a person
// take the second move back while the bot thinks about it. All lines come twice.
// It returns the moves that are left.
func startTakeback(t *testing.T, r *rig, e *gatedEngine) (alice *humanOpponent, moves []string) {
	t.Helper()
	r.Faults.Inject("duplicate", lichesstest.When{Chance: 1})
	r.start(func(b *Bot) { b.opts.Engine, b.settings().Play.Takebacks = e, 1 })
	alice = r.challengeAsHuman(withColor(casual, "white"))
	alice.play(0, "e2e4")
	e.thinking(t, "e2e4")
	e.proceed <- struct{}{}
	r.plies(alice.id, 2)
	moves = alice.moves()
	alice.play(2, "a2a3")
	e.thinking(t, strings.Join(append(moves, "a2a3"), " "))
	alice.perform(lichesstest.Action{AskTakeback: true})
	waittest.Until(t, "the move is taken back", func() bool { return len(alice.moves()) == 2 })
	return alice, moves
}

// startThinking starts a game with a bot, which thinks about its first move.
func startThinking(t *testing.T) (r *rig, b *runningBot, e *gatedEngine, rival *botOpponent) {
	t.Helper()
	r, e = newRig(t, lichesstest.Options{}), newGatedEngine()
	b = r.start(func(b *Bot) { b.opts.Engine = e })
	rival = r.challengeAsBot(withColor(blitz, "white"))
	rival.play(0, "e2e4")
	e.thinking(t, "e2e4")
	return r, b, e, rival
}

func TestGame_TakebackRedirectsSearch(t *testing.T) {
	for name, again := range map[string]string{"another move": "h2h3", "the same move": "a2a3"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, e := newRig(t, lichesstest.Options{}), newGatedEngine()
				alice, moves := startTakeback(t, r, e)
				alice.play(2, again)
				e.thinking(t, strings.Join(append(moves, again), " "))
				e.proceed <- struct{}{}
				r.plies(alice.id, 4)
				r.checkNoViolations()
			})
		})
	}
}

func TestGame_TakebacksAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, e := newRig(t, lichesstest.Options{}), newGatedEngine()
		alice, moves := startTakeback(t, r, e)
		alice.play(2, "h2h3")
		e.thinking(t, strings.Join(append(moves, "h2h3"), " "))
		alice.perform(lichesstest.Action{AskTakeback: true})
		waittest.Until(t, "both are answered", func() bool { return r.requests(endpointTakeback) >= 2 })
		e.proceed <- struct{}{}
		r.plies(alice.id, 4)
		synctest.Wait()
		if n := r.requests(endpointTakeback); n != 2 {
			t.Errorf("%d answers to 2 requests", n)
		}
		r.checkNoViolations()
	})
}

func TestGame_LostReplyIsResolved(t *testing.T) {
	for name, fault := range map[string]func(*lichesstest.Faults){
		"other protocol":     inject("switch", lichesstest.When{Class: "move", Next: 1}),
		"done, reply lost":   inject("lose", lichesstest.When{Class: "move", Next: 1}),
		"not done, 503":      inject("fail", lichesstest.When{Class: "move", Next: 1, Status: 503}),
		"refused by a proxy": inject("fail", lichesstest.When{Class: "move", Next: 2, Status: 400}),
		"refused once":       inject("fail", lichesstest.When{Class: "move", Next: 1, Status: 400, Text: "Invalid UCI: no such move"}),
		"refused twice":      inject("fail", lichesstest.When{Class: "move", Next: 2, Status: 400, Text: "Invalid UCI: no such move"}),
		"too many requests":  inject("limit", lichesstest.When{Class: "move", For: time.Second, Style: lichesstest.LimitSeconds}),
		"stream cut as well": func(f *lichesstest.Faults) {
			f.Inject("lose", lichesstest.When{Class: "move", Next: 1})
			f.Inject("cut", lichesstest.When{Next: 1})
		},
		"stream silent as well": func(f *lichesstest.Faults) {
			f.Inject("lose", lichesstest.When{Class: "move", Next: 1})
			f.Inject("stall", lichesstest.When{Next: 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _, e, rival := startThinking(t)
				fault(r.Faults)
				e.proceed <- struct{}{}
				r.plies(rival.id, 2)
				moves := rival.moves()
				rival.play(2, "a2a3")
				e.thinking(t, strings.Join(append(moves, "a2a3"), " "))
				r.checkNoViolations()
			})
		})
	}
}

// A server that refuses every move for a while is asked at growing pauses, with an
// error each time, and gets the move we want in the end.
func TestGame_RefusalsAreNoLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, e, rival := startThinking(t)
		const refusals = 5
		r.Faults.Inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400, Text: "Invalid UCI: no such move"})
		posts, streams := r.requests(endpointMove), r.requests(endpointGameStream)
		e.proceed <- struct{}{}
		r.plies(rival.id, 2)
		waittest.Until(t, "the last post is counted", func() bool { return r.requests(endpointMove)-posts > refusals })
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
	const refusals = 3
	for name, fault := range map[string]func(*lichesstest.Faults){
		"a proxy's page":     inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400}),
		"a forbidding proxy": inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 403}),
		"an empty body":      inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400, Text: ""}),
		"not your turn":      inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400, Text: "Not your turn, or game already over"}),
		"no reason":          inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400, Text: "move refused for some reason"}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _, e, rival := startThinking(t)
				board := rulestest.Game(t, "e2e4")
				wanted, err := e.fakeEngine.Search(t.Context(), board, game.SearchLimits{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				fault(r.Faults)
				e.proceed <- struct{}{}
				r.plies(rival.id, 2)
				if got := rival.moves()[1]; got != wanted.Move.String() {
					t.Errorf("played %s, want %s\n%s", got, wanted.Move, r.log)
				}
				if errs := r.log.errors(); len(errs) > 0 {
					t.Errorf("errors logged: %v", errs)
				}
				r.checkNoViolations()
			})
		})
	}
}

func TestGame_FallbackMove(t *testing.T) {
	for name, e := range map[string]game.Engine{
		"engine fails":         engineFunc(func(*rules.Game) (game.SearchResult, error) { return game.SearchResult{}, errors.New("broken") }),
		"engine finds no move": engineFunc(func(*rules.Game) (game.SearchResult, error) { return game.SearchResult{}, nil }),
		"engine's move illegal": engineFunc(func(*rules.Game) (game.SearchResult, error) {
			return game.SearchResult{Move: rules.NewDrop(rules.Queen, rules.E1)}, nil
		}),
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(func(b *Bot) { b.opts.Engine = e })
			rival := r.challengeAsBot(withColor(blitz, "white"))
			rival.play(0, "e2e4")
			r.plies(rival.id, 2)
			errs := r.log.errors()
			if len(errs) != 1 || errs[0]["fen"] == "" {
				t.Errorf("logged %v, want one error with the position", errs)
			}
			r.checkNoViolations()
		})
	}
}

func TestGame_SearchEndsBeforeFlag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The search ends after a quarter of the clock: the rest is slack for a busy
		// machine.
		r := newRig(t, lichesstest.Options{})
		e := newGatedEngine()
		r.start(func(b *Bot) { b.opts.Engine, b.settings().Engine.MoveOverhead = e, 4*time.Second })
		rival := r.challengeAsBot(withColor(lichesstest.ChallengeSpec{Limit: 5 * time.Second}, "white"))
		rival.play(0, "e2e4")
		e.thinking(t, "e2e4")
		e.proceed <- struct{}{} // the first move's clock does not run
		r.plies(rival.id, 2)
		rival.play(2, "a2a3") // never let go: only the bot's own deadline ends this search
		r.plies(rival.id, 4)
		if result, _ := r.Game(rival.id); result.Status != "started" {
			t.Errorf("the game ended by %s", result.Status)
		}
	})
}

func TestGame_NoShowIsAborted(t *testing.T) {
	for _, color := range []string{"white", "black"} {
		runInBubble(t, color, func(t *testing.T, r *rig) {
			r.AddHuman("alice", lichesstest.Idle())
			bot := r.start(func(b *Bot) { b.settings().Games.AbortAfter = time.Hour })
			other := r.challengeAsBot(withColor(blitz, "white"))
			other.play(0, "e2e4")
			r.plies(other.id, 2) // however long that took
			o := *bot.settings()
			o.Games.AbortAfter = 50 * time.Millisecond
			bot.Reload(&o)
			if result := r.finished(r.Challenge("alice", botName, withColor(blitz, color))); result.Status != "aborted" {
				t.Errorf("ended by %s", result.Status)
			}
			other.play(2, "a2a3")
			r.plies(other.id, 4) // the other game goes on
			if err := other.Resign(t.Context(), other.id); err != nil {
				t.Fatal(err)
			}
			waittest.Until(t, "slots are free", func() bool { return len(bot.Running()) == 0 })
		})
	}
}

func TestGame_Chat(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		long := "Hello {opponent}! " + strings.Repeat("x", 200)
		quiet := peaceful(4, 0)
		r.AddHuman("alice", func(ctx context.Context, t lichesstest.Turn) lichesstest.Action {
			a := quiet(ctx, t)
			a.Chat = "hi"
			return a
		})
		bot := r.start(func(b *Bot) { b.settings().Chat.Greeting, b.settings().Chat.Goodbye = long, "Bye!" })
		id := r.Challenge("alice", botName, blitz)
		r.finished(id)
		bot.Drain()
		if err := bot.wait(); err != nil {
			t.Fatal(err)
		}
		messages, err := r.client().ChatMessages(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, m := range messages {
			if m.User == botName {
				said = append(said, m.Text)
			}
		}
		if len(said) != 2 || !strings.HasPrefix(said[0], "Hello alice! xxx") || len(said[0]) != lichess.MaxChatLength || said[1] != "Bye!" {
			t.Errorf("said %q", said)
		}
	})
}

// newRepeatingEngine moves its king's knight to and fro. It fails the test if it is asked
// for a move at some ply.
func newRepeatingEngine(t *testing.T, never int) game.Engine {
	return engineFunc(func(g *rules.Game) (game.SearchResult, error) {
		if g.Ply() == never {
			t.Errorf("asked for a move at ply %d", never)
		}
		p := g.Position()
		for _, uci := range []string{"g1f3", "f3g1", "g8f6", "f6g8"} {
			if m, err := p.ParseUCI(uci); err == nil && p.IsLegal(m) {
				return game.SearchResult{Move: m}, nil
			}
		}
		return game.SearchResult{}, errNoMove
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
			r.start(func(b *Bot) { b.opts.Engine = newRepeatingEngine(t, 8) })
			rival := r.challengeAsBot(withColor(blitz, tt.color))
			for ply := tt.turn; ply < 8; ply += 2 {
				rival.play(ply, shuffle[ply%4])
			}
			result := r.finished(rival.id)
			if result.Status != "draw" || result.Plies != 8 {
				t.Errorf("ended by %s after %d plies", result.Status, result.Plies)
			}
			waittest.Until(t, "the game is archived", func() bool { return len(r.archive.saved()) == 1 })
			synctest.Wait() // the last reply is counted
			if n := r.requests(endpointMove); n != 4 {
				t.Errorf("%d moves posted, want 4: none after the repetition", n)
			}
			r.checkNoViolations()
		})
	}
}

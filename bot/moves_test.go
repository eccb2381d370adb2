package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// casual is a game in which takebacks may be granted.
var casual = lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second}

// startThinking starts a game with a bot, which thinks about its first move.
func startThinking(t *testing.T, r *rig) (b *runningBot, e *gatedEngine, rival *botOpponent) {
	t.Helper()
	e = newGatedEngine()
	b = r.start(func(b *Bot) { b.opts.Engine = e })
	rival = r.challengeAsBot(withColor(blitz, "white"))
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
			r.Faults.Inject("duplicate", lichesstest.When{Chance: 1})
			r.start(func(b *Bot) { b.opts.Engine, b.settings().Play.Takebacks = e, 1 })
			alice := r.challengeAsHuman(withColor(casual, "white"))
			alice.play(0, "e2e4")
			e.thinking(t, "e2e4")
			e.proceed <- struct{}{}
			r.plies(alice.id, 2)
			moves := alice.moves()
			alice.play(2, "a2a3")
			e.thinking(t, strings.Join(append(moves, "a2a3"), " "))
			alice.perform(lichesstest.Action{AskTakeback: true})
			waittest.Until(t, "the move is taken back", func() bool { return len(alice.moves()) == 2 })
			alice.play(2, again)
			e.thinking(t, strings.Join(append(moves, again), " "))
			alice.perform(lichesstest.Action{AskTakeback: true})
			waittest.Until(t, "both are answered", func() bool { return r.requests(endpointTakeback) >= 2 })
			e.proceed <- struct{}{}
			r.plies(alice.id, 4)
			synctest.Wait()
			r.checkRequests(endpointTakeback, 2)
		})
	}
}

// Whatever happens to a move, it is made once and the game goes on; a bot that drains takes as
// much care of its moves as any other.
func TestGame_LostReplyIsResolved(t *testing.T) {
	for name, fault := range map[string]func(*lichesstest.Faults){
		"done, reply lost":   inject("lose", lichesstest.When{Class: "move", Next: 1}),
		"not done, 503":      inject("fail", lichesstest.When{Class: "move", Next: 1, Status: 503}),
		"refused by a proxy": inject("fail", lichesstest.When{Class: "move", Next: 2, Status: 400}),
		"refused twice":      inject("fail", lichesstest.When{Class: "move", Next: 2, Status: 400, Text: "Invalid UCI: no such move"}),
		"too many requests":  inject("limit", lichesstest.When{Class: "move", For: time.Second, Style: lichesstest.LimitSeconds}),
		"unanswered":         inject("hole", lichesstest.When{Next: 1}),
		"stream cut as well": func(f *lichesstest.Faults) {
			f.Inject("lose", lichesstest.When{Class: "move", Next: 1})
			f.Inject("cut", lichesstest.When{Next: 1})
		},
		"stream silent as well": func(f *lichesstest.Faults) {
			f.Inject("lose", lichesstest.When{Class: "move", Next: 1})
			f.Inject("stall", lichesstest.When{Next: 1})
		},
	} {
		for _, drains := range []bool{false, true} {
			runInBubble(t, fmt.Sprintf("%s, drains %t", name, drains), func(t *testing.T, r *rig) {
				b, e, rival := startThinking(t, r)
				if drains {
					b.Drain()
				}
				fault(r.Faults)
				e.proceed <- struct{}{}
				r.plies(rival.id, 2)
				moves := rival.moves()
				rival.play(2, "a2a3")
				e.thinking(t, strings.Join(append(moves, "a2a3"), " "))
				if b.ended() {
					t.Error("the bot has ended before its game")
				}
				rival.resign()
				b.drain()
			})
		}
	}
}

// A server that refuses every move for a while is asked at growing pauses, with an
// error each time, and gets the move we want in the end.
func TestGame_RefusalsAreNoLoop(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		_, e, rival := startThinking(t, r)
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
		"a proxy's page": inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400}),
		"not your turn":  inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400, Text: "Not your turn, or game already over"}),
		"no reason":      inject("fail", lichesstest.When{Class: "move", Next: refusals, Status: 400, Text: "move refused for some reason"}),
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			_, e, rival := startThinking(t, r)
			wanted, err := e.fakeEngine.Search(t.Context(), rulestest.Game(t, "e2e4"), game.SearchLimits{}, nil)
			r.must(err)
			fault(r.Faults)
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
	for name, e := range map[string]game.Engine{
		"engine fails":         engineFunc(func(*rules.Game) (game.SearchResult, error) { return game.SearchResult{}, errors.New("broken") }),
		"engine finds no move": engineFunc(func(*rules.Game) (game.SearchResult, error) { return game.SearchResult{}, nil }),
		"engine's move illegal": engineFunc(func(*rules.Game) (game.SearchResult, error) {
			return game.SearchResult{Result: engine.Result{Move: rules.NewDrop(rules.Queen, rules.E1)}}, nil
		}),
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(func(b *Bot) { b.opts.Engine = e })
			rival := r.challengeAsBot(withColor(blitz, "white"))
			rival.exchange("e2e4")
			errs := r.log.errors()
			if len(errs) != 1 || errs[0]["fen"] == "" {
				t.Errorf("logged %v, want one error with the position", errs)
			}
		})
	}
}

// The search ends after a quarter of the clock: the rest is slack for a busy machine.
func TestGame_SearchEndsBeforeFlag(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		e := newGatedEngine()
		r.start(func(b *Bot) { b.opts.Engine, b.settings().Engine.MoveOverhead = e, 4*time.Second })
		rival := r.challengeAsBot(withColor(lichesstest.ChallengeSpec{Limit: 5 * time.Second}, "white"))
		e.proceed <- struct{}{}        // the first move's clock does not run
		rival.exchange("e2e4", "a2a3") // only the bot's own deadline ends the second search
		if result, _ := r.Game(rival.id); result.Status != "started" {
			t.Errorf("the game ended by %s", result.Status)
		}
	})
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
			bot := r.start(func(b *Bot) { b.settings().Games.AbortAfter = time.Hour })
			other := r.challengeAsBot(withColor(blitz, "white"))
			other.exchange("e2e4")
			if tt.ours {
				o := *bot.settings()
				o.Games.AbortAfter = 50 * time.Millisecond
				bot.Reload(&o)
			}
			alice := r.challengeAsHuman(withColor(blitz, tt.color))
			if !tt.ours {
				alice.perform(lichesstest.Action{Abort: true})
			}
			if result := r.finished(alice.id); result.Status != "aborted" {
				t.Errorf("ended by %s", result.Status)
			}
			waittest.Until(t, "the slot is free", func() bool { return !bot.games.Has(alice.id) })
			if o := opponentOf(r.state, humanName); len(o.Aborts) != tt.aborts || o.Reason != tt.reason {
				t.Errorf("%d aborts, reason %q; want %d, %q", len(o.Aborts), o.Reason, tt.aborts, tt.reason)
			}
			other.exchange("a2a3")
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
		bot.drain()
		said := r.chatSent(id)
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
				return game.SearchResult{Result: engine.Result{Move: m}}, nil
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
			r.archived(1)
			synctest.Wait() // the last reply is counted
			r.checkRequests(endpointMove, 4)
		})
	}
}

package bot

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// Two programs with one token end each other's event stream. Both say so, and
// games go on. A server that restarts is no second program, however often.
func TestRun_Duplicate(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(20, 0))
		r.start(nil)
		id := r.challenge("alice", "")
		r.plies(id, 2)
		r.start(func(b *setup) { b.opts.Archive = nil })
		if d := await[event.Duplicate](r, 1)[0]; d.Game != "" || d.RetryIn < 30*time.Second {
			t.Errorf("it is reported as %+v", d)
		}
		r.finished(id)
	})
	inBubble(t, func(t *testing.T, r *rig) {
		r.start(nil)
		for n := range 3 {
			r.Restart(300 * time.Millisecond)
			await[event.StreamOpened](r, n+2)
		}
		if n := len(seen[event.Duplicate](r)); n != 0 {
			t.Errorf("a second instance was seen %d times", n)
		}
		if opened := seen[event.StreamOpened](r); opened[0].Reopened || !opened[3].Reopened {
			t.Errorf("opened %+v", opened)
		}
		r.checkRequests(endpointEventStream, 4)
	})
}

// A second program with a token of its own hears of all that ours does. Where it makes our move or accepts a challenge,
// ours plays on without a second post, and says once what to do.
func TestRun_AnotherToken(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("bob", lichesstest.Idle())
		other, e := r.clientOf(r.AddToken(botName, "bot:play"), nil), newGatedEngine()
		b := r.start(func(b *setup) {
			b.opts.Engine = e
			oneGame(b)
		})
		alice := r.challengeAsHuman("white")
		for ply, move := range strings.Fields("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 d2d3") {
			if ply%2 == 0 {
				alice.play(ply, move)
				e.thinking(t, strings.Join(alice.moves(), " "))
				continue
			}
			if ply == 5 { // both move, and ours comes too late
				r.fault("fail move x1 400: Not your turn, or game already over")
				e.proceed <- struct{}{}
				r.until("our move is refused", func() bool { return r.requests(endpointMove) == 1 })
			}
			r.must(other.Move(t.Context(), lichess.MoveRequest{GameID: alice.id, UCI: move, Ply: ply}))
		}
		e.proceed <- struct{}{}
		r.plies(alice.id, 8)
		next := r.challenge("bob", "black")
		await[event.ChallengeDecided](r, 2)
		r.must(other.AcceptChallenge(t.Context(), next, lichess.Human))
		r.until("both games are played", func() bool { return len(b.Running()) == 2 })
		await[event.ChallengeClosed](r, 2)
		r.checkRequests(endpointMove, 2)
		if d := seen[event.Duplicate](r); len(d) != 1 || d[0].Game != alice.id {
			t.Errorf("reported as %+v", d)
		}
		for _, text := range []string{"account's games, too", "has accepted a challenge", "beyond games.max"} {
			if r.log.Count(text) != 1 {
				t.Errorf("%q is not in the log once:\n%s", text, r.log)
			}
		}
	})
}

// Two bots of one account, each with a token, play a game to its end, whether they are two of one version, which end
// each other's streams of it and leave them to each other, or not. They notice, and neither posts twice on a turn.
func TestRun_TwoBots(t *testing.T) {
	for _, agent := range []string{"zhbot/dev", "another/1"} {
		runInBubble(t, agent, func(t *testing.T, r *rig) {
			r.crossed = true
			r.change = func(o *lichess.Options) { o.UserAgent = agent }
			r.AddHuman("alice", peaceful(60, time.Second))
			for n := range 2 {
				r.start(func(b *setup) {
					b.timing, b.opts.Archive = lichessTiming, nil
					if n == 1 {
						b.opts.Client = r.clientOf(r.AddToken(botName, "bot:play"), nil)
					}
					b.opts.Engine = &fakeEngine{peace: 60, hook: func(s *search) error {
						_ = lichess.Sleep(s.ctx, time.Second)
						if moves := s.Position().LegalMoves(); s.Ply() < 60 {
							s.found.Move = moves[n*(len(moves)-1)]
						}
						return nil
					}}
					oneGame(b)
				})
				r.change = nil
			}
			id := r.challenge("alice", "")
			end := r.finished(id)
			if d := await[event.Duplicate](r, 1); d[0].Game != id || len(d) > 2 {
				t.Errorf("noticed as %+v", d)
			}
			if n := r.requests(endpointMove); n > (end.Plies+1)/2 {
				t.Errorf("%d posts in %d plies\n%s", n, end.Plies, r.log)
			}
			left := slices.ContainsFunc(seen[event.StreamLost](r), func(e event.StreamLost) bool {
				return e.Game == id && e.RetryIn >= lichessTiming.games.Stream.DuplicateBackoff.Initial
			})
			if left != (agent == "zhbot/dev") {
				t.Errorf("the stream of the game is left to the other: %t\n%s", left, r.log)
			}
		})
	}
}

// A stream misses a move: nothing but the list of games in play ever tells.
func TestGame_FindsAMissedMove(t *testing.T) {
	for name, tt := range map[string]struct {
		color  string // the person's
		change func(*setup)
	}{
		"of the opponent":            {"white", func(b *setup) { b.timing.games.SyncLive = 50 * time.Millisecond }},
		"the first, before an abort": {"white", func(b *setup) { b.settings().Games.AbortAfter = 10 * time.Second }},
		"of ours":                    {"black", nil},
	} {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.start(tt.change)
			r.fault("miss x1")
			p := r.challengeAsHuman(tt.color)
			if tt.color == "white" {
				r.joined(p.id)
				p.exchange("e2e4")
			} else {
				r.plies(p.id, 1)
			}
			r.until("the game is read again", func() bool { return r.requests(endpointGameStream) > 1 })
			if result, _ := r.Game(p.id); result.Status != "started" {
				t.Errorf("ended by %s", result.Status)
			}
			synctest.Wait()
			r.checkRequests(endpointGameStream, 2)
		})
	}
}

// The first line of a stream may come after that of a later move, which is no takeback; that of
// a game that ends meanwhile is its last.
func TestGame_LateFirstLine(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		bot := r.start(nil)
		for n := range 2 {
			r.fault("late x1")
			p := r.challengeAsHuman("white")
			r.until("the stream is being opened", func() bool { return r.requests(endpointGameStream) == n+1 })
			if n == 0 {
				p.exchange("e2e4", "g1f3")
				p.resign()
			} else {
				p.perform(lichesstest.Action{Abort: true})
			}
			bot.plays()
			r.checkRequests(endpointGameStream, n+1)
		}
	})
}

package bot

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game/stream"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestBot_PlaysWholeGames(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		const games, most = 8, 3
		opponents := []string{"alice", "bob"}
		for i, name := range opponents {
			r.AddHuman(name, lichesstest.Greedy(uint64(i)))
		}
		bot := r.start(func(b *setup) { b.settings().Games = config.Games{Max: most} })
		ends := r.playAll(games, 4, "", opponents...)
		if n := ends["mate"] + ends["draw"] + ends["stalemate"]; n != games {
			t.Errorf("games ended as %v, want all by the rules", ends)
		}
		bot.drain()
		if n := len(r.archive.saved()); n != games {
			t.Errorf("%d games archived, want %d", n, games)
		}
		if n := r.Audit(botName).MaxConcurrent; n != most {
			t.Errorf("%d games at once, want %d", n, most)
		}
		r.checkNoErrors()
	})
}

func TestBot_Archives(t *testing.T) {
	for i, color := range []string{"white", "black"} {
		runInBubble(t, color, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(6, 0))
			r.startPeaceful(6)
			id := r.challenge("alice", color)
			result, g := r.finished(id), r.archived(1)[0]
			if g.ID != id || g.Site != r.URL()+"/"+id || g.Status != result.Status ||
				g.Result != record.ResultOf(g.Status, result.Winner) || !g.Rated {
				t.Errorf("archived %+v of %+v", g, result)
			}
			if g.White.Name != result.White || g.Black.Name != result.Black {
				t.Errorf("archived as %s against %s, played %s against %s", g.White.Name, g.Black.Name,
					result.White, result.Black)
			}
			if !g.RatingKnown || (g.White.RatingDiff > 0) != (result.Winner == "white") ||
				(g.Black.RatingDiff > 0) != (result.Winner == "black") {
				t.Errorf("rating changes %+d and %+d, winner %s", g.White.RatingDiff, g.Black.RatingDiff, result.Winner)
			}
			if g.Board.Ply() != result.Plies || len(g.Notes) != result.Plies {
				t.Fatalf("%d moves and %d notes of %d", g.Board.Ply(), len(g.Notes), result.Plies)
			}
			for ply, n := range g.Notes[:result.Plies-1] { // a mate has no worth
				if ours := ply%2 != i; !n.HasClock || n.Eval.Known != ours {
					t.Errorf("ply %d: %+v", ply, n)
				}
			}
		})
	}
}

// A game is played to its end, once, whatever happens in the middle of it, and the bot with it.
func TestBot_Faults(t *testing.T) {
	type story struct {
		words  string // the terms
		change func(*setup)
		before []string // faults from the start,
		then   []string // and after six plies
		do     func(*rig, *runningBot)
	}
	const plies = 40 // of a game, at least
	drain := func(_ *rig, b *runningBot) { b.Drain() }
	restart := func(r *rig, _ *runningBot) { r.Restart(200 * time.Millisecond) }
	disturb := func(r *rig, b *runningBot) { // so that there are requests of each class
		r.Restart(time.Millisecond)
		b.games.RequestSync()
		r.begin("bob", "")
	}
	lichessWaits := func(b *setup) { b.timing.games.Stream.FirstEvent = stream.LichessTiming().FirstEvent }
	stories := map[string]story{
		"one-byte chunks":       {before: []string{"chunk 100%"}},
		"cut streams":           {before: []string{"cut 10%"}},
		"all of them":           {before: []string{"cut 3%", "duplicate 10%", "odd 10%", "fail 5%", "lose 5%"}},
		"restart of the server": {then: []string{}, do: restart},
		// After an outage whatever finds the server back first wakes all games.
		"long pauses": {then: []string{}, do: restart, change: func(b *setup) {
			b.timing.games.Stream.Reopen = event.Backoff{Initial: time.Hour, Max: time.Hour}
			b.timing.games.Stream.ReopenEarlyMax = time.Hour
		}},
		// A wait of a minute, as far as one knows, and a clock of seconds.
		"429":          {words: "4s+0s", then: []string{"limit game 1s", "limit move 500ms", "cut x1"}},
		"empty events": {then: []string{"empty events x5"}, do: restart},
		"empty stream": {then: []string{"empty game x5"}, do: restart},
		"odd types":    {before: []string{"types 100%"}, then: []string{}, do: disturb},
		"odd types, again": {before: []string{"types 100%"}, then: []string{}, do: func(r *rig, b *runningBot) {
			b.halt()
			r.startPeaceful(plies)
		}},
	}
	// Fields of requests and lines, what stands before the server, and lines that are none.
	for _, then := range []string{
		"status x1", "status x1; stall x1", "status x3; cut x1", "status 100%",
		"fail game x3 400; cut x1", "fail game x3 401; cut x1", "fail game x3 404; cut x1",
	} {
		stories[then] = story{before: strings.Split(then, "; ")[:1], then: strings.Split(then, "; ")}
	}
	for _, text := range []string{
		"\n", "{\n", `{"type":"chatLine","room":"player","username":"lichess","text":"hello"}` + "\n",
	} {
		mute := "mute game x1: " + text
		stories[mute] = story{
			words: "15s+0s", change: lichessWaits, before: []string{mute}, then: []string{"cut game x1", mute},
		}
	}
	for _, class := range []string{"move", "account", "game", "events", "challenge"} {
		for _, fault := range []string{"fail " + class + " x1 401: No such token", "switch " + class + " x1"} {
			stories[fault] = story{then: []string{fault}, do: disturb}
		}
	}
	// A bot that drains takes as much care of its moves as any other.
	for _, then := range []string{
		"lose move x1", "fail move x1 503", "fail move x2 400", "fail move x2 400: Invalid UCI: no such move",
		"limit move 1s seconds", "hole x1", "lose move x1; cut x1", "lose move x1; stall x1",
	} {
		stories[then] = story{then: strings.Split(then, "; ")}
		stories[then+", draining"] = story{then: strings.Split(then, "; "), do: drain}
	}
	for name, tt := range stories {
		runInBubble(t, name, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(plies, 2*time.Millisecond))
			r.AddHuman("bob", peaceful(plies, time.Second))
			bot := r.start(func(b *setup) {
				if b.opts.Engine = (&fakeEngine{peace: plies}); tt.change != nil {
					tt.change(b)
				}
			})
			r.fault(tt.before...)
			id := r.challenge("alice", tt.words)
			r.plies(id, 6)
			if r.fault(tt.then...); tt.do != nil {
				tt.do(r, bot)
			}
			r.mated(id)
			if g := r.archived(1)[0]; g.Status != "mate" || g.Board.Ply() < plies {
				t.Errorf("recorded as %s after %d plies", g.Status, g.Board.Ply())
			}
			if n := len(seen[event.GameAbandoned](r)) + len(seen[event.Duplicate](r)); n != 0 &&
				tt.then != nil && !strings.Contains(name, "again") {
				t.Errorf("the game was given up, or another program was seen, %d times", n)
			}
			if tested := r.requests(endpointTokenTest) > 1; strings.Contains(name, "No such token") && !tested {
				t.Error("the token was not tested again")
			}
			if !bot.ended() {
				bot.drain()
			}
		})
	}
}

// Games in progress are resumed after a kill, beyond games.max and without the event stream.
func TestBot_ResumesAfterKill(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(60, 5*time.Millisecond))
		first := r.startPeaceful(60)
		var ids []string
		for range 3 {
			ids = append(ids, r.begin("alice", "").id)
		}
		for _, id := range ids {
			r.plies(id, 10)
		}
		first.halt()
		synctest.Wait() // for the move that was on its way
		if left, want := first.Running(), r.Playing(botName); len(left) != len(want) {
			t.Errorf("the killed bot names %v as left, the server runs %v", left, want)
		}
		r.fault("fail events x1000000 503")
		r.launch(func(b *setup) {
			b.opts.Engine = &fakeEngine{peace: 60}
			oneGame(b)
		})
		for _, id := range ids {
			if result := r.finished(id); result.Status == "outoftime" {
				t.Errorf("game %s lost on time", id)
			}
		}
		r.archived(len(ids))
		if r.log.Count("beyond games.max") != 0 {
			t.Errorf("another program was seen:\n%s", r.log)
		}
	})
}

// playAll has opponents challenge our bot for games, some at once, and counts how they end.
func (r *rig) playAll(games, atOnce int, words string, opponents ...string) map[string]int {
	r.t.Helper()
	ends := map[string]int{}
	plan := lichesstest.Schedule{
		Bot: botName, Opponents: opponents, Games: games, Concurrency: atOnce, RetryDelay: 5 * time.Second,
		Spec: func(int) lichesstest.ChallengeSpec { return terms(words) },
	}
	r.must(r.RunGames(r.t.Context(), plan, func(g lichesstest.Result) { ends[fmt.Sprint(g.Status)]++ }))
	return ends
}

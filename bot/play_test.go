package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

func TestBot_PlaysWholeGames(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		const most = 3
		opponents := []string{"alice", "bob"}
		for i, name := range opponents {
			r.AddHuman(name, lichesstest.Greedy(uint64(i)))
		}
		bot := r.start(func(b *Bot) { b.games.Resize(config.Games{Max: most}) })
		ends := map[lichess.Status]int{}
		plan := lichesstest.Schedule{
			Bot: botName, Opponents: opponents, Games: 8, Concurrency: 4,
			Spec: func(int) lichesstest.ChallengeSpec { return blitz },
		}
		r.must(r.RunGames(t.Context(), plan, func(result lichesstest.Result) { ends[result.Status]++ }))
		if n := ends["mate"] + ends["draw"] + ends["stalemate"]; n != plan.Games {
			t.Errorf("games ended as %v, want all by the rules", ends)
		}
		bot.drain()
		if n := len(r.archive.saved()); n != plan.Games {
			t.Errorf("%d games archived, want %d", n, plan.Games)
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
			id := r.Challenge("alice", botName, withColor(blitz, color))
			result := r.finished(id)
			r.archived(1)
			g := r.archive.saved()[0]
			if g.ID != id || g.Site != r.URL()+"/"+id || g.Status != result.Status || g.Result != record.ResultOf(g.Status, result.Winner) || !g.Rated {
				t.Errorf("archived %+v of %+v", g, result)
			}
			if g.White.Name != result.White || g.Black.Name != result.Black {
				t.Errorf("archived as %s against %s, played %s against %s", g.White.Name, g.Black.Name, result.White, result.Black)
			}
			if !g.RatingKnown || (g.White.RatingDiff > 0) != (result.Winner == "white") || (g.Black.RatingDiff > 0) != (result.Winner == "black") {
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

func TestBot_Faults(t *testing.T) {
	tests := []struct {
		name   string
		faults func(*lichesstest.Faults)
	}{
		{"one-byte chunks", inject("chunk", lichesstest.When{Chance: 1})},
		{"cut streams", inject("cut", lichesstest.When{Chance: 0.1})},
		{"all of them", func(f *lichesstest.Faults) {
			f.Inject("cut", lichesstest.When{Chance: 0.03})
			f.Inject("duplicate", lichesstest.When{Chance: 0.1})
			f.Inject("odd", lichesstest.When{Chance: 0.1})
			f.Inject("fail", lichesstest.When{Chance: 0.05})
			f.Inject("lose", lichesstest.When{Chance: 0.05})
		}},
	}
	for i, tt := range tests {
		runInBubble(t, tt.name, func(t *testing.T, r *rig) {
			r.AddHuman("alice", peaceful(80, 0))
			r.startPeaceful(80)
			tt.faults(r.Faults)
			id := r.Challenge("alice", botName, withColor(blitz, []string{"white", "black"}[i%2]))
			result := r.finished(id)
			if result.Status != "mate" || result.Plies < 80 {
				t.Errorf("game ended by %s after %d plies, want mate after 80 or more\n%s", result.Status, result.Plies, r.log)
			}
		})
	}
}

func TestBot_ResumesAfterKill(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(60, 5*time.Millisecond))
		patient := func(b *Bot) { b.opts.Engine = &fakeEngine{peace: 60} }
		first := r.startPeaceful(60)
		var ids []string
		for range 3 {
			ids = append(ids, r.begin("alice", blitz).id)
		}
		for _, id := range ids {
			r.plies(id, 10)
		}
		first.halt()
		synctest.Wait() // for the move that was on its way
		left := first.Running()
		if want := len(r.Playing(botName)); len(left) != want {
			t.Errorf("the killed bot names %v as left, the server runs %d", left, want)
		}

		r.start(func(b *Bot) {
			patient(b)
			b.games.Resize(config.Games{Max: 1})
		})
		for _, id := range ids {
			if result := r.finished(id); result.Status == "outoftime" {
				t.Errorf("game %s lost on time", id)
			}
		}
		r.archived(len(ids))
	})
}

func TestBot_SurvivesRestartOfServer(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(60, 2*time.Millisecond))
		r.startPeaceful(60)
		id := r.Challenge("alice", botName, blitz)
		r.plies(id, 6)
		r.Restart(200 * time.Millisecond)
		if result := r.finished(id); result.Status == "outoftime" {
			t.Errorf("lost on time after a restart\n%s", r.log)
		}
	})
}

package bot

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// A gauntlet goes on after a kill: each pair is complete, and no game is too many. An aborted
// game is played again.
func TestGauntlet_SurvivesKills(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, name := range []string{"alice", "bob", "carol"} {
			r.partner(name, peaceful(8, 5*time.Millisecond), accept)
		}
		r.SetBio("bob", "") // so the list of online bots lacks it
		dir := t.TempDir()
		r.openState(dir)
		configure := func(b *setup) {
			b.opts.History = r.archive
			withMatchmaking(func(m *config.Matchmaking) {
				m.Enabled, m.GamesPerDay = false, 2400 // nothing but the gauntlet
			})(b)
		}
		clock := lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}
		run := r.startReady(configure)
		const pairs = 4
		terms := matchmaking.NewGauntlet([]string{"Alice", "bob"}, clock, false, pairs)
		r.must(run.BeginGauntlet(t.Context(), terms))
		for _, games := range []int{1, 5, 10} {
			r.archived(games)
			run.halt()
			synctest.Wait()
			r.openState(dir)
			run = r.start(configure)
		}
		over := func() bool { g := run.Status().Gauntlet; return g != nil && g.Over }
		for end := time.Now().Add(30 * time.Minute); !over(); time.Sleep(10 * time.Second) { // Lichess limits challenges
			if time.Now().After(end) {
				t.Fatalf("the gauntlet is not over: %+v", run.Status().Gauntlet)
			}
		}
		games := map[string]int{}
		for _, g := range r.archive.saved() {
			if g.Clock != clock || g.Rated {
				t.Errorf("game %s at %s, rated %v", g.ID, g.Clock, g.Rated)
			}
			games[strings.ToLower(g.White.Name)+"-"+strings.ToLower(g.Black.Name)]++
		}
		for _, pairing := range []string{"zhbot-alice", "alice-zhbot", "zhbot-bob", "bob-zhbot"} {
			if games[pairing] != pairs {
				t.Errorf("%d games %s, want %d", games[pairing], pairing, pairs)
			}
		}
		if n := len(r.archive.saved()); n != 4*pairs {
			t.Errorf("%d games in all, want %d", n, 4*pairs)
		}
		matches := run.Status().Gauntlet.Matches
		if i := slices.IndexFunc(matches, func(m matchmaking.GauntletMatch) bool {
			return m.Games() != 2*pairs ||
				m.Begun != 2*pairs
		}); i >= 0 || len(matches) != 2 {
			t.Errorf("matches %+v", matches)
		}
	})
}

func TestGauntlet_Users(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.AddHuman("alice", peaceful(8, 0))
		r.partner("bob", peaceful(8, 0), declining("later"))
		r.partner("carol", peaceful(8, 0), accept)
		run := r.startReady(func(b *setup) { b.settings().Challenges.Block = []string{"Carol"} })
		for user, want := range map[string]string{"alice": "no bot", "nobody": "no such user",
			botName: "that is this bot", "carol": "blocked"} {
			g := matchmaking.NewGauntlet([]string{user}, lichess.Clock{Initial: time.Minute}, true, 1)
			if err := run.BeginGauntlet(t.Context(), g); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", user, err, want)
			}
		}
		if ended, _ := run.EndGauntlet(); ended || run.Status().Gauntlet != nil {
			t.Error("a gauntlet was begun")
		}
		err := run.BeginGauntlet(t.Context(), matchmaking.NewGauntlet([]string{"bob"},
			lichess.Clock{Initial: time.Minute}, true, 1))
		if err == nil || !strings.Contains(err.Error(), "only until the program ends") {
			t.Errorf("begun without a state file: %v", err)
		}
		if ended, _ := run.EndGauntlet(); !ended {
			t.Error("no gauntlet to end")
		}
	})
}

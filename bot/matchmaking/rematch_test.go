package matchmaking

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// rematchGame is a game of a human, who has White, against us.
func rematchGame() *lichess.GameFull {
	return &lichess.GameFull{
		ID: "zH4kQ2ab", Variant: lichess.Variant{Key: lichess.Crazyhouse}, Speed: lichess.Blitz, Rated: true,
		White: lichess.Player{ID: "alice", Name: "Alice"}, Black: lichess.Player{
			ID: "zhbot", Name: me, Title: "BOT", Rating: 2100,
		},
		Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
	}
}

// Only humans have a rematch, and only if the policy would accept their challenge.
func TestChallenger_CheckRematch(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*lichess.GameFull)
		rule   string
		ok     bool
	}{
		{"a human", func(*lichess.GameFull) {}, "challenges.humans", true},
		{"a bot", func(g *lichess.GameFull) { g.White.Title = "BOT" }, "send me a challenge", false},
		{
			"Lichess's computer", func(g *lichess.GameFull) { g.White = lichess.Player{AILevel: 3} },
			"send me a challenge", false,
		},
		{"nobody", func(g *lichess.GameFull) { g.White = lichess.Player{} }, "send me a challenge", false},
		{"a tournament", func(g *lichess.GameFull) { g.TournamentID = "arena" }, "this is a tournament", false},
		{"against the policy", func(g *lichess.GameFull) { g.Rated = false }, "challenges.humans.modes", false},
		{"draining", func(*lichess.GameFull) {}, "I am shutting down", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTestConfig(nil)
			c.Accepts = func(c *lichess.Challenge, rating int) (string, bool) {
				if rating != 2100 || c.RematchOf != "zH4kQ2ab" {
					t.Errorf("our rating is %d, and it is a rematch of %q", rating, c.RematchOf)
				}
				if !c.Rated {
					return "challenges.humans.modes", false
				}
				return "challenges.humans", true
			}
			if tt.name == "draining" {
				c.Games.Drain()
			}
			full := rematchGame()
			tt.change(full)
			if rule, ok := NewChallenger(c).CheckRematch(full, rules.Black); rule != tt.rule || ok != tt.ok {
				t.Errorf("%t by %q, want %t by %q", ok, rule, tt.ok, tt.rule)
			}
		})
	}
}

// A rematch has the terms of its game.
func TestRematchOf(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*lichess.GameFull)
		want   lichess.TimeControl
	}{
		{
			"clock", func(*lichess.GameFull) {},
			lichess.TimeControl{
				Type: lichess.ClockControl, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
			},
		},
		{
			"days", func(g *lichess.GameFull) { g.Clock, g.DaysPerTurn = lichess.Clock{}, 3 },
			lichess.TimeControl{Type: lichess.CorrespondenceControl, DaysPerTurn: 3},
		},
		{
			"unlimited", func(g *lichess.GameFull) { g.Clock = lichess.Clock{} },
			lichess.TimeControl{Type: lichess.UnlimitedControl},
		},
	} {
		full := rematchGame()
		tt.change(full)
		if c := rematchOf(full, &full.White); c.TimeControl != tt.want || !c.Rated || c.Challenger != &full.White {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}

// A person gets three rematches by chat a day, and all together six, over restarts too.
func TestChallenger_RematchesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, InMemory: true})
		dir, c := t.TempDir(), newTestConfig(s.Client(t, s.AddBot(me)))
		c.Accepts = func(*lichess.Challenge, int) (string, bool) { return "challenges.humans", true }
		ask := func(name string, want bool) {
			t.Helper()
			time.Sleep(time.Minute) // Lichess takes five challenges to people a minute
			file, err := record.OpenState(dir)
			if err != nil {
				t.Fatal(err)
			}
			c.Opponents = opponent.NewMemory(file, zerolog.Nop())
			challenger, full := NewChallenger(c), rematchGame()
			full.White.ID, full.White.Name = name, name
			if rule, ok := challenger.CheckRematch(full, rules.Black); ok != want ||
				!ok && rule != "send me a challenge" {
				t.Errorf("%s may have a rematch: %t by %q", name, ok, rule)
			}
			sent := len(s.Challenges(name))
			for range 2 { // two games end at once
				challenger.OfferRematch(t.Context(), full, rules.Black)
			}
			synctest.Wait()
			list := s.Challenges(name)
			if (len(list) > sent) != want {
				t.Errorf("%d challenges to %s, %d before", len(list), name, sent)
			}
			for _, created := range list[sent:] {
				challenger.Declined(&lichess.Challenge{ID: created.ID})
			}
			c.Opponents.Began("game", "somebody", false, time.Now(), time.Now()) // which forgets what is over
		}
		for _, name := range []string{"alice", "bob", "carol"} {
			s.AddHuman(name, lichesstest.Idle())
			s.AnswerChallenges(name, func(lichesstest.ChallengeSpec) lichesstest.Answer {
				return lichesstest.Answer{Silent: true}
			})
		}
		for _, tt := range []struct {
			name string
			want bool
		}{
			{"alice", true}, {"Alice", true}, {"ALICE", false}, {"bob", true}, {"bob", true}, {"carol", false},
			{"alice", false},
		} {
			ask(tt.name, tt.want)
		}
		if n := len(s.Challenges("alice")) + len(s.Challenges("bob")); n != 6 {
			t.Errorf("%d rematches", n)
		}
		time.Sleep(24 * time.Hour)
		ask("carol", true)
		ask("Alice", true)
	})
}

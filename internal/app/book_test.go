package app

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/engine/book/booktest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// foolsMate is a player with Black who knows the shortest mate, and resigns otherwise.
func foolsMate(_ context.Context, t lichesstest.Turn) (rules.Move, error) {
	for _, uci := range []string{"d8h4", "e7e5"} {
		if m, err := t.Game.Position().ParseUCI(uci); err == nil {
			return m, nil
		}
	}
	return rules.NoMove, errors.New("no mate")
}

// Nobody wins the same game twice, even if all of it comes out of the book and the bot has
// been restarted in between.
func TestBot_LeavesLosingBook(t *testing.T) {
	s, token, err := StartSandbox(lichesstest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.AddHuman("Refuter", lichesstest.Searching(foolsMate))
	c := SandboxSettings(s.URL(), t.TempDir(), 1, 1)
	c.Engine.Book, c.Engine.MaxNodes, c.Engine.HashMB = []string{booktest.Write(t, "f2f3 e7e5 g2g4")}, 500, 1
	var games []string
	for range 2 {
		a, err := New(t.Context(), c, Options{Log: zerolog.Nop(), Token: token})
		if err != nil {
			t.Fatal(err)
		}
		err = PlayWhile(t.Context(), a, func(ctx context.Context) error {
			one := lichesstest.Schedule{Bot: SandboxBot, Opponents: []string{"Refuter"}, Games: 1, Concurrency: 1, Spec: func(int) lichesstest.ChallengeSpec {
				return lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true, Color: "black"}
			}}
			return s.RunGames(ctx, one, func(r lichesstest.Result) { games = append(games, strings.Join(r.Moves, " ")) })
		})
		a.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(games) != 2 || games[0] != "f2f3 e7e5 g2g4 d8h4" || strings.HasPrefix(games[1], "f2f3 e7e5 g2g4") {
		t.Errorf("games %q: want the mate once", games)
	}
}

package app

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/level"
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// person is a player whose strength is that of a level of play, and whose rating says otherwise.
type person struct {
	name  string
	level float64
	shown int // rating
	rated int // games; 0 if the rating is provisional
}

// player plays at the person's level, or resigns at the first turn from a ply on.
func (p *person) player(e *engine.Engine, resigns int) lichesstest.Player {
	return lichesstest.Searching(func(ctx context.Context, t lichesstest.Turn) (rules.Move, error) {
		if t.Game.Ply() >= resigns {
			return rules.NoMove, errors.New("enough")
		}
		r, err := e.Search(ctx, t.Game, engine.Limits{Strength: engine.StrengthFromLevel(p.level, rand.Uint64())}, nil)
		return r.Move, err
	})
}

// TestSparring has people with wrong ratings play casual games against a bot at a level near
// theirs, on an embedded Lichess: the level of the game after these must be near their
// strength. In the short form, one person loses every game.
//
// In the whole form, six people play 30 games each to the end, and one level may be wrong:
//
//	ZHBOT_SPARRING=$PWD/records go test ./internal/app -run TestSparring -timeout 0 -v
func TestSparring(t *testing.T) {
	people, games, resigns, dir := []person{{"Over0", 0, 1400, 50}}, 6, 10, os.Getenv("ZHBOT_SPARRING")
	if dir == "" {
		dir = t.TempDir()
	} else {
		people, games, resigns = []person{
			{"Over4", 4, 1697, 50}, {"Over6", 6, 1842, 50}, {"Under8", 8, 1201, 50}, {"Under10", 10, 1465, 50},
			{"New3", 3, 1500, 0}, {"New7", 7, 1500, 0},
		}, 30, math.MaxInt
	}
	s, token, err := StartSandbox(lichesstest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := SandboxSettings(s.URL(), dir, 1, 1)
	c.Engine.Book, c.Engine.HashMB, c.Web.Listen, c.Ctl.Listen = nil, 4, "", "" // people have no book either
	c.Challenges.Humans.Level = config.Near
	c.Challenges.Humans.Speeds = append(c.Challenges.Humans.Speeds, lichess.Correspondence) // without a clock the bot moves at once
	e := engine.New(engine.Options{Threads: 1, HashMB: c.Engine.HashMB, Network: nnue.Default()})
	var names []string
	for i := range people {
		p := &people[i]
		names = append(names, p.name)
		s.AddHuman(p.name, p.player(e, resigns))
		s.SetPerf(p.name, p.shown, p.rated)
	}
	a, err := New(t.Context(), c, Options{Log: zerolog.Nop(), Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	recorded := func() []*record.Summary {
		list, err := record.ReadFiles(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	plan := lichesstest.Schedule{Bot: SandboxBot, Opponents: names, Games: (games + 1) * len(people), Concurrency: 1, Spec: func(n int) lichesstest.ChallengeSpec {
		return lichesstest.ChallengeSpec{Color: [...]string{"white", "black"}[n/len(people)%2]}
	}}
	if err := PlayWhile(t.Context(), a, func(ctx context.Context) error {
		ended := 0
		return s.RunGames(ctx, plan, func(lichesstest.Result) {
			for ended++; ctx.Err() == nil && len(recorded()) < ended; { // and so counts for the next level
				time.Sleep(time.Millisecond)
			}
		})
	}); err != nil {
		t.Fatal(err)
	}
	wrong, list := 0, recorded()
	for _, p := range people {
		if !p.isNear(t, list, games) {
			wrong++
		}
	}
	if wrong > len(people)/6 {
		t.Errorf("the level is far from the strength of %d people of %d", wrong, len(people))
	}
}

// isNear reports whether the level of the game after so many is within 150 points of the
// person's strength.
func (p *person) isNear(t *testing.T, list []*record.Summary, games int) bool {
	t.Helper()
	scale, points, levels := level.Guess(), 0.0, []float64(nil)
	for _, g := range list {
		view, _ := g.View(SandboxBot)
		if view.Opponent.Name != p.name {
			continue
		}
		at, ok := g.PlayedLevel()
		if !ok || g.Rated || view.Opponent.Rating != p.shown || view.Opponent.Provisional != (p.rated == 0) {
			t.Errorf("%s: game %s has level %q, rated %t, opponent %+v", p.name, g.ID, g.Level, g.Rated, view.Opponent)
		}
		levels, points = append(levels, at), points+1-g.Result.Points(view.Color)
	}
	if len(levels) != games+1 {
		t.Fatalf("%s: %d games are recorded, want %d", p.name, len(levels), games+1)
	}
	strength, last := scale.Rating(p.level), scale.Rating(levels[games])
	t.Logf("%s: shown %d, provisional %t, strength %.0f, %g points of %d, level from %.2f to %.2f, rated %.0f: %+.0f",
		p.name, p.shown, p.rated == 0, strength, points, len(levels), levels[0], levels[games], last, last-strength)
	return math.Abs(last-strength) <= 150
}

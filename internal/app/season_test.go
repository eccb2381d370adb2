package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// searching is a bot that searches a number of nodes, and resigns lost games and after a
// number of plies.
func searching(nodes, plies int) lichesstest.Player {
	e := engine.New(engine.Options{Threads: 1, HashMB: 4, Network: nnue.Default()})
	return lichesstest.Searching(func(ctx context.Context, t lichesstest.Turn) (rules.Move, error) {
		if t.Game.Ply() > plies {
			return rules.NoMove, errors.New("enough")
		}
		r, err := e.Search(ctx, t.Game, engine.Limits{Nodes: uint64(nodes)}, nil)
		if err == nil && r.Info.Score < -1500 {
			err = errors.New("lost")
		}
		return r.Move, err
	})
}

// TestSeason plays rated games in turn with three contenders, on an embedded Lichess that rates
// them. Against each opponent all have each colour equally often, and both games of a
// pair have the same one.
//
// A whole season is played by programs at levels of play, against bots that search so many nodes:
//
//	ZHBOT_SEASON=records ZHBOT_PROGRAM=$PWD/zhbot ZHBOT_LEVELS=12,14,14 ZHBOT_NODES=12000,16000,22000,30000,40000,52000 ZHBOT_GAMES=540 \
//		go test ./internal/app -run TestSeason -timeout 0 -v
func TestSeason(t *testing.T) {
	dir, program := os.Getenv("ZHBOT_SEASON"), os.Getenv("ZHBOT_PROGRAM")
	games, _ := strconv.Atoi(cmp.Or(os.Getenv("ZHBOT_GAMES"), "18"))
	plies, concurrent := 500, 4
	if dir == "" {
		dir, plies, concurrent = t.TempDir(), 4, 1
	}
	s, token, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var opponents []string
	for i, text := range strings.Split(cmp.Or(os.Getenv("ZHBOT_NODES"), "1,1,1"), ",") {
		nodes, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		opponents = append(opponents, fmt.Sprint("Searcher", i))
		s.AddBotPlayer(opponents[i], searching(nodes, plies))
	}
	c := SandboxSettings(s.URL(), dir, concurrent, 1)
	c.Engine.MaxNodes, c.Engine.HashMB, c.Web.Listen, c.Ctl.Listen = 1, 64, "", ""
	for i, level := range strings.Split(cmp.Or(os.Getenv("ZHBOT_LEVELS"), "0,0,0"), ",") {
		k := config.Contender{Name: fmt.Sprintf("%c level %s", 'a'+rune(i), level), Weight: 1}
		if program != "" {
			command := program + " uci"
			k.Command, k.Options, c.Engine.MaxNodes = &command, []config.Option{{Name: "Skill Level", Value: level}}, 0
		}
		c.Contenders = append(c.Contenders, k)
	}
	c.Play.Resign = true
	a, err := New(t.Context(), c, Options{Log: zerolog.Nop(), Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	plan := lichesstest.Schedule{Bot: SandboxBot, Opponents: opponents, Games: games, Concurrency: concurrent, Spec: func(n int) lichesstest.ChallengeSpec {
		return lichesstest.ChallengeSpec{Limit: time.Hour, Rated: true, Color: [...]string{"white", "black"}[n%2]}
	}}
	played := 0
	if err := PlayWhile(t.Context(), a, func(ctx context.Context) error {
		return s.RunGames(ctx, plan, func(r lichesstest.Result) {
			played++
			t.Logf("%d of %d: %s", played, games, r.ID)
		})
	}); err != nil {
		t.Fatal(err)
	}
	a.Close() // all games are recorded
	if concurrent == 1 {
		checkTurns(t, dir, len(opponents), len(c.Contenders))
	}
}

// checkTurns checks that contenders took turns in the recorded games.
func checkTurns(t *testing.T, dir string, opponents, contenders int) {
	t.Helper()
	list, err := record.ReadFiles(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	pairs, count := map[string][]string{}, map[string]int{}
	for _, g := range list {
		view, _ := g.View(SandboxBot)
		pairs[view.Opponent.Name] = append(pairs[view.Opponent.Name], g.Contender)
		count[g.Contender]++
		if !g.RatingKnown && g.Uncounted == "" {
			t.Errorf("%s: not known whether it was rated", g.ID)
		}
	}
	for opponent, names := range pairs {
		for i := 1; i < len(names); i += 2 {
			if names[i] != names[i-1] {
				t.Errorf("%s: a pair of %s and %s", opponent, names[i-1], names[i])
			}
		}
	}
	if len(pairs) != opponents || len(count) != contenders {
		t.Errorf("games by contender %v, by opponent %v", count, pairs)
	}
	for name, n := range count {
		if most := (len(list) + 2*opponents*contenders) / contenders; n > most {
			t.Errorf("%s plays %d of %d games, want at most %d", name, n, len(list), most)
		}
	}
}

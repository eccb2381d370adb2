package app

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/engine/book/booktest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

const onlyLine = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 d2d3 d7d6 c2c3 a7a6 a2a4 c5a7 h2h3 h7h6 f1e1 e8h8 b1d2 f8e8 d2f1 d6d5"

// follower is a bot that plays by a book, and resigns after 20 plies.
func follower(b book.Book) lichesstest.Player {
	return lichesstest.Searching(func(_ context.Context, t lichesstest.Turn) (rules.Move, error) {
		p := t.Game.Position()
		if t.Game.Ply() > 20 {
			return rules.NoMove, errors.New("enough")
		}
		if moves := b.Moves(p); len(moves) > 0 {
			return moves[0].Move, nil
		}
		return p.LegalMoves()[0], nil
	})
}

// forgetful is an engine that knows nothing of earlier games.
type forgetful struct{ game.Engine }

func (e forgetful) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(engine.Info)) (game.SearchResult, error) {
	l.SearchMoves, l.Fresh = nil, nil
	return e.Engine.Search(ctx, g, l, report)
}

// Two bots whose books have the same only line play it once, since Lichess would not count
// it again. If it is repeated all the same, the records tell that it did not count.
func TestBot_DoesNotFarm(t *testing.T) {
	const games = 6
	for name, tt := range map[string]struct {
		tune      func(*bot.Options)
		uncounted map[record.Uncounted]int
	}{
		"remembers": {nil, nil},
		"forgets":   {func(o *bot.Options) { o.Engine = forgetful{o.Engine} }, map[record.Uncounted]int{record.Farming: games - 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s, token, err := StartSandbox(lichesstest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			path, line := booktest.Write(t, onlyLine), booktest.Table(t, onlyLine)
			s.AddBotPlayer("Follower", follower(line))
			c := SandboxSettings(s.URL(), t.TempDir(), 1, 1)
			c.Engine.Book, c.Engine.MaxNodes, c.Engine.HashMB = []string{path}, 500, 1
			a, err := New(t.Context(), c, Options{Log: zerolog.Nop(), Token: token, Bot: tt.tune})
			if err != nil {
				t.Fatal(err)
			}
			recorded := func() (list []*record.Summary) {
				if list, err = record.ReadFiles(t.Context(), c.Records.Dir); err != nil {
					t.Fatal(err)
				}
				return list
			}
			plan := lichesstest.Schedule{Bot: SandboxBot, Opponents: []string{"Follower"}, Games: games, Concurrency: 1, Spec: func(int) lichesstest.ChallengeSpec {
				return lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true, Color: "black"}
			}}
			err = PlayWhile(t.Context(), a, func(ctx context.Context) error {
				ended := 0
				return s.RunGames(ctx, plan, func(lichesstest.Result) {
					for ended++; ctx.Err() == nil && len(recorded()) < ended; { // and so remembered
						time.Sleep(time.Millisecond)
					}
				})
			})
			a.Close()
			if err != nil {
				t.Fatal(err)
			}
			total := stats.NewReport(recorded(), SandboxBot, stats.Options{}).Total
			if total.Won != games || !maps.Equal(total.Uncounted, tt.uncounted) {
				t.Errorf("won %d, did not count %v, want %d, %v", total.Won, total.Uncounted, games, tt.uncounted)
			}
		})
	}
}

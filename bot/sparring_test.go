package bot

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// person plays casual games: a true strength on Lichess's scale, and the rating shown.
type person struct {
	name            string
	strength, shown int
	provisional     bool
}

// eloEngine is an engine whose results are Elo's, by the level that it is told to play at and
// the opponent's strength: in a lost game it despairs, in the others the opponent resigns.
type eloEngine struct {
	fakeEngine
	mu       sync.Mutex
	random   *rand.Rand
	opponent person
	game     string // the latest
	rating   float64
	lost     bool
}

// resignAt is the ply from which a person resigns: late enough for the game to count.
const resignAt = 14

func (e *eloEngine) Search(ctx context.Context, g *rules.Game, l game.SearchLimits, report func(event.SearchInfo)) (game.SearchResult, error) {
	r, err := e.fakeEngine.Search(ctx, g, l, report)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.game != l.Game {
		scale := human.GuessedScale()
		e.game, e.rating = l.Game, scale.Rating(human.MaxLevel-l.LevelsBelow)
		e.lost = e.random.Float64() < 1/(1+math.Pow(10, (e.rating-float64(e.opponent.strength))/400))
	}
	if e.lost {
		r.Info.Score, r.Info.PV = pgn.Score{Centipawns: -3000}, []rules.Move{r.Move}
	}
	return r, err
}

// play plays for the person.
func (e *eloEngine) play(ctx context.Context, t lichesstest.Turn) lichesstest.Action {
	e.mu.Lock()
	resigns := t.Game.Ply() >= resignAt && !e.lost
	e.mu.Unlock()
	if resigns {
		return lichesstest.Action{Resign: true}
	}
	return peaceful(1000, 0)(ctx, t)
}

// Six people play thirty casual games each, over a restart, with ratings that are provisional
// or wrong by up to 400 points. The level ends within 150 points of the strength of five.
func TestSparring_LevelConverges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, dir := newRig(t, lichesstest.Options{Seed: 30}), t.TempDir()
		e := &eloEngine{fakeEngine: fakeEngine{peace: 1000}, random: rand.New(rand.NewPCG(30, 6))} //nolint:gosec // no secret depends on it
		restart := func() (halt func()) {
			var err error
			if r.state, err = record.OpenState(dir); err != nil {
				t.Fatal(err)
			}
			archive, closeArchive := openArchive(t, dir)
			run := r.start(func(b *Bot) {
				b.opts.Engine, b.opts.Archive, b.opts.History = e, archive, archive
				b.settings().Challenges.Humans.Level, b.settings().Play.Resign = config.Near, true
				b.timing.matchmaking = matchmaking.LichessTiming() // so that hours pass quickly
			})
			return func() {
				run.halt()
				closeArchive()
			}
		}
		halt, near := restart(), 0
		for _, p := range []person{
			{name: "ann", strength: 1150, shown: 1550}, {name: "ben", strength: 1400, shown: 1000},
			{name: "cleo", strength: 1650, shown: 1500, provisional: true}, {name: "dan", strength: 1800, shown: 2200},
			{name: "eva", strength: 2100, shown: 1500, provisional: true}, {name: "finn", strength: 2250, shown: 1850},
		} {
			rated := 100
			if p.provisional {
				rated = 0
			}
			r.AddHuman(p.name, e.play)
			r.SetPerf(p.name, p.shown, rated)
			const games = 30
			for n := range games + 1 { // in the last one, it is seen where the level has ended
				e.mu.Lock()
				e.opponent = p
				e.mu.Unlock()
				if n == games/2 {
					halt()
					halt = restart()
				}
				id := r.Challenge(p.name, botName, lichesstest.ChallengeSpec{Limit: time.Minute})
				time.Sleep(time.Minute) // longer than the game, at a person's pace
				synctest.Wait()
				result := r.finished(id)
				e.mu.Lock()
				if wantWinner := e.lost == (result.White == p.name) == (result.Winner == "white"); result.Status != "resign" || !wantWinner || result.ID != e.game {
					t.Fatalf("game %d of %s: %+v", n+1, p.name, result)
				}
				e.mu.Unlock()
			}
			t.Logf("%s: strength %d, rating %d (provisional: %t), level at last %.0f", p.name, p.strength, p.shown, p.provisional, e.rating)
			if math.Abs(e.rating-float64(p.strength)) <= 150 {
				near++
			}
		}
		halt()
		if near < 5 {
			t.Errorf("the level is near the strength of %d people of 6", near)
		}
		r.checkNoViolations()
	})
}

package opponent

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// series plays games with contenders, one after the other.
type series struct {
	*testing.T

	memory *Memory
	list   []config.Contender
	games  pastGames
	at     time.Time
}

func newSeries(t *testing.T, list ...config.Contender) *series {
	t.Helper()
	return &series{T: t, memory: newMemory(), list: list, at: start}
}

// begin begins a game some hours after the one before, and returns its contender.
func (s *series) begin(opponent string, us rules.Color, hours int) Assignment {
	s.at = s.at.Add(time.Duration(hours) * time.Hour)
	a := Assignment{
		Game: fmt.Sprint("game", len(s.games), s.at), Opponent: opponent, At: s.at,
		GameKind: config.GameKind{Speed: lichess.Blitz, Bot: true, Rated: true, Color: lichess.Color(us.String())},
	}
	a.Contender = s.memory.Assign(s.list, a)
	return a
}

// end ends a game with a result.
func (s *series) end(a Assignment) {
	us := rules.White
	if a.Color == lichess.Black {
		us = rules.Black
	}
	g := played(s.T, "e2e4 e7e5", us, rules.Draw)
	g.ID, g.Created, g.Rated, g.Contender = a.Game, a.At, a.Rated, a.Contender
	if us == rules.White {
		g.Black.Name = a.Opponent
	} else {
		g.White.Name = a.Opponent
	}
	s.games = append(s.games, g)
	s.memory.Played(g, us)
	s.memory.Release(a.Game)
}

// play plays a game that is no second one of a pair, and returns its contender.
func (s *series) play(opponent string, us rules.Color) string {
	a := s.begin(opponent, us, 30)
	s.end(a)
	return a.Contender
}

// With each opponent and colour, each block of games has each contender as often as its
// weight says. The order differs between opponents.
func TestAssign_Blocks(t *testing.T) {
	s := newSeries(
		t, config.Contender{Name: "a", Weight: 2}, config.Contender{Name: "retired"},
		config.Contender{Name: "b", Weight: 6},
	)
	orders := map[string]int{}
	for i := range 30 {
		for _, us := range []rules.Color{rules.White, rules.Black} {
			for range 3 {
				block := make([]string, 4)
				for n := range block {
					block[n] = s.play(fmt.Sprint("rival", i), us)
				}
				orders[strings.Join(block, "")]++
			}
		}
	}
	if len(orders) != 4 || orders["abbb"]*orders["babb"]*orders["bbab"]*orders["bbba"] == 0 {
		t.Errorf("blocks %v, want the 4 orders of abbb", orders)
	}
}

// Two games in a row with reversed colours are a pair, whoever proposed them and whatever the
// blocks are; all in all, the contenders play equally often.
func TestAssign_Pairs(t *testing.T) {
	s := newSeries(t, config.Contender{Name: "a", Weight: 1}, config.Contender{Name: "b", Weight: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	const games = 400
	count, pairs := map[string]int{}, 0
	var first *Assignment
	for range games {
		us := rules.Color(rng.IntN(2))
		a := s.begin("rival", us, 1)
		s.end(a)
		count[a.Contender]++
		if first == nil || first.Color == a.Color {
			first = &a
			continue
		}
		if pairs++; a.Contender != first.Contender {
			t.Fatalf("pair %d of %s and %s", pairs, first.Contender, a.Contender)
		}
		first = nil
	}
	if pairs < games/4 || max(count["a"], count["b"]) > games/2+games/10 {
		t.Errorf("%d pairs, games %v", pairs, count)
	}
	for _, change := range []func(*Assignment){
		func(a *Assignment) { a.Clock = lichess.Clock{Initial: time.Minute} },
		func(a *Assignment) { a.Rated = false },
		func(a *Assignment) { a.Opponent = "other" },
		func(a *Assignment) { a.At = a.At.Add(pairPeriod) },
		func(a *Assignment) { a.Color = lichess.White },
	} {
		a := Assignment{Game: "2", Opponent: "rival", At: start,
			GameKind: config.GameKind{Rated: true, Color: lichess.Black}}
		games := []*game{{opponent: "rival", at: start, us: rules.White, rated: true, contender: "b"}}
		if got := partner(s.list, games, &a); got != "b" {
			t.Errorf("partner %q", got)
		}
		m := newMemory()
		m.Resume(Assignment{
			Game: "1", Opponent: "rival", At: start, GameKind: config.GameKind{Rated: true, Color: lichess.White},
			Contender: "b",
		})
		change(&a)
		if got := partner(s.list, m.alike(&a), &a); got != "" {
			t.Errorf("%+v is the second of a pair", a)
		}
	}
}

// A game without a result gives its turn back; one in progress has it.
func TestAssign_TurnsOfGamesInProgress(t *testing.T) {
	s := newSeries(t, config.Contender{Name: "a", Weight: 1}, config.Contender{Name: "b", Weight: 1})
	first := s.begin("rival", rules.White, 30)
	if again := s.memory.Assign(s.list, first); again != first.Contender {
		t.Errorf("interrupted, the game of %s is given to %s", first.Contender, again)
	}
	second := s.begin("rival", rules.White, 30)
	if second.Contender == first.Contender {
		t.Errorf("%s plays both at once", first.Contender)
	}
	s.memory.Release(first.Game)
	s.end(second)
	if next := s.play("rival", rules.White); next != first.Contender {
		t.Errorf("the turn is not %s's again", first.Contender)
	}
	a := s.begin("rival", rules.Black, 30)
	g := played(t, "e2e4 e7e5", rules.Black, rules.NoResult)
	g.ID, g.White.Name, g.Contender, g.Rated = a.Game, "rival", a.Contender, true
	s.memory.Played(g, rules.Black)
	if next := s.play("rival", rules.Black); next != a.Contender {
		t.Errorf("a game without a result took %s's turn", a.Contender)
	}
}

// Turns go on in the next run, by the records, the state file's key and the games in progress; if the
// state file is lost, so is only the order.
func TestAssign_Restart(t *testing.T) {
	s := newSeries(
		t, config.Contender{Name: "a", Weight: 1}, config.Contender{Name: "b", Weight: 1},
		config.Contender{Name: "c", Weight: 2},
	)
	for _, lost := range []bool{false, true} {
		for n := range 5 {
			block := []string{s.play("rival", rules.White), s.play("rival", rules.White)}
			running := s.begin("rival", rules.White, 30)
			next := s.begin("rival", rules.White, 30).Contender
			state := s.memory.state
			if lost {
				state = record.InMemoryState()
			}
			s.memory = NewMemory(state, zerolog.Nop())
			if err := s.memory.Load(t.Context(), s.games, "zhbot", s.at); err != nil {
				t.Fatal(err)
			}
			s.memory.Resume(running)
			if block = append(block, running.Contender, s.play("rival", rules.White)); block[3] != next && !lost {
				t.Errorf("lost %t, block %d: %s plays, want %s", lost, n, block[3], next)
			}
			s.end(running)
			if slices.Sort(block); strings.Join(block, "") != "abcc" {
				t.Errorf("lost %t, block %d of %v", lost, n, block)
			}
		}
	}
}

// A contender that comes later does not catch up on the others' games.
func TestAssign_NewContender(t *testing.T) {
	s := newSeries(t, config.Contender{Name: "a", Weight: 1}, config.Contender{Name: "b", Weight: 1})
	for range 20 {
		s.play("rival", rules.White)
	}
	s.list = append(s.list, config.Contender{Name: "c", Weight: 1})
	count := map[string]int{}
	for range 9 {
		count[s.play("rival", rules.White)]++
	}
	if count["c"] > 5 || count["a"] < 2 || count["b"] < 2 {
		t.Errorf("of 9 games after it came: %v", count)
	}
}

// Contenders for other games do not take turns with these; a pair has one contender even
// if it is for one colour only.
func TestAssign_For(t *testing.T) {
	s := newSeries(t,
		config.Contender{Name: "base", Weight: 1},
		config.Contender{Name: "white", Weight: 1, For: config.For{Color: lichess.White}},
		config.Contender{Name: "casual", Weight: 1, For: config.For{Modes: []string{"casual"}}},
	)
	if got := []string{s.play("rival", rules.White), s.play("rival", rules.Black),
		s.play("rival", rules.White)}; strings.Join(got, " ") != "white base white" {
		t.Errorf("games of %v", got)
	}
	if a := s.begin("rival", rules.Black, 1); a.Contender != "white" {
		t.Errorf("the pair's second game is %s's", a.Contender)
	}
	s.list = s.list[1:]
	if got := s.play("other", rules.Black); got != "" {
		t.Errorf("%s plays what none is for", got)
	}
	s.play("third", rules.White)
	if a := s.begin("third", rules.Black, 1); a.Contender != "white" {
		t.Errorf("%q plays the second game of a pair, which is for none", a.Contender)
	}
}

package opponent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
	"github.com/zhbot/zhbot/rules/rulestest"
)

var start = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

// lostGame is a game that White, which is us, has lost.
func lostGame(t *testing.T, id, moves string, scores ...int) *record.Game {
	t.Helper()
	g := rulestest.Game(t, moves)
	r := &record.Game{Summary: record.Summary{ID: id, Result: rules.BlackWins, Created: time.Now()}, Board: g, Notes: make([]record.Note, g.Ply())}
	for i, score := range scores {
		r.Notes[2*i] = record.Note{Eval: pgn.Eval{Known: true, Score: pgn.Score{Centipawns: score}}}
	}
	return r
}

func TestStalled(t *testing.T) {
	note := func(left time.Duration) []record.Note {
		return []record.Note{{HasClock: true, Clock: left}, {HasClock: true, Clock: time.Second}}
	}
	base := record.Game{Summary: record.Summary{Status: "outoftime", Result: rules.BlackWins, Clock: lichess.Clock{Initial: time.Minute}}}
	for _, tt := range []struct {
		name   string
		change func(*record.Game)
		want   bool
	}{
		{"left much", func(g *record.Game) { g.Notes = note(40 * time.Second) }, true},
		{"was too slow", func(g *record.Game) { g.Notes = note(3 * time.Second) }, false},
		{"not on time", func(g *record.Game) { g.Notes, g.Status = note(40*time.Second), "" }, false},
		{"we were", func(g *record.Game) { g.Notes, g.Result = note(40*time.Second), rules.WhiteWins }, false},
		{"clocks unknown", func(*record.Game) {}, false},
	} {
		g := base
		tt.change(&g)
		if got := stalled(&g, rules.Black); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// Who aborts too many games is avoided for a day.
func TestMemory_IsAvoided(t *testing.T) {
	m := NewMemory(record.InMemoryState(), zerolog.Nop())
	for range maxAborts {
		if m.IsAvoided("runaway", start) {
			t.Error("avoided too early")
		}
		m.Aborted("runaway", start)
	}
	if !m.IsAvoided("runaway", start.Add(23*time.Hour)) {
		t.Error("not avoided")
	}
	if m.IsAvoided("runaway", start.Add(25*time.Hour)) {
		t.Error("still avoided after a day")
	}
}

// pastGames are the records of earlier runs.
type pastGames []*record.Game

func (p pastGames) GamesSince(_ context.Context, _ time.Time, visit func(*record.Game)) error {
	for _, g := range p {
		visit(g)
	}
	return nil
}

// The records tell the quota, the opponents and the lines that lost.
func TestMemory_Load(t *testing.T) {
	us, them := record.Player{Name: "ZhBot", Title: "BOT"}, record.Player{Name: "PocketBot", Title: "BOT"}
	game := func(id string, ago time.Duration) *record.Game {
		g := lostGame(t, id, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", 20, 10, -10)
		g.White, g.Black, g.Created = us, them, start.Add(-ago)
		return g
	}
	human := game("human", time.Hour)
	human.Black.Title = ""
	others := game("others", time.Hour) // of an account of another name, or of a merged PGN
	others.White.Name, others.Result = "OldBot", rules.WhiteWins
	file := record.InMemoryState()
	m := NewMemory(file, zerolog.Nop())
	if err := m.Load(t.Context(), pastGames{game("old", 30*time.Hour), game("new", 2*time.Hour), game("new", 2*time.Hour), human, others}, "zhbot", start); err != nil {
		t.Fatal(err)
	}
	file.View(func(s *record.State) {
		if len(s.BotGames) != 1 || s.BotGames["new"].IsZero() {
			t.Errorf("games of the day %v, want the new one", s.BotGames)
		}
	})
	if n := m.CountWithin(7*day, "pocketbot", start); n != 3 {
		t.Errorf("%d games with the opponent, want 3", n)
	}
	if white, known := m.LastColor("pocketbot"); !white || !known {
		t.Error("our colour in the last game is not known")
	}
	g := rulestest.Game(t, "e2e4", "e7e5", "g1f3", "b8c6")
	bad := rulestest.Move(t, g.Position(), "f1c4")
	if left, _ := m.Avoid("", g); len(left) == 0 || slices.Contains(left, bad) {
		t.Error("the move that lost is not left out")
	}
}

// However many games a run plays, what it remembers of them stays within bounds:
// the latest.
func TestMemory_ForgetsOldGames(t *testing.T) {
	for name, tt := range map[string]struct {
		games int
		every time.Duration
		most  int
	}{
		"by number": {maxGames * 5 / 4, time.Second, maxGames + maxGames/8},
		"by age":    {3000, 3 * time.Hour, int(rememberGames/(3*time.Hour)) * 9 / 8},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMemory(record.InMemoryState(), zerolog.Nop())
			position := rules.StartPosition()
			for i := range tt.games {
				m.Played(&record.Game{
					Summary: record.Summary{
						ID: fmt.Sprint(i), Created: start.Add(time.Duration(i) * tt.every), White: record.Player{Name: "us"},
						Black: record.Player{Name: fmt.Sprint("rival", i%3)}, Result: rules.BlackWins,
					},
					Board: rules.NewGame(position),
				}, rules.White)
				m.losing[uint64(i)] = []LosingMove{{At: start.Add(time.Duration(i) * tt.every)}}
			}
			if len(m.games) > tt.most || len(m.known) != len(m.games) || len(m.losing) > len(m.games) {
				t.Errorf("%d games, %d ids and %d lines remembered, want at most %d", len(m.games), len(m.known), len(m.losing), tt.most)
			}
			last := m.games[len(m.games)-1]
			if !m.known[fmt.Sprint(tt.games-1)] || m.CountWithin(1, last.opponent, last.at) != 1 {
				t.Error("the latest game is forgotten")
			}
			newest := start.Add(time.Duration(tt.games) * tt.every)
			if n := m.CountWithin(7*day, "rival0", newest); tt.every > time.Second && n != int(7*day/tt.every)/3 {
				t.Errorf("%d games within the window of fairness", n)
			}
		})
	}
}

// Players of whom nothing is left to remember are forgotten.
func TestMemory_ForgetsOpponents(t *testing.T) {
	file := record.InMemoryState()
	m := NewMemory(file, zerolog.Nop())
	m.Aborted("runaway", start)
	m.Refused("sulker", config.Offer{}, "later", start, config.Range[time.Duration]{Min: 30 * time.Minute, Max: 30 * day})
	m.BeginPair("partner", config.Offer{Clock: lichess.Clock{Initial: time.Minute}}, true, start)
	names := func() (names []string) {
		file.View(func(s *record.State) { names = slices.Sorted(maps.Keys(s.Opponents)) })
		return names
	}
	for _, tt := range []struct {
		after time.Duration
		want  []string
	}{
		{time.Hour, []string{"partner", "runaway", "sulker"}},
		{pairPeriod + time.Hour, []string{"runaway", "sulker"}},
		{rememberAborts + time.Hour, []string{"sulker"}}, // its next pause is longer
	} {
		now := start.Add(tt.after)
		if m.Began("game", "somebody", false, now, now); !slices.Equal(names(), tt.want) {
			t.Errorf("after %s: %v, want %v", tt.after, names(), tt.want)
		}
	}
}

func TestMemory_Tally(t *testing.T) {
	m := NewMemory(record.InMemoryState(), zerolog.Nop())
	for i, result := range []rules.Result{rules.WhiteWins, rules.BlackWins, rules.Draw, rules.WhiteWins} {
		us := rules.Color(i % 2)
		g := &record.Game{Summary: record.Summary{ID: fmt.Sprint(i), Result: result, White: record.Player{Name: "Bob"}, Black: record.Player{Name: "Bob"}}, Board: rules.NewGame(rules.StartPosition())}
		m.Played(g, us)
	}
	m.Played(&record.Game{Summary: record.Summary{ID: "unknown", Status: "unknownFinish", Black: record.Player{Name: "Bob"}}, Board: rules.NewGame(rules.StartPosition())}, rules.White)
	if got, want := m.Tally("bob"), (record.Tally{Won: 2, Drawn: 1, Lost: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := m.Tally("alice"); got.Games() != 0 {
		t.Errorf("%+v with a stranger", got)
	}
}

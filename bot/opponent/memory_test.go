package opponent

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

var start = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

func newMemory() *Memory { return NewMemory(record.InMemoryState(), zerolog.Nop()) }

func TestStalled(t *testing.T) {
	for _, tt := range []struct {
		status lichess.Status
		result rules.Result
		left   time.Duration // on the opponent's clock, below 0 if it is not known
		want   bool
	}{
		{"outoftime", rules.BlackWins, 40 * time.Second, true},
		{"timeout", rules.BlackWins, 40 * time.Second, true},
		{"outoftime", rules.BlackWins, 3 * time.Second, false},
		{"", rules.BlackWins, 40 * time.Second, false},
		{"outoftime", rules.WhiteWins, 40 * time.Second, false},
		{"outoftime", rules.BlackWins, -1, false},
	} {
		g := record.Game{Notes: []record.Note{{HasClock: tt.left >= 0, Clock: tt.left},
			{HasClock: true, Clock: time.Second}}}
		g.Status, g.Result, g.Clock.Initial = tt.status, tt.result, time.Minute
		if got := stalled(&g, rules.Black); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
	m, g := newMemory(), newPast(t, "rival", "BOT", rules.White, rules.WhiteWins, 24)
	g.Status, g.Clock.Initial, g.Notes = "outoftime", time.Minute,
		[]record.Note{{}, {HasClock: true, Clock: time.Minute}}
	m.Played(g, rules.White)
	if now, later := describe(m, start), describe(m, start.Add(rememberStalls)); now != "1 incidents" || later != "" {
		t.Errorf("a stalled game is remembered as %q, later as %q", now, later)
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

// newPast returns a game with an opponent that began some hours ago.
func newPast(t *testing.T, opponent, title string, us rules.Color, result rules.Result, hours float64) *record.Game {
	t.Helper()
	g := played(t, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", us, result)
	g.ID, g.Created = fmt.Sprint(opponent, hours), start.Add(-time.Duration(hours*float64(time.Hour)))
	them := &g.Black
	if us == rules.Black {
		them = &g.White
	}
	them.Name, them.Title = opponent, title
	return g
}

// The records tell the quota, the opponents and the lines that lost, but for the games of
// others.
func TestMemory_Load(t *testing.T) {
	old := newPast(t, "Rival", "BOT", rules.White, rules.BlackWins, 30)
	latest := newPast(t, "Rival", "BOT", rules.White, rules.BlackWins, 2)
	human := newPast(t, "Rival", "", rules.White, rules.BlackWins, 1)
	others := newPast(t, "Rival", "BOT", rules.White, rules.WhiteWins, 1.5)
	old.White.Title, latest.White.Title, others.White.Name = "BOT", "BOT", "OldBot"
	m := newMemory()
	if err := m.Load(t.Context(), pastGames{old, latest, latest, human, others}, "ZHbot", start); err != nil {
		t.Fatal(err)
	}
	m.state.View(func(s *record.State) {
		if len(s.BotGames) != 1 || s.BotGames[latest.ID].IsZero() {
			t.Errorf("games of the day %v, want the latest", s.BotGames)
		}
	})
	if n := m.CountWithin(7*day, "rival", start); n != 3 {
		t.Errorf("%d games with the opponent, want 3", n)
	}
	g := fixture.Game(t, "e2e4 e7e5")
	if allowed, _ := m.Avoid("", g); leftOut(g, allowed) != "g1f3" {
		t.Errorf("left out %q, want the move that lost", leftOut(g, allowed))
	}
}

func TestMemory_Games(t *testing.T) {
	m := newMemory()
	play := func(opponent, title string, us rules.Color, result rules.Result, hours float64) {
		m.Played(newPast(t, opponent, title, us, result, hours), us)
	}
	play("Rival", "BOT", rules.White, rules.WhiteWins, 9)
	play("Rival", "BOT", rules.White, rules.BlackWins, 2)
	play("rival", "BOT", rules.Black, rules.Draw, 1)
	play("alice", "", rules.Black, rules.NoResult, 1.5)
	check := func(opponent string, played bool, tally record.Tally) {
		t.Helper()
		if got := m.Tally(opponent); got != tally {
			t.Errorf("%s: %+v, want %+v", opponent, got, tally)
		}
		if white, known := m.LastColor(opponent); white || known != played {
			t.Errorf("%s: the last game was with White: %t, %t", opponent, white, known)
		}
	}
	all := record.Tally{Won: 1, Drawn: 1, Lost: 1}
	check("rival", true, all)
	check("alice", true, record.Tally{})
	check("stranger", false, record.Tally{})
	// Games that the server dates later than our clock count, too, but not by more than the period.
	play("rival", "BOT", rules.White, rules.Draw, -5)
	play("rival", "BOT", rules.White, rules.Draw, -30)
	m.Resume(Assignment{Game: "old", Opponent: "rival", At: start.Add(-30 * time.Hour)})
	if n := m.CountWithin(day, "rival", start, "rival1", "begun", "old"); n != 5 {
		t.Errorf("%d games in a day, want those three, one by the server's clock, and one that has begun", n)
	}
}

// However many games a run plays, what it remembers of them stays within bounds: the latest.
func TestMemory_ForgetsOldGames(t *testing.T) {
	for every, most := range map[time.Duration]int{
		time.Second: maxGames + maxGames/8, 3 * time.Hour: int(rememberGames/(3*time.Hour)) * 9 / 8,
	} {
		m, latest := newMemory(), ""
		for i := range maxGames * 5 / 4 {
			g := &record.Game{Board: rules.NewGame(rules.StartPosition())}
			g.ID, g.Created = fmt.Sprint(i), start.Add(time.Duration(i)*every)
			latest = g.ID
			m.Played(g, rules.White)
			m.losing[uint64(i)] = []losingMove{{At: g.Created}}
		}
		if len(m.games) > most || len(m.known) != len(m.games) || len(m.losing) > len(m.games) || !m.known[latest] {
			t.Errorf(
				"%d games, %d ids and %d lines remembered, want at most %d", len(m.games), len(m.known), len(m.losing),
				most,
			)
		}
	}
}

// Players of whom nothing is left to remember are forgotten.
func TestMemory_ForgetsOpponents(t *testing.T) {
	for steps, lasts := range map[string]time.Duration{
		"aborted": rememberAborts, "paired 3+2": pairPeriod, "refused toofast 3+2; began": rememberTerms,
		"refused later 3+2": 0, // its next pause is longer
	} {
		m, now := perform(t, steps)
		for _, after := range []time.Duration{lasts - time.Minute, lasts + time.Minute} {
			m.Began("game", "somebody", false, now, now.Add(after))
			m.state.View(func(s *record.State) {
				if remembered := s.Opponents["rival"] != nil; remembered != (after < lasts || lasts == 0) {
					t.Errorf("%s: after %s it is remembered: %t", steps, after, remembered)
				}
			})
		}
	}
}

package game

import (
	"fmt"
	"math"
	"testing"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Games are shared out by the weights, and the same game always alike.
func TestPickContender(t *testing.T) {
	list := []Contender{{Name: "a", Weight: 1}, {Name: "retired"}, {Name: "b", Weight: 3}}
	const games = 4000
	count := map[string]int{}
	for i := range games {
		id := fmt.Sprintf("game%04d", i)
		c := pickContender(list, id)
		if c != pickContender(list, id) {
			t.Fatalf("game %s is given to %s, then to another", id, c.Name)
		}
		count[c.Name]++
	}
	if deviation := math.Sqrt(games * 0.25 * 0.75); math.Abs(float64(count["a"])-games/4) > 3*deviation || count["retired"] > 0 {
		t.Errorf("%d games are shared out as %v", games, count)
	}
	for _, none := range [][]Contender{nil, {{Name: "retired"}}} {
		if c := pickContender(none, "abcd1234"); c != nil {
			t.Errorf("of %v, %v is picked", none, c)
		}
	}
}

// The journal decides who plays; without one, the game's id.
func TestGame_AssignContender(t *testing.T) {
	both := []Contender{{Name: "a", Weight: 1, Network: "zh-a"}, {Name: "b", Weight: 0, Network: "zh-b"}}
	journal := func(name string) *record.JournalState {
		return &record.JournalState{Game: record.Game{Summary: record.Summary{Contender: name}}}
	}
	for _, tt := range []struct {
		name       string
		contenders []Contender
		resumed    *record.JournalState
		want       string
		network    string
	}{
		{"none", nil, nil, "", "zh-0"},
		{"a new game", both, nil, "a", "zh-a"},
		{"resumed", both, journal("b"), "b", "zh-b"},
		{"began without", both, journal(""), "", "zh-0"},
		{"no longer configured", both, journal("c"), "", "zh-0"},
		{"none configured any more", nil, journal("a"), "", "zh-0"},
	} {
		g := newTestGame(t, func(o *Options) { o.Contenders, o.Network = tt.contenders, "zh-0" })
		g.journalState = tt.resumed
		g.board, g.full = newBoard(rules.StartPosition()), &lichess.GameFull{}
		g.assignContender()
		if r := g.record(); r.Contender != tt.want || r.Network != tt.network {
			t.Errorf("%s: %q with %s, want %q with %s", tt.name, r.Contender, r.Network, tt.want, tt.network)
		}
	}
}

// Levels of play are for casual games, once there are contenders.
func TestGame_FullStrength(t *testing.T) {
	for _, tt := range []struct {
		contenders []Contender
		rated      bool
		want       bool
	}{{nil, true, false}, {nil, false, false}, {[]Contender{{Name: "a"}}, true, true}, {[]Contender{{Name: "a"}}, false, false}} {
		g := newTestGame(t, func(o *Options) { o.Contenders = tt.contenders })
		g.full = &lichess.GameFull{Rated: tt.rated}
		g.board, g.state, g.contender.Name = newBoard(rules.StartPosition()), &lichess.GameState{}, "a"
		if l, _ := g.limits(); l.FullStrength != tt.want || l.Contender != "a" {
			t.Errorf("%+v: full strength %t for %q", tt, l.FullStrength, l.Contender)
		}
	}
}

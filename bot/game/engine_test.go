package game

import (
	"testing"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// contendersOf returns contenders with weights, whose networks are named after them.
func contendersOf(weights map[string]int) (list []Contender) {
	for name, weight := range weights {
		list = append(list, Contender{Contender: config.Contender{Name: name, Weight: weight},
			NetworkName: "zh-" + name})
	}
	return list
}

// A game that is resumed keeps its contender; in a new one, it is who has the turn.
func TestGame_AssignContender(t *testing.T) {
	both := contendersOf(map[string]int{"a": 1, "b": 0})
	earlier := func(name string) *record.Live {
		return &record.Live{Game: &record.Game{Summary: record.Summary{Contender: name}}}
	}
	for _, tt := range []struct {
		name       string
		contenders []Contender
		resumed    *record.Live
		want       string
		network    string
	}{
		{"none", nil, nil, "", "zh-0"},
		{"a new game", both, nil, "a", "zh-a"},
		{"resumed", both, earlier("b"), "b", "zh-b"},
		{"began without", both, earlier(""), "", "zh-0"},
		{"no longer configured", both, earlier("c"), "", "zh-0"},
		{"none configured any more", nil, earlier("a"), "", "zh-0"},
	} {
		g := newTestGame(t, func(o *Options) { o.Contenders, o.Network = tt.contenders, "zh-0" })
		g.earlier = tt.resumed
		g.board, g.full = newBoard(rules.StartPosition()), &lichess.GameFull{}
		g.assignContender()
		if r := g.record(); r.Contender != tt.want || r.Network != tt.network {
			t.Errorf("%s: %q with %s, want %q with %s", tt.name, r.Contender, r.Network, tt.want, tt.network)
		}
	}
}

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
		list = append(list, Contender{Contender: config.Contender{Name: name, Weight: weight}, NetworkName: "zh-" + name})
	}
	return list
}

// The journal decides who plays; without one, whose turn it is.
func TestGame_AssignContender(t *testing.T) {
	both := contendersOf(map[string]int{"a": 1, "b": 0})
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

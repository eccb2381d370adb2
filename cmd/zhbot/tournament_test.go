package main

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/match"
)

func TestMatchFlags_setTournament(t *testing.T) {
	f := matchFlags{threads: 1, hash: 1}
	err := f.setTournament([]byte(`
format: gauntlet
engines:
  - &new
    name: new
    tc: 3+0.03
    options: {Hash: 64, OwnBook: true, Clear Hash: }
  - {name: old, command: "./old uci", protocol: xboard, depth: 3, movetime: 20ms}
  - {name: third, nodes: 5}
`))
	if err != nil || len(f.tournament.flags) != 3 || len(f.tournament.Pairings) != 2 {
		t.Fatalf("%+v, %v", f.tournament, err)
	}
	first, second := f.tournament.flags[0], f.tournament.flags[1]
	if f.tournament.Names[0] != "new" || first.command != self || first.tc.String() != "3+0.03" {
		t.Errorf("first engine %+v", first)
	}
	if options := strings.Join(first.optionTexts, ","); options != "Clear Hash=,Hash=64,OwnBook=true" {
		t.Errorf("options %s", options)
	}
	limit := match.Limit{Depth: 3, MoveTime: 20 * time.Millisecond}
	if second.command != "./old uci" || second.protocol != "xboard" || second.limit != limit {
		t.Errorf("second engine %+v", second)
	}
}

func TestMatchFlags_setTournament_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "EOF",
		"engines: new":               "line 1: cannot unmarshal !!str",
		"- a\n- b":                   "cannot unmarshal !!seq",
		"engines: [{name: a}]":       "1 engines: want 2 to 100",
		"engine: []":                 "line 1: field engine not found",
		"engines:\n  - a\n":          "line 2: cannot unmarshal !!str",
		"[{name: a}, nodes: 1]":      `"" is no name`,
		"[{name: a}, {name: a}]":     `"a" is no name, or that of two engines`,
		"[{name: a, name: b}]":       `mapping key "name" already defined`,
		"[{nodes: many}]":            "line 1: cannot unmarshal !!str `many` into uint64",
		"[{name: a, tc: 3}]":         `a: time control "3"`,
		"[{movetime: 20}]":           "cannot unmarshal !!int `20` into time.Duration",
		"[{name: a, protocol: usi}]": `a: "usi" is not one of uci, xboard`,
		"[{colour: white}]":          "field colour not found",
		"[{name: a, depth: -1}]":     "a: ",
		"[{options: {A: []}}]":       "cannot unmarshal !!seq",
		"bad: [":                     "line 1: did not find",
	} {
		if strings.HasPrefix(text, "[") {
			text = "engines: " + strings.TrimSuffix(text, "]") + ", {name: z, nodes: 1}]"
		}
		f := matchFlags{threads: 1, hash: 1}
		f.engine.limit.Nodes = 1
		if err := f.setTournament([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	f := matchFlags{}
	err := f.setTournament([]byte("format: swiss\nengines: [{name: a}, {name: b}]"))
	if err == nil || err.Error() != `"swiss" is not one of gauntlet, round-robin` {
		t.Errorf("format: %v", err)
	}
}

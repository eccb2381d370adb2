package main

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/match"
)

func TestParseTournament(t *testing.T) {
	pairings, engines, err := parseTournament([]byte(`
format: gauntlet
engines:
  - &new
    name: new
    tc: 3+0.03
    options: {Hash: 64, OwnBook: true, Clear Hash: }
  - {name: old, command: "./old uci", protocol: xboard, depth: 3, movetime: 20ms}
`))
	if err != nil || len(engines) != 2 || len(pairings(3)) != 2 {
		t.Fatalf("%+v, %v", engines, err)
	}
	first, second := engines[0], engines[1]
	if first.name != "new" || first.command != self || first.tc.String() != "3+0.03" || first.line != 4 {
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

func TestParseTournament_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                 "0 engines: want 2 to 100",
		"engines: new":                                     "line 1: engines: yaml: unmarshal errors",
		"- a\n- b":                                         "cannot unmarshal !!seq",
		"engines: [{name: a}]":                             "1 engines: want 2 to 100",
		"engine: []":                                       `line 1: engine: "engine" is not one of format, engines`,
		"format: swiss\nengines: []":                       `line 1: format: "swiss" is not one of gauntlet, round-robin`,
		"engines:\n  - a\n":                                "line 2: cannot unmarshal !!str",
		"engines:\n  - {name: a}\n  - nodes: 1":            `line 3: "" is no name`,
		"engines:\n  - {name: a}\n  - {name: a}":           `line 3: "a" is no name, or that of two engines`,
		"engines:\n  - {name: a, name: b}":                 `mapping key "name" already defined`,
		"engines:\n  - name: a\n    nodes: many":           "line 3: nodes: strconv.ParseUint",
		"engines:\n  - name: a\n    tc: 3":                 `line 3: tc: time control "3"`,
		"engines:\n  - name: a\n    movetime: 20":          "line 3: movetime: time: missing unit",
		"engines:\n  - name: a\n    protocol: usi":         `line 3: protocol: "usi" is not one of uci, xboard`,
		"engines:\n  - name: a\n    option: Hash=1":        `line 3: option: "option" is not one of`,
		"engines:\n  - name: a\n    colour: white":         `line 3: colour: "colour" is not one of name, command`,
		"engines:\n  - name: a\n    options: Hash":         "line 3: options: yaml: unmarshal errors",
		"engines:\n  - name: a\n    options:\n      A: []": "line 4: cannot unmarshal !!seq",
		"engines:\n  - name: a\n    nodes: [1]":            "line 3: cannot unmarshal !!seq",
		"engines:\n  - name: a\n  bad: [":                  "line 3: did not find",
		"engines: []\n---\nengines: []":                    "more than one YAML document",
	} {
		if _, _, err := parseTournament([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseTournament(f *testing.F) {
	f.Add([]byte("format: gauntlet\nengines:\n  - name: a\n    options: {Hash: 1}\n  - {name: b, nodes: 9}\n"))
	f.Add([]byte("engines: [&a {name: x, options: &o {A: 1}}, *a, {name: y, options: *o}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		pairings, engines, err := parseTournament(text)
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, e := range engines {
			if e.name == "" || names[e.name] || e.line == 0 {
				t.Errorf("engine %+v", e)
			}
			names[e.name] = true
		}
		if n := len(pairings(len(engines))); n < len(engines)-1 {
			t.Errorf("%d pairings of %d engines", n, len(engines))
		}
	})
}

package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/lichess"
)

// The games that a setting is for are counted among those of each kind.
func TestFor(t *testing.T) {
	for text, want := range map[string]struct {
		canonical string
		matching  int
	}{
		"{}":                                {"", 40},
		"{color: '', speeds: }":             {"", 40},
		"{speeds: [blitz, bullet, blitz]}":  {"speeds: bullet blitz", 16},
		"{opponents: humans}":               {"opponents: humans", 20},
		"{opponents: bots, modes: [rated]}": {"opponents: bots, modes: rated", 10},
		"{modes: [casual, rated]}":          {"", 40},
		"{color: black, speeds: [rapid], modes: [casual], opponents: humans}": {
			"speeds: rapid, opponents: humans, modes: casual, color: black", 1,
		},
	} {
		c, err := parseText(t, "contenders: [{name: a, for: "+text+"}]\n")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		matching, f := 0, &c.Contenders[0].For
		for i := range 40 { // each kind of game that a bot can play
			kind := GameKind{lichess.Speeds()[1+i/8], i&1 > 0, i&2 > 0, lichess.White}
			if i&4 > 0 {
				kind.Color = lichess.Black
			}
			if f.Matches(kind) {
				matching++
			}
		}
		if f.String() != want.canonical || matching != want.matching {
			t.Errorf("%s: %q, for %d kinds of games; want %q, %d", text, f, matching, want.canonical, want.matching)
		}
	}
}

// The first contender whose for matches decides with which others it shares the game; one
// without comes last, wherever it is listed.
func TestContendersFor(t *testing.T) {
	c, err := parseText(t, `
contenders:
  - {name: base}
  - {name: new}
  - {name: retired, weight: 0, for: {speeds: [bullet]}}
  - {name: fast, for: {speeds: [bullet, blitz], opponents: bots}}
  - {name: white, for: {speeds: [blitz], color: white}}
  - {name: faster, for: {opponents: bots, speeds: [blitz, bullet]}}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		kind GameKind
		want string
	}{
		{GameKind{lichess.Bullet, true, true, lichess.White}, "fast faster"},
		{GameKind{lichess.Blitz, true, false, lichess.White}, "fast faster"},
		{GameKind{lichess.Blitz, false, false, lichess.White}, "white"},
		{GameKind{lichess.Blitz, false, false, lichess.Black}, "base new"},
		{GameKind{lichess.Bullet, false, true, lichess.White}, "base new"},
	} {
		if got := strings.Trim(fmt.Sprint(ContendersFor(c.Contenders, tt.kind)), "[]"); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.kind, got, tt.want)
		}
	}
	if got := ContendersFor(c.Contenders[3:], GameKind{Speed: lichess.Rapid}); got != nil {
		t.Errorf("%v for a game that none is for", got)
	}
}

package config

import (
	"slices"
	"testing"
	"time"
)

func TestDiff(t *testing.T) {
	a, b := Default(), Default()
	b.Challenges.Allow = []string{} // for nil
	if got := Diff(&a, &b); len(got) != 0 {
		t.Errorf("the same settings differ in %v", got)
	}
	b.Lichess.Token, b.Games.Max, b.Challenges.Bots.Rating.Max = "t", 9, 2000
	b.Challenges.Block, b.Search.MaxTime = []string{"pest"}, time.Second
	want := []string{"lichess.token", "games.max", "challenges.bots.rating.max", "challenges.block", "engine.max_time"}
	if got := Diff(&a, &b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKeys(t *testing.T) {
	if got := Keys("log"); !slices.Equal(got, []string{"log.level", "log.format"}) {
		t.Errorf("got %v", got)
	}
	if len(Keys("")) != len(allKeys()) || len(Keys("challenge")) != 0 {
		t.Error("a section is more or less than its keys")
	}
}

func TestFormat(t *testing.T) {
	c := Default()
	c.Lichess.Token, c.Challenges.Allow = "secret", []string{"a", "b"}
	for name, want := range map[string]string{
		"games.max": "4", "challenges.humans.initial.max": "3h0m0s", "challenges.allow": "[a, b]", "challenges.order": "best",
		"lichess.token": "", "games": "", "games.maxx": "", "games.max.max": "", "": "",
	} {
		if got := Format(&c, name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

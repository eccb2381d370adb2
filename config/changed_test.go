package config

import (
	"slices"
	"testing"
	"time"
)

func TestChanged(t *testing.T) {
	a, b := Default(), Default()
	b.Challenges.Allow = []string{} // for nil
	if got := Changed(&a, &b); len(got) != 0 {
		t.Errorf("the same settings differ in %v", got)
	}
	b.Lichess.Token, b.Games.Max, b.Challenges.Bots.Rating.Max = "t", 9, 2000
	b.Challenges.Block, b.Engine.MaxTime = []string{"pest"}, time.Second
	want := []string{"lichess.token", "games.max", "challenges.bots.rating.max", "challenges.block", "engine.max_time"}
	if got := Changed(&a, &b); !slices.Equal(got, want) {
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

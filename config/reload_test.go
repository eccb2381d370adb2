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
	b.Challenges.Block, b.Engine.MaxTime = []string{"pest"}, time.Second
	want := []string{"games.max", "challenges.bots.rating.max", "challenges.block", "engine.max_time", "lichess.token"}
	if got := Diff(&a, &b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	network, same, other := "a.zhnn", "a.zhnn", "b.zhnn"
	a, b = Default(), Default()
	a.Contenders, b.Contenders = []Contender{{Name: "x", Network: &network}}, []Contender{{Name: "x", Network: &same}}
	if got := Diff(&a, &b); len(got) != 0 {
		t.Errorf("the same contenders differ in %v", got)
	}
	b.Contenders[0].Network = &other
	if got := Diff(&a, &b); !slices.Equal(got, []string{"contenders"}) {
		t.Errorf("contenders with other networks differ in %v", got)
	}
}

// What can change while the bot runs does; the rest stays as it is, and is named.
func TestConfig_Reload(t *testing.T) {
	c, next := Default(), Default()
	next.Games.Max, next.Engine.MaxNodes, next.Engine.HashMB, next.Log.Level = 9, 5, 64, "warn"
	inForce, changed, later := c.Reload(&next)
	if !slices.Equal(changed, []string{"games.max", "engine.max_nodes"}) ||
		!slices.Equal(later, []string{"engine.hash_mb", "log.level"}) {
		t.Errorf("changed %v, later %v", changed, later)
	}
	if inForce.Games.Max != 9 || inForce.Engine.MaxNodes != 5 || inForce.Engine.HashMB != 0 ||
		inForce.Log.Level != "info" || next.Log.Level != "warn" {
		t.Errorf("in force: %+v", inForce)
	}
	if inForce, changed, later = inForce.Reload(&c); len(Diff(inForce, &c)) > 0 || len(changed) != 2 || len(later) > 0 {
		t.Errorf("changed back %v, later %v", changed, later)
	}
}

func TestKeys(t *testing.T) {
	keys := Keys()
	last := []string{"web.listen", "web.hosts", "web.password", "ctl.listen", "log.level", "log.format"}
	if got := keys[len(keys)-6:]; keys[0] != "lichess.url" || !slices.Equal(got, last) {
		t.Errorf("from %s to %v", keys[0], got)
	}
	if slices.Sort(keys); len(slices.Compact(keys)) != len(Keys()) {
		t.Error("a key is given twice")
	}
}

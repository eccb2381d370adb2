package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSource_Effective(t *testing.T) {
	t.Setenv("ZHBOT_WEB_PASSWORD", "sesame")
	t.Setenv("ZHBOT_GAMES_RESERVED_FOR_HUMANS", "1")
	s := Source{File: "config.yaml", Env: true, Flags: map[string]string{"log.level": "warn"}}
	list, err := s.Effective([]byte("games:\n  max: 3\n  max_per_opponent:\nlichess: {token: lip_secret}\n" +
		"challenges:\n  allow: [Alice, Bobby]\n" +
		"  block_url: https://example.org/list?key=lip_secret\n" +
		"log: {level: debug}\ncontenders:\n  - name: old\n    command: /opt/engine\n" +
		"  - {name: new,\n     weight: 2, book: [], command: env KEY=lip_secret engine}\n" +
		"engine: {command: \"engine\\t--token=lip_secret password\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	lines := map[string]string{}
	for _, e := range list {
		keys = append(keys, e.Key)
		value, err := json.Marshal(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		lines[e.Key] = string(value) + " " + e.Origin
		if strings.Contains(e.Text(), "lip_secret") {
			t.Errorf("%s shows a secret: %s", e.Key, value)
		}
	}
	for key, want := range map[string]string{
		"games.max": "3 config.yaml:2", "games.max_per_opponent": "2 default",
		"games.reserved_for_humans": "1 ZHBOT_GAMES_RESERVED_FOR_HUMANS",
		"log.level":                 `"warn" --set`, "challenges.allow": `["Alice","Bobby"] config.yaml:6`,
		"challenges.humans.initial.max": `"3h" default`,
		"lichess.token":                 `"(hidden)" config.yaml:4`,
		"web.password":                  `"(hidden)" ZHBOT_WEB_PASSWORD`,
		"engine.command":                `"engine (hidden)" config.yaml:14`,
		"contenders[0].command":         `"/opt/engine" config.yaml:11`,
		"contenders[1].command":         `"env (hidden)" config.yaml:13`,
		"challenges.block_url":          `["https://example.org/list (hidden)"] config.yaml:7`,
		"play.draw":                     "true default", "challenges.order": `"best" default`,
		"engine.book":        `["embedded"] default`,
		"contenders[0].name": `"old" config.yaml:10`, "contenders[0].weight": "1 default", "contenders[0].network": "",
		"contenders[1].weight": "2 config.yaml:13", "contenders[1].book": "[] config.yaml:13", "contenders": "",
	} {
		if got := lines[key]; got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	contenders := []string{"contenders[0].name", "contenders[0].weight", "contenders[0].command", "contenders[1].name",
		"contenders[1].weight", "contenders[1].book", "contenders[1].command"}
	want := strings.Replace(strings.Join(Keys(), " "), "contenders", strings.Join(contenders, " "), 1)
	if diff := cmp.Diff(strings.Fields(want), keys); diff != "" {
		t.Errorf("keys: %s", diff)
	}
}

func TestFormat(t *testing.T) {
	c := Default()
	c.Lichess.Token, c.Challenges.Allow = "secret", []string{"a", "b"}
	c.Contenders = []Contender{{Name: "old"}, {Name: "new"}}
	for name, want := range map[string]string{
		"games.max": "4", "challenges.humans.initial.max": "3h", "challenges.allow": "[a, b]",
		"contenders":       "[old, new]",
		"challenges.order": "best",
		"lichess.token":    "", "games": "", "games.maxx": "", "games.max.max": "", "": "",
	} {
		if got := Format(&c, name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

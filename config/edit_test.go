package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEdit(t *testing.T) {
	for name, tt := range map[string]struct {
		before string
		change Change
		after  string
	}{
		"empty file":            {"", Change{"games.max", "2"}, "games:\n  max: 2\n"},
		"only comments":         {"# mine\n", Change{"games.max", "2"}, "# mine\n\ngames:\n  max: 2\n"},
		"nested section":        {"", Change{"challenges.bots.enabled", "false"}, "challenges:\n  bots:\n    enabled: false\n"},
		"other section":         {"log:\n  level: warn", Change{"games.max", "2"}, "log:\n  level: warn\n\ngames:\n  max: 2\n"},
		"end of section":        {"games:\n    abort_after: 60s # patience\n\n# next\nlog:\n    level: warn\n", Change{"games.max", "2"}, "games:\n    abort_after: 60s # patience\n    max: 2\n\n# next\nlog:\n    level: warn\n"},
		"end of file":           {"games:\n  abort_after: 60s\n", Change{"games.max", "2"}, "games:\n  abort_after: 60s\n  max: 2\n"},
		"section of none":       {"games:\nlog:\n  level: warn\n", Change{"games.max", "2"}, "games:\n  max: 2\nlog:\n  level: warn\n"},
		"last line open":        {"games:", Change{"games.max", "2"}, "games:\n  max: 2\n"},
		"value":                 {"games:\n  max: 4   # enough\n", Change{"games.max", "12"}, "games:\n  max: 12  # enough\n"},
		"no value":              {"lichess:\n  token_file:   # none yet\n", Change{"lichess.token_file", "/etc/zhbot/token"}, "lichess:\n  token_file: /etc/zhbot/token # none yet\n"},
		"null":                  {"games: {max: ~}\n", Change{"games.max", "3"}, "games: {max: 3}\n"},
		"double quotes":         {`records: {dir: "a \" b"} # where` + "\n", Change{"records.dir", "x"}, "records: {dir: x}        # where\n"},
		"single quotes":         {"records: {dir: 'it''s'}\n", Change{"records.dir", "x"}, "records: {dir: x}\n"},
		"quotes needed":         {"", Change{"chat.greeting", "Hi {opponent}: #1"}, "chat:\n  greeting: 'Hi {opponent}: #1'\n"},
		"no null":               {"", Change{"records.dir", "null"}, "records:\n  dir: \"null\"\n"},
		"emptied":               {"web:\n  listen: ':80'\n", Change{"web.listen", ""}, "web:\n  listen: \"\"\n"},
		"list":                  {"challenges:\n  humans:\n    modes: [rated, \"casual\"]  # both\n", Change{"challenges.humans.modes", "casual"}, "challenges:\n  humans:\n    modes: [casual]           # both\n"},
		"list on lines":         {"engine:\n  book: [a, # one ]\n    'b]']\n  skill: 3\n", Change{"engine.book", "cc"}, "engine:\n  book: [cc] # one ]\n  skill: 3\n"},
		"block list":            {"engine:\n  book:\n  - a.bin\n  - b.bin # old\n  skill: 3\n", Change{"engine.book", "embedded"}, "engine:\n  book: [embedded] # old\n  skill: 3\n"},
		"block text":            {"chat:\n  greeting: |\n    hello\n\n    you\n\n  goodbye: bye\n", Change{"chat.greeting", "hi"}, "chat:\n  greeting: hi\n\n  goodbye: bye\n"},
		"block text at the end": {"log:\n  level: warn\nchat:\n  greeting: |\n    hello\n    you", Change{"log.level", "info"}, "log:\n  level: info\nchat:\n  greeting: |-\n    hello\n    you\n"},
		"after a block text":    {"chat:\n  goodbye: \"♞ \"\n  greeting: >2+ # a-b+c\n    hello", Change{"games.max", "2"}, "chat:\n  goodbye: \"♞ \"\n  greeting: >-2 # a-b+c\n    hello\n\ngames:\n  max: 2\n"},
		"list before its end":   {"challenges:\n  allow: [\n    aa,\n  ]\n\n# next\nlog: {}\n", Change{"challenges.order", "best"}, "challenges:\n  allow: [\n    aa,\n  ]\n  order: best\n\n# next\nlog: {}\n"},
		"flow section":          {"challenges: {order: first}\n", Change{"challenges.bots.enabled", "false"}, "challenges: {order: first, bots: {enabled: false}}\n"},
		"empty flow":            {"games: {}\n", Change{"games.max", "2"}, "games: {max: 2}\n"},
		"file in a line":        {"{games: {max: 1}}", Change{"log.level", "warn"}, "{games: {max: 1}, log: {level: warn}}\n"},
		"wide characters":       {"chat: {greeting: \"♞ é\", goodbye: x}\n", Change{"chat.goodbye", "bye"}, "chat: {greeting: \"♞ é\", goodbye: bye}\n"},
		"Windows line ends":     {"games:\r\n  max: 4\r\n", Change{"games.max", "2"}, "games:\r\n  max: 2\r\n"},
		"quoted key":            {"\"games\":\n  'max': 4\n", Change{"games.max", "2"}, "\"games\":\n  'max': 2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := Edit("config.yaml", []byte(tt.before), []Change{tt.change})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A file that cannot be edited is left alone, and the error says where and what to do.
func TestEdit_Refuses(t *testing.T) {
	for name, tt := range map[string]struct {
		before string
		change Change
		want   string
	}{
		"invalid file":  {"games: {maks: 1}\n", Change{"games.max", "2"}, "config.yaml:1: unknown key games.maks"},
		"invalid value": {"", Change{"games.max", "0"}, "games.max: 0 is too small"},
		"no value":      {"", Change{"games.max", "many"}, `games.max: "many" is not a whole number`},
		"alias":         {"challenges:\n  humans: &all {enabled: true}\n  bots: *all\n", Change{"challenges.bots.enabled", "false"}, "challenges.bots.enabled: this part of the file is an alias of another; change it to false yourself"},
		"anchor":        {"games: {max: &n 4, max_per_opponent: *n}\n", Change{"games.max", "2"}, "its layout cannot be edited; set games.max=2 yourself"},
		"comments":      {"challenges:\n  allow:\n  - aa # one\n  - bb # two\n", Change{"challenges.allow", "cc"}, "comments are between its lines; change it to cc yourself"},
		"end marker":    {"games:\n  max: 4\n...\n", Change{"log.level", "warn"}, "set log.level=warn yourself"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := Edit("config.yaml", []byte(tt.before), []Change{tt.change})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("edited to %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

// Every setting of the example can be changed without any other line changing, and its
// own keeps its comment.
func TestEdit_Example(t *testing.T) {
	data := []byte(Example)
	c := Default()
	for _, v := range c.settings() {
		key := v.key
		value := Format(&c, key)
		if v.Kind() == reflect.Slice {
			value = strings.Trim(value, "[]")
		}
		if _, _, err := Edit("empty", nil, []Change{{key, value}}); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		got, _, err := Edit("example", data, []Change{{key, value}})
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		before, after := strings.Split(string(data), "\n"), strings.Split(string(got), "\n")
		if len(before) != len(after) {
			t.Errorf("%s: %d lines became %d", key, len(before), len(after))
			continue
		}
		changed := 0
		for i, line := range before {
			_, comment, _ := strings.Cut(line, " # ")
			if line != after[i] {
				changed++
			}
			if !strings.HasSuffix(after[i], comment) {
				t.Errorf("%s: %q became %q", key, line, after[i])
			}
		}
		if changed > 1 {
			t.Errorf("%s: %d lines changed", key, changed)
		}
	}
}

func TestSource_Given(t *testing.T) {
	t.Setenv("ZHBOT_GAMES_MAX", "3")
	s := Source{
		File: "config.yaml", Flags: map[string]string{"log.level": "warn"},
		Env: true,
	}
	got := s.Given([]byte("play: {draw: false}\nchat: {greeting: }\n"))
	slices.Sort(got)
	if diff := cmp.Diff([]string{"games.max", "log.level", "play.draw"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever the file: an edit gives what a flag would give, or an error, and keeps the
// comments.
func FuzzEdit(f *testing.F) {
	f.Add("games:\n  max: 4 # four\n", uint8(3), "2")
	f.Add("challenges: {humans: {modes: [rated, 'casual']}}\n", uint8(20), "casual")
	f.Add("chat:\n  greeting: \"a\\\"b\"\n", uint8(90), "x: y")
	f.Fuzz(func(t *testing.T, before string, n uint8, value string) {
		keys := Keys()
		change := Change{keys[int(n)%len(keys)], value}
		got, _, err := Edit("config.yaml", []byte(before), []Change{change})
		if err != nil {
			return
		}
		want, err := Parse(Source{Flags: map[string]string{change.Key: change.Value}}, []byte(before))
		if err != nil {
			t.Fatal(err)
		}
		edited, err := Parse(Source{}, got)
		if err != nil || len(Diff(want, edited)) > 0 {
			t.Errorf("%q became %q: %v", before, got, err)
		}
	})
}

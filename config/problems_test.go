package config

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/fixture"
)

// Each file testdata/bad-*.yaml begins with the problems that it has, as comments.
func TestLoad_BadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad-*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var want, got []string
			for line := range strings.Lines(fixture.Read(t, path)) {
				text, ok := strings.CutPrefix(line, "# ")
				if !ok {
					break
				}
				want = append(want, strings.TrimSpace(text))
			}
			_, err := Load(Source{File: path})
			bad, _ := errors.AsType[*Error](err)
			for _, p := range bad.Problems {
				got = append(got, strings.TrimPrefix(p.Error(), "testdata/"))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A flag is what it is in a file; a list needs no brackets.
func TestParse_Flags(t *testing.T) {
	const contenders = "contenders: [{name: new one}, {name: base}, {name: fast, for: {speeds: [bullet]}}]\n"
	for _, tt := range []struct{ key, value, want string }{ // the value in force, or the problem
		{"engine.book", "", "[]"},
		{"engine.book", " [] ", "[]"},
		{"engine.book", "a.bin, b.bin", "[a.bin, b.bin]"},
		{"engine.book", "[a.bin,007]", "[a.bin, 007]"},
		{"engine.book", "[a.bin", "--set:1: engine.book: did not find expected ',' or ']'"},
		{"challenges.block", "[alice, [b]]", "--set:1: challenges.block[1]: want a text"},
		{"challenges.block", "someone,a b", `--set: challenges.block[1]: "a b" is not a user name`},
		{"challenges.block_url", "https://a.org/1", "[https://a.org/1]"},
		{"games.max", "many", `--set: games.max: "many" is not a whole number`},
		{"games.max", "[]", `--set: games.max: "[]" is not a whole number`},
		{"games.abort_after", "45", `--set: games.abort_after: "45" is not a duration such as 30s, 5m or 0s`},
		{"lichess.url", "https://lichess.org/", "https://lichess.org"},
		{"contenders", "[]", "[]"},
		{"contenders", "a", `--set: contenders: "a" is not a list such as [{name: a}`},
		{"contenders", "{name: a}", "--set: contenders: want a list such as [{name: a}"},
		{"contenders", "[", "--set:1: contenders: did not find expected node content"},
		{"contenders", "[{name: a, wieght: 1}]",
			"--set:1: contenders[0].wieght: unknown key; did you mean contenders[0].weight?"},
		{"contenders", "[{name: a, weight: 0}]", "--set: contenders: all have a weight of 0"},
		{"sprt", "new one, base, 0, 30", "new one,base,0,30"},
		{"sprt", "", ""},
		{"sprt", "new one", "want two contenders and two Elo differences, such as new,base,0,30"},
		{"sprt", "new one,base,0", "want two contenders and two Elo differences"},
		{"sprt", "new one,base,30,0", "want two Elo numbers, the lower first"},
		{"sprt", "new one,base,0,1e9", "want two Elo numbers"},
		{"sprt", "base,base,0,30", "names one contender, want two"},
		{"sprt", ",base,0,30", "names one contender, want two"},
		{"sprt", "new one,Base,0,30", `sprt: there is no contender "Base"`},
		{"sprt", "fast,base,0,30", "sprt: fast and base are for different games"},
		{"web.listen", "", ""},
		{"web.listen", "[::1]:8080", "[::1]:8080"},
		{"web.listen", "127.0.0.1", "web.listen: \"127.0.0.1\" is not an address"},
		{"web.listen", "127.0.0.1:65536", "web.listen: \"127.0.0.1:65536\" is not an address"},
		{"ctl.listen", "", ""},
		{"ctl.listen", "localhost:8081", "localhost:8081"},
		{"ctl.listen", "[::1]:0", "[::1]:0"},
		{"ctl.listen", ":8081", "ctl.listen: \":8081\" can be reached from other machines"},
		{"ctl.listen", "bot.lan:80", "can be reached from other machines"},
		{"ctl.listen", "127.0.0.1:65536", "is neither a path nor an address"},
		{"chat.greeting", "{opponent} ({rating}), {me} {version} {speed} {result}",
			"{opponent} ({rating}), {me} {version} {speed} {result}"},
		{"chat.greeting", "Hello {speeds}", "chat.greeting: unknown placeholder {speeds}; did you mean {speed}?"},
		{"chat.goodbye", "{}", "chat.goodbye: unknown placeholder {}"},
		{"chat.commands", "help,rematch", "\"rematch\" is gone: leave it out; people press Lichess's own button"},
		{"chat.goodbye", "{one } two}", "chat.goodbye: unknown placeholder {one }"},
	} {
		c, err := Parse(Source{Flags: map[string]string{tt.key: tt.value}}, []byte(contenders))
		if err == nil && Format(c, tt.key) != tt.want {
			t.Errorf("%s=%s is %q, want %q", tt.key, tt.value, Format(c, tt.key), tt.want)
		}
		if bad, ok := errors.AsType[*Error](err); ok && (len(bad.Problems) != 1 ||
			!strings.Contains(err.Error(), tt.want) || tt.want == "") {
			t.Errorf("%s=%s: %v, want %q", tt.key, tt.value, err, tt.want)
		}
	}
}

// Mistakes are found in each source, whatever replaces them, and a flag must be no secret.
func TestLoad_BadSources(t *testing.T) {
	t.Setenv("ZHBOT_GAMES_MAX", "many")
	t.Setenv("ZHBOT_ENGINE_PROCESSES", "2")
	_, err := Parse(Source{File: "f", Env: true, Flags: map[string]string{"log.level": "warn"}},
		[]byte("log: {level: [loud]}\ngames: 5\n"))
	for _, want := range []string{
		"\n  ZHBOT_GAMES_MAX: games.max: \"many\" is not a whole number\n",
		"\n  ZHBOT_ENGINE_PROCESSES: engine.processes: there is now one process for each place in games.max; " +
			"remove this key\n",
		"\n  f:1: log.level: want a text\n", "\n  f:2: games: want a section with keys of its own",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if _, err := Load(Source{File: "testdata/nowhere.yaml"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	for key, want := range map[string]string{
		"games.max": "", "game.max": "did you mean games.max", "games": "unknown setting", "": "unknown setting",
		"engine.processes": "one process for each place in games.max",
		"lichess.token":    "ZHBOT_LICHESS_TOKEN",
		"notify.urls":      "ZHBOT_NOTIFY_URLS",
	} {
		if err := CheckFlag(key); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", key, err, want)
		}
	}
}

// Every tag of a setting means something.
func TestTags(t *testing.T) {
	for _, s := range new(Config).settings() {
		if s.limits != "" {
			first, last, found := strings.Cut(strings.TrimPrefix(s.limits, "0|"), "..")
			low, high := s.number(first, 0), s.number(last, math.MaxInt64)
			if !found || low >= high || low == 0 && high == math.MaxInt64 {
				t.Errorf("%s: range %q", s.key, s.limits)
			}
		}
		if form := s.tag.Get("form"); form != "" && forms[form] == nil {
			t.Errorf("%s: unknown form %q", s.key, form)
		}
	}
	if Max("engine.skill") != human.MaxLevel {
		t.Errorf("the highest level is %d", Max("engine.skill"))
	}
}

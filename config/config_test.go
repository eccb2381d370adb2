package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
)

func parseText(t *testing.T, text string) (*Config, error) {
	t.Helper()
	return Parse(Source{File: "config.yaml"}, []byte(text))
}

// The example documents every key, and says what the defaults are.
func TestExample_EqualsDefaults(t *testing.T) {
	c, err := parseText(t, zhbot.Example)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	if diff := cmp.Diff(&want, c, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	_, p := (&Source{}).merge([]byte(zhbot.Example))
	for _, key := range Keys() {
		if _, given := p.locations[key]; !given {
			t.Errorf("%s is not in the example", key)
		}
	}
}

func TestParse_EmptyIsDefault(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "games:\n", "games: {}\n", "engine:\nlog:\n", "---\n",
		"games: {max: }\nlog: {level: ~}\nchallenges: {allow: }\n"} {
		c, err := parseText(t, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		want := Default()
		if diff := cmp.Diff(&want, c); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestParse_Values(t *testing.T) {
	c, err := parseText(t, `
games: {max: 7, abort_after: 1m30s, drain_timeout: 0s}
challenges:
  humans:
    modes: [casual]
    speeds: []
    rating: {min: 1500}
    initial: {min: 30s}
  allow: [Alice, bob]
engine:
  network: new.zhnn
`)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Games.Max, want.Games.AbortAfter, want.Games.DrainTimeout = 7, 90*time.Second, 0
	want.Challenges.Humans.Modes, want.Challenges.Humans.Speeds = []string{"casual"}, []lichess.Speed{}
	want.Challenges.Humans.Rating.Min, want.Challenges.Humans.Initial.Min = 1500, 30*time.Second
	want.Challenges.Allow = []string{"Alice", "bob"}
	want.Engine.Network = "new.zhnn"
	if diff := cmp.Diff(&want, c); diff != "" {
		t.Error(diff)
	}
}

// A slash after the server's address is not doubled in the addresses of games.
func TestParse_ServerWithSlash(t *testing.T) {
	for _, url := range []string{"https://lichess.org", "https://lichess.org/"} {
		c, err := parseText(t, "lichess: {url: "+url+"}\n")
		if err != nil || c.Lichess.URL != "https://lichess.org" {
			t.Errorf("%s is read as %+v, %v", url, c, err)
		}
	}
}

// Each file testdata/bad-*.yaml begins with the errors it must give, as
// comments.
func TestLoad_BadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad-*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := filetest.Read(t, path)
			var want []string
			for line := range strings.Lines(data) {
				text, ok := strings.CutPrefix(line, "# ")
				if !ok {
					break
				}
				want = append(want, strings.TrimSpace(text))
			}
			_, err = Load(Source{File: path})
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("error %v, want an *Error", err)
			}
			var got []string
			for _, p := range bad.Problems {
				got = append(got, strings.TrimPrefix(p.Error(), "testdata/"))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// setenv sets variables of the environment for the time of a test.
func setenv(t *testing.T, vars map[string]string) {
	t.Helper()
	for name, value := range vars {
		t.Setenv(name, value)
	}
}

func TestLoad_Precedence(t *testing.T) {
	file := []byte("games: {max: 2, reserved_for_humans: 1}\nchallenges: {block: [a]}\n")
	setenv(t, map[string]string{"ZHBOT_GAMES_MAX": "3", "ZHBOT_GAMES_ABORT_AFTER": "10s", "ZHBOT_CHALLENGES_BLOCK": "xx, yy"})
	source := Source{
		File:  "config.yaml",
		Env:   true,
		Flags: map[string]string{"games.max": "4"},
	}
	c, err := Parse(source, file)
	if err != nil {
		t.Fatal(err)
	}
	if c.Games.Max != 4 || c.Games.ReservedForHumans != 1 || c.Games.AbortAfter != 10*time.Second {
		t.Errorf("games %+v", c.Games)
	}
	if diff := cmp.Diff([]string{"xx", "yy"}, c.Challenges.Block); diff != "" {
		t.Error(diff)
	}
}

// A text is taken as it is written, whatever else YAML could read into it, and
// a section can stand for another.
func TestParse_YAMLForms(t *testing.T) {
	c, err := parseText(t, `
lichess: {token_file: 007}
games: {max: 010}
challenges:
  humans: &terms {modes: [casual], rating: {min: "1500"}}
  bots: *terms
  block: [2026-11-21, yes, 1_0]
chat: {greeting: 12:30}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Lichess.TokenFile, want.Games.Max, want.Chat.Greeting = "007", 10, "12:30"
	want.Challenges.Humans.Modes, want.Challenges.Humans.Rating.Min = []string{"casual"}, 1500
	want.Challenges.Bots = want.Challenges.Humans.Terms
	want.Challenges.Block = []string{"2026-11-21", "yes", "1_0"}
	if diff := cmp.Diff(&want, c); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_ErrorsNameTheSource(t *testing.T) {
	t.Setenv("ZHBOT_GAMES_MAX", "many")
	t.Setenv("ZHBOT_ENGINE_PROCESSES", "2")
	source := Source{
		File:  "testdata/bad-unknown.yaml",
		Env:   true,
		Flags: map[string]string{"games.abort_after": "45"},
	}
	_, err := Parse(source, []byte("log: {level: loud}\n"))
	for _, want := range []string{
		`ZHBOT_GAMES_MAX: games.max: "many" is not a whole number`,
		`--set: games.abort_after: "45" is not a duration such as 30s, 5m or 0s`,
		`ZHBOT_ENGINE_PROCESSES: engine.processes: there is now one process for each place in games.max; remove this key`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	_, err = Parse(Source{Flags: map[string]string{"games.max": "-1"}}, nil)
	if want := "--set: games.max: -1 is too small, want at least 1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
	var bad *Error
	if _, err := Load(Source{File: "testdata/nowhere.yaml"}); !errors.As(err, &bad) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

// Every key can be set by its variable, those without a default too.
func TestLoad_EveryKeyFromTheEnvironment(t *testing.T) {
	for _, v := range new(Config).settings() {
		key := v.key
		t.Run(key, func(t *testing.T) {
			t.Setenv(envVar(key), "bad\x01")
			_, err := Parse(Source{Env: true}, nil)
			text := v.Kind() == reflect.String || v.Type() == reflect.TypeFor[[]string]()
			if !text && (err == nil || !strings.Contains(err.Error(), envVar(key))) {
				t.Errorf("%s: error %v does not name the variable", key, err)
			}
		})
	}
	setenv(t, map[string]string{
		"ZHBOT_LICHESS_TOKEN_FILE": "/t", "ZHBOT_ENGINE_NETWORK": "/n", "ZHBOT_CHALLENGES_BOTS_RATING_MAX": "2000",
	})
	c, err := Parse(Source{Env: true}, nil)
	if err != nil || c.Lichess.TokenFile != "/t" || c.Engine.Network != "/n" || c.Challenges.Bots.Rating.Max != 2000 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A blank variable replaces neither a token nor a password.
func TestLoad_BlankSecrets(t *testing.T) {
	setenv(t, map[string]string{
		"ZHBOT_LICHESS_TOKEN": "", "ZHBOT_WEB_PASSWORD": " ", "ZHBOT_MATCHMAKING_ARENAS_PASSWORD": "", "ZHBOT_CHAT_GREETING": "",
	})
	c, err := Parse(Source{Env: true}, []byte("lichess: {token: t}\nweb: {password: verysecret}\nmatchmaking: {arenas: {password: p}}\nchat: {greeting: hi}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Lichess.Token != "t" || c.Web.Password != "verysecret" || c.Matchmaking.Arenas.Password != "p" || c.Chat.Greeting != "" {
		t.Errorf("web %+v, chat %+v", c.Web, c.Chat)
	}
}

func TestToken(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, text)
		return path
	}
	file, empty, two := write("token", " from-file\n"), write("empty", "\n"), write("two", "one\ntwo\n")
	variable := map[string]string{"ZHBOT_LICHESS_TOKEN": "from-env"}
	for _, tt := range []struct {
		name        string
		token, file string
		env         map[string]string
		want        Secret
		fails       string
	}{
		{"environment first", "t", file, variable, "from-env", ""},
		{"then the file", "t", file, nil, "from-file", ""},
		{"then the config", "t", "", nil, "t", ""},
		{"an empty variable is none", "t", "", map[string]string{"ZHBOT_LICHESS_TOKEN": " "}, "t", ""},
		{"none", "", "", nil, "", "no token"},
		{"empty file", "", empty, nil, "", "is empty"},
		{"two lines", "", two, nil, "", "token_file: " + two + ": character 4 of 7 "},
		{"invalid variable", "", file, map[string]string{"ZHBOT_LICHESS_TOKEN": "a b"}, "", "ZHBOT_LICHESS_TOKEN: character 2 of 3 "},
		{"no file", "", filepath.Join(dir, "no"), nil, "", "lichess.token_file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			setenv(t, tt.env)
			c, err := Parse(Source{Env: true}, fmt.Appendf(nil, "lichess: {token: %q, token_file: %q}\n", tt.token, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Token()
			if got != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("token %q, error %v", got.Reveal(), err)
			}
		})
	}
}

func TestSecrets_AreNeverShown(t *testing.T) {
	const secret = "lip_verysecret"
	c, err := parseText(t, "lichess: {token: "+secret+"}\n")
	if err != nil {
		t.Fatal(err)
	}
	if c.Lichess.Token.Reveal() != secret {
		t.Fatal("the token is lost")
	}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	_, bad := parseText(t, "lichess: {token: ["+secret+"], url: 5}\n")
	setenv(t, map[string]string{"ZHBOT_LICHESS_TOKEN": secret, "ZHBOT_GAMES_MAX": "x"})
	_, worse := Parse(Source{Env: true}, nil)
	for _, text := range []string{
		fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), fmt.Sprintf("%s %q %d %x %t", c.Lichess.Token, c.Lichess.Token, c.Lichess.Token, c.Lichess.Token, c.Lichess.Token),
		string(encoded), string(asYAML), fmt.Sprint(bad), fmt.Sprint(worse),
	} {
		if strings.Contains(text, "verysecret") || strings.Contains(text, fmt.Sprintf("%x", secret)) {
			t.Errorf("the token is shown: %s", text)
		}
	}
}

func TestCheckFlag(t *testing.T) {
	for key, want := range map[string]string{
		"games.max": "", "lichess.url": "", "game.max": "did you mean games.max", "games": "unknown setting", "": "unknown setting",
		"engine.processes": "one process for each place in games.max",
		"lichess.token":    "ZHBOT_LICHESS_TOKEN",
	} {
		if err := CheckFlag(key); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", key, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(zhbot.Example)
	f.Add("games: {max: 0x10, max: 2}\n")
	f.Add("a: &a [*a]\n")
	f.Add("engine:\n  threads: ~\n")
	f.Add("\"\": {games: {max: 3}}\n")
	f.Add("games: &g {max: *g}\n---\n? [a]: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(Source{File: "f"}, []byte(text))
		var bad *Error
		if err != nil && (!errors.As(err, &bad) || len(bad.Problems) == 0) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && len(invalid(c)) > 0 {
			t.Fatalf("%q: accepted with %v", text, invalid(c))
		}
	})
}

// invalid returns the invalid values of settings.
func invalid(c *Config) (texts []string) {
	var p problems
	c.validate(&p, 0, 0)
	for _, one := range p.list {
		texts = append(texts, one.Error())
	}
	return texts
}

// An optional file need not exist, but must be readable if it does.
func TestLoad_OptionalFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	source := Source{File: path, Optional: true}
	if c, err := Load(source); err != nil || c.Games != Default().Games {
		t.Errorf("without the file: %+v, %v", c, err)
	}
	filetest.Write(t, path, "games: {max: 3}\n")
	if c, err := Load(source); err != nil || c.Games.Max != 3 {
		t.Errorf("with the file: %+v, %v", c, err)
	}
	source.File = filepath.Dir(path)
	if _, err := Load(source); err == nil {
		t.Error("a folder is taken as settings")
	}
	if _, err := Load(Source{File: path + "x"}); err == nil {
		t.Error("a file that is missing but not optional is taken as empty")
	}
}

// A file of another bot is named as such, but one of ours with a wrong key is not.
func TestParse_OtherPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"token: x\nengine: {}\nchallenge: {concurrency: 1}\n": "f: these are settings of lichess-bot: write ours instead, " +
			`as "Coming from lichess-bot or BotLi" in docs/install.md shows`,
		"engines: {crazyhouse: {}}\nchallenge: {}\n": "f: these are settings of BotLi: ",
		"engine: {skill: 3}\nchallenge: {}\n":        "f:2: unknown key challenge; did you mean challenges?",
	} {
		_, err := Parse(Source{File: "f"}, []byte(text))
		var wrong *Error
		if !errors.As(err, &wrong) || len(wrong.Problems) != 1 || !strings.HasPrefix(wrong.Problems[0].Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

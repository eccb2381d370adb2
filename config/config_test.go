package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot"
	"github.com/zhbot/zhbot/internal/fixture"
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
	_, p := (&Source{File: "f"}).parse([]byte(zhbot.Example))
	for _, key := range Keys() {
		if p.locations[key].source == "" {
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

// setenv sets variables of the environment for the time of a test.
func setenv(t *testing.T, vars map[string]string) {
	t.Helper()
	for name, value := range vars {
		t.Setenv(name, value)
	}
}

func TestLoad_Precedence(t *testing.T) {
	file := []byte("games: {max: 2, reserved_for_humans: 1}\nchallenges: {block: [a]}\n")
	setenv(t, map[string]string{"ZHBOT_GAMES_MAX": "3", "ZHBOT_GAMES_ABORT_AFTER": "10s",
		"ZHBOT_CHALLENGES_BLOCK": "xx, yy"})
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
		"ZHBOT_LICHESS_TOKEN": "", "ZHBOT_WEB_PASSWORD": " ", "ZHBOT_MATCHMAKING_ARENAS_PASSWORD": "",
		"ZHBOT_CHAT_GREETING": "",
	})
	c, err := Parse(Source{Env: true},
		[]byte("lichess: {token: t}\nweb: {password: verysecret}\n"+
			"matchmaking: {arenas: {password: p}}\nchat: {greeting: hi}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Lichess.Token != "t" || c.Web.Password != "verysecret" ||
		c.Matchmaking.Arenas.Password != "p" || c.Chat.Greeting != "" {
		t.Errorf("web %+v, chat %+v", c.Web, c.Chat)
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
		fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c),
		fmt.Sprintf("%s %[1]q %[1]d %[1]x %[1]t", c.Lichess.Token),
		string(encoded), string(asYAML), fmt.Sprint(bad), fmt.Sprint(worse),
	} {
		if strings.Contains(text, "verysecret") || strings.Contains(text, fmt.Sprintf("%x", secret)) {
			t.Errorf("the token is shown: %s", text)
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
	c.section().visit(p.check)
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
	fixture.Write(t, path, "games: {max: 3}\n")
	if c, err := Load(source); err != nil || c.Games.Max != 3 {
		t.Errorf("with the file: %+v, %v", c, err)
	}
	source.File = filepath.Dir(path)
	if _, err := Load(source); err == nil {
		t.Error("a folder is taken as settings")
	}
}

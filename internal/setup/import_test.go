package setup

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file/filetest"
)

// Full config files of both programs are converted as the files beside them say: the
// settings, an empty line, the notes.
func TestImport(t *testing.T) {
	for _, name := range []string{"lichess-bot", "botli"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "import", name+".yml")
			data := []byte(filetest.Read(t, file))
			converted, notes, err := Import(name+".yml", data)
			if err != nil {
				t.Fatal(err)
			}
			got := string(converted) + "\n" + strings.Join(notes, "\n") + "\n"
			want := filetest.Read(t, strings.TrimSuffix(file, ".yml")+".want")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\ngot:\n%s", diff, got)
			}
			if strings.Contains(got, "lip_") {
				t.Error("the token was copied")
			}
			if _, err := config.Parse(config.Source{File: "config.yaml"}, converted); err != nil {
				t.Error(err)
			}
			_, err = config.Parse(config.Source{File: "theirs.yml"}, data)
			if err == nil || !strings.Contains(err.Error(), `zhbot config import theirs.yml`) {
				t.Errorf("read as ours: %v", err)
			}
		})
	}
}

// What their programs assume of keys that are missing becomes explicit.
func TestImport_MissingKeys(t *testing.T) {
	converted, _, err := Import("config.yml", []byte("token: x\nengine: {protocol: homemade, name: mine}\nchallenge:\n  allow_list: [Friend]\n"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(config.Source{}, converted)
	if err != nil {
		t.Fatal(err)
	}
	if c.Games.Max != 1 || c.Games.MaxPerOpponent != 5 || c.Play.Draw || c.Engine.Command != "" ||
		c.Challenges.Bots.Enabled || c.Challenges.Humans.Enabled || !slices.Equal(c.Challenges.Allow, []string{"Friend"}) {
		t.Errorf("converted to\n%s", converted)
	}
}

func TestImport_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "config.yml: neither a config file of lichess-bot",
		"games: {max: 3}\n":          "config.yml: neither a config file of lichess-bot",
		"[token, engine, challenge]": "config.yml: neither a config file of lichess-bot",
		"token: x\nengine: {\n":      "config.yml:2: ",
		"a: &a {engines: {b: *a}, challenge: {b: *a}}\nengines: *a\nchallenge: *a\n":  "config.yml: the sections are nested too deeply",
		"engines: &e {" + strings.Repeat("x, ", maxImportKeys) + "}\nchallenge: *e\n": "config.yml: too many keys",
	} {
		if _, _, err := Import("config.yml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: error %v, want %q", text, err, want)
		}
	}
}

// Every rule names settings that exist.
func TestImportRules(t *testing.T) {
	for _, r := range slices.Concat(fromLichessBot.rules, fromBotLi.rules) {
		for key := range strings.FieldsSeq(r.to) {
			if !slices.Contains(config.Keys(), key) {
				t.Errorf("%s: there is no setting %s", r.key, key)
			}
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, name := range []string{"lichess-bot", "botli"} {
		f.Add(filetest.Read(f, filepath.Join("testdata", "import", name+".yml")))
	}
	f.Add("challenge: {time_controls: [1+1, \"x,y\"]}\nengines: {crazyhouse: {name: \"a'b\\\"c\", uci_options: {a=b: c, d: [e]}}}\n")
	f.Add("token: x\nchallenge: &c {max_base: .nan, min_days: 1e99, block_list: [~, {a: b}], x: *c}\nengine: []\n")
	f.Fuzz(func(t *testing.T, text string) {
		converted, _, err := Import("f", []byte(text))
		if err != nil {
			return
		}
		if _, err := config.Parse(config.Source{File: "f"}, converted); err != nil {
			t.Errorf("%q became\n%s\n%v", text, converted, err)
		}
	})
}

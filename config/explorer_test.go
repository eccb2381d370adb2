package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/file/filetest"
)

func TestExplorerToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	filetest.Write(t, file, " from-file\n")
	bot := map[string]string{"ZHBOT_LICHESS_TOKEN": "the-bots"}
	for _, tt := range []struct {
		name        string
		token, file string
		env         map[string]string
		want        Secret
		fails       error
	}{
		{"environment first", "t", file, map[string]string{"ZHBOT_EXPLORER_TOKEN": "from-env"}, "from-env", nil},
		{"then the file", "t", file, bot, "from-file", nil},
		{"then the config", "t", "", bot, "t", nil},
		{"an empty variable is none", "t", "", map[string]string{"ZHBOT_EXPLORER_TOKEN": ""}, "t", nil},
		{"none", "", "", bot, "", errNoExplorerToken},
		{"the bot's", "the-bots", "", bot, "", errSameToken},
		{"the bot's with space", " the-bots ", "", bot, "", errSameToken},
		{"no file", "", file + "x", bot, "", os.ErrNotExist},
	} {
		t.Run(tt.name, func(t *testing.T) {
			setenv(t, tt.env)
			c, err := Parse(Source{Env: true}, fmt.Appendf(nil, "explorer: {token: %q, token_file: %q}\n", tt.token, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.ExplorerToken()
			if got != tt.want || !errors.Is(err, tt.fails) {
				t.Errorf("token %q, error %v, want %q, %v", got.Reveal(), err, tt.want.Reveal(), tt.fails)
			}
			if err != nil && strings.Contains(err.Error(), "the-bots") {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

func TestExplorer_Settings(t *testing.T) {
	c, err := parseText(t, "explorer: {enabled: true, token: lip_verysecret}\n")
	if err != nil {
		t.Fatal(err)
	}
	if !c.Explorer.Enabled || c.Explorer.URL != "https://explorer.lichess.org" || c.Explorer.Token.Reveal() != "lip_verysecret" {
		t.Errorf("explorer %v", c.Explorer)
	}
	if text := fmt.Sprintf("%v %+v %#v", c.Explorer, c, c); strings.Contains(text, "verysecret") {
		t.Error("the token is shown")
	}
	if CheckFlag("explorer.token") == nil {
		t.Error("explorer.token is taken on the command line")
	}
	for url, good := range map[string]bool{
		"http://127.0.0.1:8000": true, "https://example.org": true,
		"http://explorer.lichess.org": false, "https://example.org/lichess": false, "": false, "explorer.lichess.org": false,
	} {
		if _, err := parseText(t, "explorer: {url: \""+url+"\"}\n"); (err == nil) != good {
			t.Errorf("explorer.url %q: error %v, want none: %t", url, err, good)
		}
	}
}

func TestExplorer_Warnings(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := os.WriteFile(open, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	c := &Config{Explorer: Explorer{Token: "t", TokenFile: open}}
	got := Source{File: open}.Warnings(c, nil)
	want := []string{
		"explorer.token_file: other users of this machine can read " + open + "; run chmod 600",
		"explorer.token: other users of this machine can read " + open + "; run chmod 600",
	}
	if !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}

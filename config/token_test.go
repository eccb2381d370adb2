package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/file/filetest"
)

// The bot and the explorer find their tokens alike.
func TestToken(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, text)
		return path
	}
	file, empty, two := write("token", " from-file\n"), write("empty", "\n"), write("two", "one\ntwo\n")
	for name, tt := range map[string]struct{ env, file, token, want, fails string }{
		"environment first":            {" from-env ", file, "t", "from-env", ""},
		"then the file":                {"", file, "t", "from-file", ""},
		"then the config":              {"", "", "t", "t", ""},
		"a blank variable is no token": {" ", "", "t", "t", ""},
		"none":                         {"", "", "", "", "no token"},
		"empty file":                   {"", empty, "", "", "is empty"},
		"two lines":                    {"", two, "", "", "token_file: " + two + ": character 4 of 7 "},
		"invalid variable":             {"a b", file, "", "", "_TOKEN: character 2 of 3 "},
		"no file":                      {"", filepath.Join(dir, "no"), "", "", ".token_file: "},
	} {
		for _, section := range []string{"lichess", "explorer"} {
			t.Run(name+" of "+section, func(t *testing.T) {
				t.Setenv("ZHBOT_LICHESS_TOKEN", "the-bots")
				t.Setenv(envVar(section+".token"), tt.env)
				c, err := Parse(Source{Env: true}, fmt.Appendf(nil,
					"%s: {token: %q, token_file: %q}\n", section, tt.token, tt.file))
				if err != nil {
					t.Fatal(err)
				}
				got, err := c.Token()
				if section == "explorer" {
					got, err = c.ExplorerToken()
				}
				if got.Reveal() != tt.want || (err == nil) != (tt.fails == "") ||
					err != nil && !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("token %q, error %v", got.Reveal(), err)
				}
			})
		}
	}
	for _, token := range []string{"the-bots", " the-bots "} {
		t.Setenv("ZHBOT_EXPLORER_TOKEN", token)
		c := &Config{Lichess: Lichess{Token: "the-bots"}}
		if got, err := c.ExplorerToken(); got != "" || !errors.Is(err, errSameToken) ||
			strings.Contains(err.Error(), "the-bots") {
			t.Errorf("the bot's own token: %q, %v", got.Reveal(), err)
		}
	}
}

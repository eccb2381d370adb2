package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

func TestToken(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		fixture.Write(t, path, text)
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
		t.Run(name, func(t *testing.T) {
			t.Setenv("ZHBOT_LICHESS_TOKEN", tt.env)
			c, err := Parse(Source{Env: true}, fmt.Appendf(nil,
				"lichess: {token: %q, token_file: %q}\n", tt.token, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Token()
			if got.Reveal() != tt.want || (err == nil) != (tt.fails == "") ||
				err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("token %q, error %v", got.Reveal(), err)
			}
		})
	}
}

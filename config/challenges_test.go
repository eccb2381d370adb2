package config

import (
	"strings"
	"testing"
)

func TestValidate_BlockURL(t *testing.T) {
	for address, want := range map[string]string{
		"":                             "",
		"https://example.org/list.txt": "",
		"https://example.org/?raw=1":   "",
		"http://127.0.0.1/list":        "want https",
		"file:///etc/passwd":           "not an address",
		"ftp://example.org/list":       "want https",
		"example.org/list":             "not an address",
		"https://":                     "not an address",
		"https://a b":                  "not an address",
		"https://me:hush@example.org/": "user name or password",
		"HTTPS://example.org/list":     "",
	} {
		c := Default()
		c.Challenges.BlockURL = address
		problems := c.validate(0, 0)
		switch {
		case want == "" && len(problems) == 0:
		case want != "" && len(problems) == 1 && strings.Contains(problems[0].text, want) && problems[0].key == "challenges.block_url":
		default:
			t.Errorf("%q: problems %v, want %q", address, problems, want)
		}
		if strings.Contains(problemsText(problems), "hush") {
			t.Errorf("the password is shown: %v", problems)
		}
	}
}

func problemsText(list []problem) string {
	var text strings.Builder
	for _, p := range list {
		text.WriteString(p.Error())
	}
	return text.String()
}

package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseEndpoint(t *testing.T) {
	for text, want := range map[string]Endpoint{
		"https://example.org/hook?key=k":         {"example.org", "https://example.org/hook?key=k", ""},
		"http://127.0.0.1:8000/hook":             {"127.0.0.1", "http://127.0.0.1:8000/hook", ""},
		"https://discord.com/api/webhooks/1/tok": {"discord.com", "https://discord.com/api/webhooks/1/tok", ""},
		"ntfy://ntfy.sh/my-topic":                {"ntfy.sh", "https://ntfy.sh/", "my-topic"},
		"ntfy://me:pass@example.org:444/t":       {"example.org", "https://me:pass@example.org:444/", "t"},
		"ntfy://localhost:80/t?scheme=http":      {"localhost", "http://localhost:80/", "t"},
		"https://api.telegram.org/bot110:AAH-x/sendMessage?chat_id=@name": {
			"api.telegram.org", "https://api.telegram.org/bot110:AAH-x/sendMessage?chat_id=@name", "",
		},
	} {
		if got, err := parseEndpoint(text); got != want || err != nil {
			t.Errorf("%s: %s %q %q, %v", text, got, got.Address.Reveal(), got.Topic.Reveal(), err)
		}
	}
}

// An error names the place of a bad URL, and shows nothing of it.
func TestConfig_BadEndpoints(t *testing.T) {
	for text, want := range map[string]string{
		"hush":                               "not the URL",
		"https://":                           "not the URL",
		"https://hush.example.org/a b%zz":    "not the URL",
		"slack://hush/hush":                  "not the URL",
		"http://hush.example.org/hook":       "want https",
		"ntfy://hush.example.org":            "without a topic",
		"ntfy://hush.example.org/a/b":        "without a topic",
		"ntfy://hush.org/a?scheme=http":      "want https",
		"telegram://hush@telegram?chats=1":   "https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID",
		"discord://hush@1":                   "https://example.org/hook (Discord, ",
		"https://api.telegram.org/bothush/x": "without a chat",
	} {
		c := Default()
		c.Notify.URLs = []Secret{"https://example.org/", Secret(text)}
		problems := strings.Join(invalid(&c), "; ")
		if !strings.HasPrefix(problems, "notify.urls[1]: ") || !strings.Contains(problems, want) ||
			strings.Contains(problems, "hush") {
			t.Errorf("%s: %s, want %s", text, problems, want)
		}
	}
}

// The URLs come from the file or the environment, and are hidden wherever settings are shown.
func TestConfig_EndpointsAreSecrets(t *testing.T) {
	file := []byte("notify: {urls: [https://a.org/hush]}")
	for _, hosts := range [][]string{{"a.org"}, {"b.org", "d.org"}} {
		source := Source{Env: true}
		if hosts[0] == "b.org" {
			t.Setenv("ZHBOT_NOTIFY_URLS", "https://b.org/hush, https://d.org/hush")
		}
		c, err := Parse(source, file)
		if err != nil {
			t.Fatal(err)
		}
		list := c.Endpoints()
		var got []string
		for _, e := range list {
			got = append(got, e.Host)
		}
		if !slices.Equal(got, hosts) {
			t.Errorf("%v, want %v", got, hosts)
		}
		settings, err := source.Effective(file)
		if err != nil {
			t.Fatal(err)
		}
		shown := fmt.Sprintf("%v %+v %#v %v %+v %#v %s %v", c.Notify, c.Notify, c.Notify,
			list, list, list, Format(c, "notify.urls"), settings)
		if strings.Contains(shown, "hush") {
			t.Errorf("a URL is shown: %s", shown)
		}
	}
}

func FuzzParseEndpoint(f *testing.F) {
	for _, text := range []string{
		"https://example.org/hook", "ntfy://a:b@ntfy.sh/t?scheme=http",
		"https://api.telegram.org/bot1:2/sendMessage?chat_id=3", "https://:", "ntfY://0/0",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseEndpoint(text)
		if err != nil {
			return
		}
		if a := e.Address.Reveal(); !strings.HasPrefix(a, "https://") && !strings.HasPrefix(a, "http://") ||
			e.Host == "" ||
			strings.HasPrefix(strings.ToLower(text), "ntfy:") != (e.Topic != "") {
			t.Errorf("%q is %s with the address %q", text, e, a)
		}
	})
}

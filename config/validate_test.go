package config

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
)

// Every tag of a setting means something.
func TestTags(t *testing.T) {
	for _, s := range new(Config).settings() {
		low, high := s.limits()
		if text, given := s.tag.Lookup("range"); given && (!strings.Contains(text, "..") || low >= high || low == 0 && high == math.MaxInt64) {
			t.Errorf("%s: range %q", s.key, text)
		}
		if form := s.tag.Get("form"); form != "" && forms[form].check == nil {
			t.Errorf("%s: unknown form %q", s.key, form)
		}
	}
	if Max("engine.skill") != human.MaxLevel {
		t.Errorf("the highest level is %d", Max("engine.skill"))
	}
}

func TestValidate_Web(t *testing.T) {
	for _, tt := range []struct {
		name string
		web  Web
		want string // part of the problem; "" for none
	}{
		{"default", Default().Web, ""},
		{"off", Web{}, ""},
		{"every address", Web{Listen: ":8080"}, ""},
		{"IPv6", Web{Listen: "[::1]:8080", Hosts: []string{"bot.example.org", "bot.example.org:8443"}}, ""},
		{"no port", Web{Listen: "127.0.0.1"}, "web.listen"},
		{"port too large", Web{Listen: "127.0.0.1:65536"}, "web.listen"},
		{"URL as host", Web{Listen: ":8080", Hosts: []string{"https://bot.example.org"}}, "web.hosts"},
		{"any host", Web{Listen: ":8080", Hosts: []string{"*"}}, "web.hosts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Default()
			c.Web = tt.web
			problems := invalid(&c)
			if tt.want == "" && len(problems) > 0 || tt.want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0], tt.want+": ")) {
				t.Errorf("problems %v, want %q", problems, tt.want)
			}
		})
	}
}

func TestValidate_Ctl(t *testing.T) {
	for listen, want := range map[string]string{
		"auto": "", "": "", "127.0.0.1:0": "", "localhost:8081": "", "[::1]:0": "",
		"0.0.0.0:8081": "can be reached from other machines", ":8081": "can be reached from other machines", "bot.lan:80": "can be reached from other machines",
		"127.0.0.1:": "is neither a path nor an address", "127.0.0.1:65536": "is neither a path nor an address",
	} {
		c := Default()
		c.Ctl.Listen = listen
		problems := invalid(&c)
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0], "ctl.listen: ") || !strings.Contains(problems[0], want)) {
			t.Errorf("%q: problems %v, want %q", listen, problems, want)
		}
	}
	for _, path := range []string{"/run/zhbot/ctl.sock", "ctl.sock", "./a:b"} {
		c := Default()
		c.Ctl.Listen = path
		if problems := invalid(&c); !IsPath(path) || len(problems) > 0 && runtime.GOOS != "windows" {
			t.Errorf("%q: problems %v", path, problems)
		}
	}
}

func TestSource_Warnings_Web(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	filetest.Write(t, file, "web: {password: verysecret}\n")
	if err := os.Chmod(file, 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		source Source
		web    Web
		want   string // part of the warning; "" for none
	}{
		{"on this machine", Source{}, Web{Listen: "127.0.0.1:8080"}, ""},
		{"by name", Source{}, Web{Listen: "LocalHost:8080"}, ""},
		{"off", Source{}, Web{}, ""},
		{"beyond, with a password", Source{}, Web{Listen: ":8080", Password: "verysecret"}, ""},
		{"beyond, without", Source{}, Web{Listen: "0.0.0.0:8080"}, "without web.password"},
		{"password in an open file", Source{File: file}, Web{Listen: "127.0.0.1:8080", Password: "verysecret"}, "chmod 600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(tt.source.Warnings(&Config{Web: tt.web}, nil), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) || strings.Contains(got, "verysecret") {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}

func TestChat_Placeholders(t *testing.T) {
	for _, tt := range []struct{ text, problem string }{
		{"Hello {opponent} ({rating}), I am {me} {version}. {speed} {result}", ""},
		{"plain", ""},
		{"Hello {speeds}", "chat.greeting: unknown placeholder {speeds}; did you mean {speed}?"},
		{"{}", "chat.greeting: unknown placeholder {}"},
		{"{one } two}", "chat.greeting: unknown placeholder {one }"},
	} {
		c := Default()
		c.Chat.Greeting = tt.text
		if joined := strings.Join(invalid(&c), "; "); joined != tt.problem && (tt.problem == "" || !strings.HasPrefix(joined, tt.problem)) {
			t.Errorf("%q: %q, want %q", tt.text, joined, tt.problem)
		}
	}
}

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
		c.Challenges.BlockURL = splitList(address)
		problems := invalid(&c)
		switch {
		case want == "" && len(problems) == 0:
		case want != "" && len(problems) == 1 && strings.Contains(problems[0], want) && strings.HasPrefix(problems[0], "challenges.block_url: "):
		default:
			t.Errorf("%q: problems %v, want %q", address, problems, want)
		}
		if strings.Contains(strings.Join(problems, ""), "hush") {
			t.Errorf("the password is shown: %v", problems)
		}
	}
}

// One block list may be given as a text, several as a list; the mistake in one names its place.
func TestParse_BlockURL(t *testing.T) {
	for text, want := range map[string]string{
		`""`:                             "[]",
		"https://a.org/1":                "[https://a.org/1]",
		"[https://a.org/1]":              "[https://a.org/1]",
		"[https://a.org/1, https://b.o]": "[https://a.org/1, https://b.o]",
		"[https://a.org/1, b.o]":         "file:1: challenges.block_url[1]: not an address; want the form https://example.org/blocked.txt",
		"{a: b}":                         "file:1: challenges.block_url: want a list such as [a, b]",
	} {
		c, err := Parse(Source{File: "file"}, []byte("challenges: {block_url: "+text+"}"))
		if bad, ok := errors.AsType[*Error](err); ok {
			if got := bad.Problems[0].Error(); got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		} else if got := Format(c, "challenges.block_url"); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// What is read is printed in a form that is read alike.
func TestOffer(t *testing.T) {
	for text, want := range map[string]Offer{
		"3+2":          {lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, true, 1},
		"1+1 casual":   {lichess.Clock{Initial: time.Minute, Increment: time.Second}, false, 1},
		"0+1 casual 4": {lichess.Clock{Increment: time.Second}, false, 4},
		" 5+3 rated 7": {lichess.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}, true, 7},
		"2+0 2":        {lichess.Clock{Initial: 2 * time.Minute}, true, 2},
		"15m+10s":      {lichess.Clock{Initial: 15 * time.Minute, Increment: 10 * time.Second}, true, 1},
	} {
		var got, again Offer
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
		if err := again.UnmarshalText([]byte(got.String())); err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %+v, %v", text, got, again, err)
		}
	}
}

func TestHours(t *testing.T) {
	for text, want := range map[string]Hours{"22-6": {22, 6}, "0-24": {0, 24}, " 8 - 12": {8, 12}} {
		var got Hours
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestValidate_Clocks(t *testing.T) {
	for clock, want := range map[string]string{
		`"3+2"`: "", `½+0`: "", `15+10`: "", `3m+2s`: "",
		`fast`: "clocks[0]: \"fast\" is not a clock", `180+2`: "clocks[0]: 180+2 needs a unit", `0+0`: "clocks[0]: 0+0 has no time", `~`: "clocks[0]: want a text",
		`181s+0s`: "clocks: no clock of Lichess begins with 181s", `3+61`: "clocks: no clock of Lichess has an increment of 61s", `15s+0s`: "clocks: ¼+0 is ultraBullet",
	} {
		_, err := Parse(Source{}, []byte("challenges: {bots: {clocks: ["+clock+"]}}\n"))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", clock, err)
			}
			continue
		}
		if e, ok := errors.AsType[*Error](err); !ok || len(e.Problems) != 1 || !strings.Contains(e.Problems[0].Error(), "challenges.bots."+want) {
			t.Errorf("%s: error %v, want one: %q", clock, err, want)
		}
	}
}

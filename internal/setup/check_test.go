package setup

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// environment returns settings that come from the environment, with a token.
func environment(t *testing.T, url, token string) config.Source {
	t.Helper()
	for name, value := range map[string]string{
		"ZHBOT_LICHESS_URL": url, "ZHBOT_LICHESS_TOKEN": token, "ZHBOT_RECORDS_DIR": t.TempDir(),
		"ZHBOT_WEB_LISTEN": "",
	} {
		t.Setenv(name, value)
	}
	return config.Source{Env: true}
}

func TestCheck(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	for _, tt := range []struct {
		name, title, scope string
		ok                 bool
		want               string
	}{
		{"ready", "BOT", "bot:play", true, "ok      account: BOT ready"},
		{"human", "", "bot:play", false, "WRONG   account: human is not a BOT account"},
		{"reader", "BOT", "challenge:read", false, "WRONG   token: this token lacks the scope bot:play"},
		{"marked", "", "bot:play", false, "WRONG   account: marked is marked for breaking"},
		{"veteran", "", "bot:play", false, "WRONG   account: veteran is not a BOT account, and has played 3 games"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			source := environment(t, s.URL(), s.AddUser(tt.name, tt.title, tt.scope))
			if tt.name == "marked" {
				s.MarkAccount(tt.name)
			} else if tt.name == "veteran" {
				s.SetPerf(tt.name, 1500, 3)
			}
			ok, upgrades := Check(t.Context(), source, false, &out), strings.Contains(out.String(), "zhbot setup")
			if ok != tt.ok || !strings.Contains(out.String(), tt.want) || upgrades != (tt.name == "human") {
				t.Errorf("ok: %t, want %t and %q in\n%s", ok, tt.ok, tt.want, &out)
			}
		})
	}
}

// What no token can do is named, with the page where the owner does it.
func TestCheck_OwnerTasks(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	profile := "note    the account has no bio: Lichess leaves it out of the list of online bots, so few will " +
		"challenge it\n        -> write one at " + s.URL() + "/account/profile\n"
	for bio, noted := range map[string]bool{"Hello": false, " \n": true} {
		source := environment(t, s.URL(), s.AddBot("zhbot"))
		s.SetBio("zhbot", bio)
		var out strings.Builder
		if ok := Check(t.Context(), source, false, &out); !ok || strings.Contains(out.String(), profile) != noted {
			t.Errorf("%q: printed\n%s", bio, &out)
		}
	}
}

// The owner of a new account is told that quick wins do not count.
func TestCheck_NewAccount(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	source := environment(t, s.URL(), s.AddBot("zhbot"))
	for age, want := range map[time.Duration]bool{time.Hour: true, 8 * 24 * time.Hour: false, -time.Hour: true} {
		s.SetCreated("zhbot", time.Now().Add(-age))
		var out strings.Builder
		if ok := Check(t.Context(), source, false, &out); !ok || strings.Contains(out.String(), "quick wins") != want {
			t.Errorf("age %s: printed\n%s", age, &out)
		}
	}
}

// All invalid settings are reported, and no server is asked.
func TestCheck_InvalidSettings(t *testing.T) {
	source := environment(t, "https://example.invalid", "lip_sometoken")
	source.Flags = map[string]string{"games.max": "0", "games.max_per_opponent": "-1"}
	var out strings.Builder
	ok := Check(t.Context(), source, false, &out)
	if ok || strings.Count(out.String(), "WRONG   configuration: ") != 2 || strings.Contains(out.String(), "server") {
		t.Errorf("printed\n%s", &out)
	}
}

const blitz = `{"id":"zH4kQ2ab","variant":{"key":"crazyhouse"},"rated":true,"speed":"blitz",` +
	`"challenger":{"id":"dropfan","name":"DropFan","rating":1500},` +
	`"timeControl":{"type":"clock","limit":180,"increment":2}}`

func TestCheckChallenge(t *testing.T) {
	source := config.Source{}
	paused, avoided := t.TempDir(), t.TempDir()
	fixture.Write(t, filepath.Join(paused, "state.json"), `{"pause":{"since":"2026-11-01T12:00:00Z","keep":true}}`)
	now := time.Now().Format(time.RFC3339)
	fixture.Write(t, filepath.Join(avoided, "state.json"), fmt.Sprintf(`{"opponents":{"dropfan":{"aborts":[%q,%q,%q]}}}`,
		now, now, now))
	q := ChallengeCheck{Today: 5}
	if err := json.Unmarshal([]byte(blitz), &q.Challenge); err != nil {
		t.Fatal(err)
	}
	for want, flags := range map[string]map[string]string{
		"answer  accept, as soon as there is a slot\n":                           nil,
		"answer  decline: later\nrule    paused by the operator\n":               {"records.dir": paused},
		"answer  decline: later\nrule    too many aborted games\n":               {"records.dir": avoided},
		"answer  decline: casual\nrule    challenges.humans.modes is [casual]\n": {"challenges.humans.modes": "casual"},
		"answer  decline: later\nrule    games.max_per_opponent_per_day is 5\n": {
			"games.max_per_opponent_per_day": "5",
		},
		"note    our rating is unknown, so rating.max_difference was not checked": {
			"challenges.humans.rating.max_difference": "100",
		},
	} {
		source.Flags = flags
		var out strings.Builder
		ok := CheckChallenge(t.Context(), source, q, &out)
		if !ok || !strings.Contains(out.String(), want) {
			t.Errorf("%v: printed\n%swant\n%s", flags, &out, want)
		}
		if !strings.HasPrefix(out.String(), "asked   rated crazyhouse, 3+2 (blitz), by the human DropFan (1500)\n") {
			t.Errorf("described as\n%s", &out)
		}
	}
}

// Endpoints are validated without a message; with --notify each gets one.
func TestChecker_Notifications(t *testing.T) {
	messages := make(chan string, 9)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		messages <- string(text)
	}))
	defer hook.Close()
	url := config.Secret(hook.URL + "/hush")
	one := config.Notify{URLs: []config.Secret{url}}
	two := config.Notify{URLs: []config.Secret{url, "http://127.0.0.1:1/hush"}}
	for _, tt := range []struct {
		settings config.Notify
		send     bool
		want     string
		sent     int
	}{
		{config.Notify{}, false, "", 0},
		{config.Notify{}, true, "WRONG   notifications: there is no endpoint", 0},
		{one, false, "ok      notifications: webhook at 127.0.0.1; none was sent, see --notify", 0},
		{one, true, "ok      notifications: a test was sent to webhook at 127.0.0.1", 1},
		{two, true, "WRONG   notifications: webhook at 127.0.0.1: ", 1},
	} {
		var out strings.Builder
		k := &checker{out: &out}
		k.notifications(t.Context(), &config.Config{Notify: tt.settings}, tt.send)
		got, fails := out.String(), strings.HasPrefix(tt.want, "WRONG")
		if !strings.Contains(got, tt.want) || strings.Contains(got, "hush") || k.failed != fails {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
		for range tt.sent {
			if text := <-messages; !strings.Contains(text, `"event":"test"`) {
				t.Errorf("received %s", text)
			}
		}
		if len(messages) > 0 {
			t.Errorf("%s: more was sent: %s", tt.want, <-messages)
		}
	}
}

package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// freeAddress returns an address of this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestHealth asks a bot that runs, beside one that found the port taken, and
// asks again when the bot has lost its server.
func TestHealth(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	address := freeAddress(t)
	environment := func(account string) []string {
		return []string{
			"ZHBOT_LICHESS_URL=" + s.URL(), "ZHBOT_LICHESS_TOKEN=" + s.AddBot(account), "ZHBOT_WEB_LISTEN=" + address,
			"ZHBOT_WEB_PASSWORD=verysecret", "ZHBOT_RECORDS_DIR=" + t.TempDir(), "ZHBOT_ENGINE_HASH_MB=16",
		}
	}
	health := func() (string, int) {
		cmd := exec.CommandContext(t.Context(), zhbotPath(t), "health", "--set", "web.listen="+address)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := health(); code != exitFailed || !strings.Contains(out, "does not answer") {
		t.Errorf("without a bot: exit code %d, %s", code, out)
	}
	bot := startProcess(t, environment("first"), "run")
	waitFor(t, "the bot is ready", func() bool { _, code := health(); return code == exitOK })
	if text := get(t, "http://"+address+"/metrics", "verysecret"); !strings.Contains(text, "\nzhbot_event_stream_up 1") || !strings.Contains(text, "zhbot_http_requests_total{") {
		t.Errorf("metrics of a bot that is ready:\n%s", text)
	}

	second := startProcess(t, environment("second"), "run")
	waitFor(t, "a second bot plays without a page", func() bool { return s.Online("second") })
	if !strings.Contains(second.output(), "no live page: the bot plays without it") {
		t.Errorf("no warning of the port in:\n%s", second.output())
	}

	s.Close()
	waitFor(t, "the bot is not ready", func() bool {
		out, code := health()
		return code == exitFailed && strings.Contains(out, "the event stream is not open")
	})
	for _, p := range []*process{bot, second} {
		if strings.Contains(p.output(), "verysecret") {
			t.Error("the password is in the log")
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
	}
}

// get reads a page with a password.
func get(t *testing.T, url, password string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("", password)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return string(text)
}

func TestPageURL(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", ":8080": "http://127.0.0.1:8080", "0.0.0.0:8080": "http://127.0.0.1:8080",
		"[::]:8080": "http://127.0.0.1:8080", "[::1]:8080": "http://[::1]:8080", "Bot.lan:80": "http://bot.lan:80",
	} {
		if got := pageURL(address); got != want {
			t.Errorf("%s is asked at %s, want %s", address, got, want)
		}
	}
}

func TestNewPage_None(t *testing.T) {
	c := config.Default()
	c.Web.Listen = ""
	page, err := newPage(&c, zerolog.Nop())
	if err != nil || page != nil {
		t.Errorf("page %v, %v", page, err)
	}
	url, stop := servePage(t.Context(), page, "", zerolog.Nop())
	if stop(); url != "" {
		t.Errorf("no page is at %s", url)
	}
}

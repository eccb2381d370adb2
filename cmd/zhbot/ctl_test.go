package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// TestCtl controls a bot from other processes.
func TestCtl(t *testing.T) {
	t.Parallel()
	s := lichesstest.NewServer(t, lichesstest.Options{})
	s.AddHuman("Sleeper", lichesstest.Idle())
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	settings := "web: {listen: \"\"}\nrecords: {dir: " + filepath.Join(dir, "records") +
		"}\nmatchmaking: {enabled: true, idle: 1h}\n"
	fixture.Write(t, path, settings)
	ctl := func(args ...string) (out string, code int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), zhbotPath(t), append([]string{"ctl", "--config", path}, args...)...)
		text, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(text), cmd.ProcessState.ExitCode()
	}
	if out, code := ctl("status"); code != exitFailed || !strings.Contains(out, "no bot runs with these settings") {
		t.Fatalf("without a bot: exit code %d, %s", code, out)
	}
	p := startBot(t, s, nil, "--config", path)
	statusHas := func(text string) bool {
		out, _ := ctl("status")
		return strings.Contains(out, text)
	}
	fixture.Until(t, "the bot is connected", func() bool { return statusHas(", connected, ") })
	must := func(want string, args ...string) {
		t.Helper()
		if out, code := ctl(args...); code != exitOK || !strings.Contains(out, want) {
			t.Fatalf("%q: exit code %d, %q, want %q", args, code, out, want)
		}
	}
	must("matchmaking  on", "status")
	id := s.Challenge("Sleeper", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "white"})
	fixture.Until(t, "the game is joined", func() bool { return p.games("game joined")[id] })
	fixture.Until(t, "the game is listed", func() bool {
		return statusHas(id + "  black against Sleeper (1500), 3+0 casual, move 1, their turn, clock 3:00 to 3:00")
	})
	out, _ := ctl("status", "--json")
	var status struct {
		Account string
		Games   []struct{ ID string }
	}
	err := json.Unmarshal([]byte(out), &status)
	if err != nil || status.Account != "zhbot" || len(status.Games) != 1 || status.Games[0].ID != id {
		t.Errorf("status %s, %v", out, err)
	}
	must("paused, also after a restart; games in progress: 1", "pause", "--keep")
	must("said", "say", id[:4], "-1 is not", "--a score")
	must(`"message": "resumed"`, "resume", "--json")
	must("nothing has changed", "reload")
	if out, code := ctl("draw", id); code != exitFailed || !strings.Contains(out, "before both have moved") {
		t.Errorf("draw: exit code %d, %s", code, out)
	}
	must("draining; games in progress: "+id, "drain")
	must("aborted", "abort", id)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	journal, err := os.ReadFile(filepath.Join(dir, "records", "operator.jsonl"))
	if err != nil || bytes.Count(journal, []byte(`"origin":"ctl (`)) != 7 || strings.Contains(p.String(), "lip_") {
		t.Errorf("journal %s, %v", journal, err)
	}
}

// Records that cannot be written are in the status, and only those.
func TestDescribeGame(t *testing.T) {
	for want, g := range map[string]bot.GameStatus{
		"abc  white against BOT bob (1900), 3+2 rated, move 2, our turn, clock 2:59 to 0:07, in the arena Zh, " +
			"last 1… d5, +1.30 at depth 12": {
			ID: "abc", Color: "white", Opponent: record.Player{Name: "bob", Title: "BOT", Rating: 1900}, Clock: "3+2",
			Rated: true, Arena: "Zh",
			Plies: 2, OurTurn: true, Left: 179.5, TheirLeft: 7, LastMove: "1… d5",
			Search: &bot.SearchStatus{Centipawns: 130, Depth: 12},
		},
		"abc  black against bob, casual, move 1, their turn, #-3 at depth 9": {
			ID: "abc", Color: "black", Opponent: record.Player{Name: "bob"},
			Search: &bot.SearchStatus{Mate: -3, Depth: 9},
		},
	} {
		if got := describeGame(&g); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Each example of "zhbot ctl" is a valid command.
func TestCtl_Examples(t *testing.T) {
	t.Setenv("ZHBOT_RECORDS_DIR", t.TempDir())
	ctl, _, _ := newRoot().Find([]string{"ctl"})
	for _, c := range ctl.Commands() {
		_, _, err := execute(t.Context(), strings.Fields(c.Example)[1:]...)
		if err == nil || !strings.Contains(err.Error(), "no bot runs with these settings") {
			t.Errorf("%s: %v", c.Example, err)
		}
	}
}

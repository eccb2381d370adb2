package bot

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// The log tells a night's story: what was decided, how each game began and how
// it ended, each in a line; moves are for those who ask for them.
func TestLog_TellsTheStory(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	r.AddHuman("alice", peaceful(6, 0))
	r.AddHuman("mallory", peaceful(6, 0))
	bot := r.start(func(b *Bot) { b.settings().Policy.Block = []string{"mallory"} })
	refused := r.Challenge("mallory", botName, blitz)
	played := r.Challenge("alice", botName, withColor(blitz, "white"))
	r.finished(played)
	eventually(t, "the game's end is told", func() bool { return r.log.messages("game over") == 1 })
	bot.halt()
	about := func(id, message string) map[string]any {
		t.Helper()
		found := r.log.entries(func(_, m string) bool { return m == message })
		var lines []map[string]any
		for _, line := range found {
			if line["challenge"] == id || line["game"] == id {
				lines = append(lines, line)
			}
		}
		if len(lines) != 1 {
			t.Fatalf("%d lines %q about %s, want 1", len(lines), message, id)
		}
		return lines[0]
	}
	for _, want := range []struct {
		id, message string
		fields      map[string]any
	}{
		{refused, "challenge decided", map[string]any{"level": "info", "accept": false, "opponent": "mallory", "rule": "challenges.block"}},
		{played, "challenge decided", map[string]any{"level": "info", "accept": true, "opponent": "alice", "rated": true, "control": "3+2"}},
		{played, "game joined", map[string]any{"level": "info", "opponent": "alice", "color": "black", "speed": "blitz", "rated": true}},
		{played, "game over", map[string]any{"level": "info", "opponent": "alice", "color": "black", "status": "mate"}},
	} {
		line := about(want.id, want.message)
		for field, value := range want.fields {
			if line[field] != value {
				t.Errorf("%s: %s is %v, want %v", want.message, field, line[field], value)
			}
		}
	}
	if over := about(played, "game over"); over["result"] != "won" && over["result"] != "lost" {
		t.Errorf("the result of a mate is %q", over["result"])
	}
	moves := r.log.entries(func(level, m string) bool { return m == "moved" && level == zerolog.LevelDebugValue })
	result, _ := r.Game(played)
	if want := len(result.Moves) / 2; len(moves) < want-1 || len(moves) > want+1 {
		t.Errorf("%d moves at level debug, want about %d", len(moves), want)
	}
	if strings.Contains(r.log.String(), r.token) {
		t.Error("the token is in the log")
	}
}

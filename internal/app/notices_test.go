package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// A refusal is told once until the bot plays again; what is not the operator's concern is not told.
func TestNotices_Runs(t *testing.T) {
	n, full := new(notices), record.Backlog{Waiting: 2, Since: time.Unix(1e9, 0), Reason: "no space left"}
	refusal := fmt.Errorf("start: %w", &bot.Refusal{About: "token", Text: "unknown", Todo: "create another"})
	for i, tt := range []struct {
		event event.Event
		name  string
		text  string
	}{
		{event.Ended{Err: refusal}, "refused", "unknown: create another"},
		{event.Ended{Err: refusal}, "", ""},
		{event.LoggedIn{Account: "ZhBot"}, "accepted", "again"},
		{event.LoggedIn{Account: "ZhBot"}, "", ""},
		{event.Crashed{Began: time.Unix(1e9, 0).UTC()}, "", ""},
		{event.LoggedIn{Account: "ZhBot"}, "crashed", "9 September at 01:46 UTC"},
		{event.Draining{}, "", ""},
		{event.Ended{}, "drained", "has drained and stopped."},
		{event.Ended{Games: []string{"abcd1234"}}, "drained", "Left to the next start: abcd1234."},
		{event.Ended{Err: fmt.Errorf("start: %w", context.Canceled)}, "", ""},
		{event.Ended{Err: errors.New("no engine")}, "stopped", "no engine"},
		{event.BacklogChanged{}, "", ""},
		{event.BacklogChanged{Backlog: full}, "records", ": no space left."},
		{event.BacklogChanged{Backlog: full}, "", ""},
		{event.BacklogChanged{Backlog: record.Backlog{Dropped: 1}}, "records", "to be written: 0, dropped: 1."},
		{event.BacklogChanged{Backlog: record.Backlog{Dropped: 1}}, "", ""},
		{event.Verdict{Text: "a is stronger than b"}, "verdict", "a is stronger than b"},
		{event.Searched{Info: engine.Info{Depth: 9}}, "", ""},
		{event.GameChanged{}, "", ""},
	} {
		if name, text := n.describe(tt.event); name != tt.name || !strings.Contains(text, tt.text) || (name == "") != (text == "") {
			t.Errorf("%d: %q, %q, want %q, %q", i, name, text, tt.name, tt.text)
		}
	}
}

// Only a game that was lost to something else than chess is told.
func TestNotices_Lost(t *testing.T) {
	for _, tt := range []struct {
		status lichess.Status
		result rules.Result
		want   string
	}{
		{lichess.StatusMate, rules.BlackWins, ""},
		{lichess.StatusResign, rules.BlackWins, ""},
		{lichess.StatusOutOfTime, rules.BlackWins, "lost on time: https://lichess.org/x"},
		{lichess.StatusOutOfTime, rules.WhiteWins, ""},
		{lichess.StatusOutOfTime, rules.Draw, ""},
		{lichess.StatusTimeout, rules.BlackWins, "because the bot was away"},
		{lichess.StatusCheat, rules.BlackWins, `by "cheat"`},
		{lichess.StatusNoStart, rules.NoResult, "made no first move"},
		{lichess.StatusAborted, rules.NoResult, ""},
	} {
		v := event.GameView{Us: rules.White, Board: rules.NewGame(rules.StartPosition()), Summary: record.Summary{
			Site: "https://lichess.org/x", Black: record.Player{Name: "rival"}, Status: tt.status, Result: tt.result,
		}}
		name, text := new(notices).describe(event.GameEnded{GameView: v})
		if (name == "lost") != (tt.want != "") || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.status, tt.result, text, tt.want)
		}
	}
}

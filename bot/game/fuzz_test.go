package game

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/zhbot/zhbot/lichess"
)

// FuzzGame_HandleStream leads a game through two lines of its stream and one of chat: what
// the server says decides how it stands, and nothing that it says breaks it.
func FuzzGame_HandleStream(f *testing.F) {
	const full = `{"id":"abcdefgh","variant":{"key":"crazyhouse"},"speed":"blitz","rated":true,` +
		`"createdAt":1787400000000,` +
		`"white":{"id":"zhbot","name":"zhbot","title":"BOT"},"black":{"id":"a","name":"A"},"initialFen":"startpos",` +
		`"clock":{"initial":180000,"increment":2000},` +
		`"state":{"moves":"","wtime":180000,"btime":180000,"status":"started"}}`
	f.Add(full, `{"moves":"e2e4 e7e5","wtime":1,`+
		`"btime":-9223372036854775808,"winc":9223372036854775807,"status":"started"}`, "!eval")
	f.Add(full, `{"moves":"e2e4 e7e5 e4e5","wtime":1,"btime":1,"status":30}`, "!stats x")
	f.Add(strings.Replace(full, `"clock":{"initial":180000,"increment":2000},`, `"daysPerTurn":3,`, 1),
		`{"moves":"","status":"aborted"}`, "!LEVEL")
	f.Add(strings.Replace(full, "startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Q] b KQkq - 0 1", 1),
		`{"moves":"e7e5","wdraw":true,"btakeback":true,"status":"started"}`, "")
	f.Fuzz(func(t *testing.T, first, second, text string) {
		var begins lichess.GameFull
		var goesOn lichess.GameState
		if json.Unmarshal([]byte(first), &begins) != nil || json.Unmarshal([]byte(second), &goesOn) != nil {
			return
		}
		g := newTestGame(t, func(o *Options) { o.Site, o.Version = "https://example.org", "1" })
		defer g.wg.Wait()
		if g.begin(&begins) != nil {
			return
		}
		for _, s := range []*lichess.GameState{&begins.State, &goesOn} {
			if !checkState(t, g, s) {
				return
			}
		}
		checkAnswer(t, g, text)
	})
}

// checkState takes in a state, and reports whether the game goes on.
func checkState(t *testing.T, g *game, s *lichess.GameState) bool {
	t.Helper()
	if _, err := g.board.update(s.MoveList()); err != nil {
		return false
	}
	g.state, g.receivedAt = s, time.Now()
	g.stream.SetFlagTime(g.soonestFlag())
	g.board.noteClocks(s)
	if len(g.board.notes) != g.board.game.Ply() {
		t.Errorf("%d notes on %d plies", len(g.board.notes), g.board.game.Ply())
	}
	if g.ourTurn() {
		switch limits, flag := g.limits(); {
		case g.clocksRun() && !flag.IsZero() && *limits.Clock(g.us) <= 0:
			t.Errorf("%s to think", *limits.Clock(g.us))
		case flag.IsZero() && g.full.Clock.IsZero() && limits.MoveTime <= 0:
			t.Error("no end to a thought without a clock")
		}
		if limits, _ := g.limits(); limits.Overhead < 0 || g.pace(&limits.Limits, 0) < 0 {
			t.Errorf("limits %+v", limits)
		}
	}
	view := g.view()
	if view.Board.Ply() != g.board.game.Ply() {
		t.Error("the game is shown as another")
	}
	_, _ = g.record(), g.offersDraw()
	return !s.Status.Over()
}

// checkAnswer answers a line of chat.
func checkAnswer(t *testing.T, g *game, text string) {
	t.Helper()
	for _, line := range []string{g.expandPlaceholders("{opponent} {rating}"), say(g, text, text)} {
		line = chatText(line)
		if utf8.RuneCountInString(line) > lichess.MaxChatLength || strings.ContainsAny(line, "\r\n") {
			t.Errorf("said %q", line)
		}
	}
}

package game

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func scoring(n, score int) []int { return slices.Repeat([]int{score}, n) }

func TestAcceptsDraw(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []int
		ply    int
		accept bool
	}{
		{"level and long", scoring(6, 10), 80, true},
		{"level but short", scoring(6, 10), 79, false},
		{"level for too few moves", scoring(5, 10), 100, false},
		{"no score yet", nil, 200, false},
		{"one score off", append(scoring(5, 0), 60), 100, false},
		{"better", scoring(6, 100), 100, false},
		{"a little worse", scoring(6, -60), 100, false},
		{"losing", scoring(3, -150), 12, true},
		{"losing once", []int{-900, 0, 0}, 12, false},
		{"being mated", scoring(3, -record.MateScore), 12, true},
		{"mating", scoring(6, record.MateScore), 100, false},
	} {
		if got := acceptsDraw(tt.scores, tt.ply); got != tt.accept {
			t.Errorf("%s: accepts is %t", tt.name, got)
		}
	}
}

func TestIsLost(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []int
		resign bool
	}{
		{"lost for long", scoring(5, -1200), true},
		{"not for long enough", scoring(4, -1200), false},
		{"not by enough", scoring(5, -1199), false},
		{"once not lost", []int{-1300, -1300, -400, -1300, -1300}, false},
		{"mate seen thrice", scoring(3, -record.MateScore), true},
		{"mate seen twice", []int{-record.MateScore, -record.MateScore, -300, 0, 0}, false},
		{"winning", scoring(5, 2000), false},
		{"no score yet", nil, false},
	} {
		if got := isLost(tt.scores); got != tt.resign {
			t.Errorf("%s: resigns is %t", tt.name, got)
		}
	}
}

// Draws are offered and accepted, and lost games resigned, if the settings say so, and unless
// the opponent may lose on time.
func TestGame_DrawsAndResigns(t *testing.T) {
	on := config.Play{Draw: true, Resign: true}
	for _, tt := range []struct {
		name            string
		play            config.Play
		score           engine.Score
		clock           lichess.Clock
		status          lichess.Status
		offers, accepts bool
		resigns         int
	}{
		{name: "level", play: on, offers: true, accepts: true},
		{name: "level, but off"},
		{name: "level, but the opponent may flag", play: on, clock: lichess.Clock{Initial: time.Minute}},
		{name: "with an increment nobody flags", play: on, clock: lichess.Clock{Initial: time.Minute, Increment: 1},
			offers: true, accepts: true},
		{name: "better", play: on, score: 90},
		{name: "lost", play: on, score: -2000, accepts: true, resigns: 1},
		{name: "lost, but off", score: -2000},
		{name: "lost, but the opponent may flag", play: on, score: -2000, clock: lichess.Clock{Initial: time.Minute}},
		{name: "lost and over", play: on, score: -2000, status: lichess.StatusResign, accepts: true},
	} {
		g, client := gameAfter(t, strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", drawPlies/4), config.Config{Play: tt.play})
		g.full.Clock, g.clocks[rules.Black] = tt.clock, flagHope-1
		for ply := range g.board.notes {
			g.board.noteEval(ply, engine.Info{Depth: 1, Score: tt.score}, rules.White)
		}
		for _, want := range []bool{tt.offers, false} { // not twice in a row
			if got := g.offersDraw(); got != want {
				t.Errorf("%s: offers a draw: %t, want %t", tt.name, got, want)
			}
		}
		g.state.Status, g.state.BlackDraw = tt.status, true
		g.answerOffers(t.Context())
		g.answerOffers(t.Context()) // the flag stays set
		g.considerResigning(t.Context())
		g.wg.Wait()
		if got, want := client.requests("draw"), fmt.Sprint("draw ", tt.accepts); len(got) != 1 || got[0] != want {
			t.Errorf("%s: answered %q, want %q once", tt.name, got, want)
		}
		if n := len(client.requests("resign")); n != tt.resigns {
			t.Errorf("%s: resigned %d times", tt.name, n)
		}
	}
}

// An offer whose flag is still set after 20 plies is a new one.
func TestGame_DrawIsOfferedAgain(t *testing.T) {
	g, client := gameAfter(t, "", config.Config{})
	g.state.BlackDraw = true
	for _, tt := range []struct{ plies, answers int }{{0, 1}, {offerAgainAfter - 4, 1}, {offerAgainAfter, 2}} {
		show(t, g.board, strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", tt.plies/4))
		g.answerOffers(t.Context())
		if g.wg.Wait(); len(client.requests("draw")) != tt.answers {
			t.Errorf("after %d plies %d answers", tt.plies, len(client.requests("draw")))
		}
	}
}

// Takebacks are for humans in casual games, up to a limit. A request is answered once.
func TestGame_AnswerTakeback(t *testing.T) {
	for _, tt := range []struct {
		opponent lichess.Player
		rated    bool
		made     int
		want     string
	}{
		{lichess.Player{ID: "a"}, false, 0, "takeback true"},
		{lichess.Player{ID: "a"}, false, 1, "takeback false"},
		{lichess.Player{ID: "a"}, true, 0, "takeback false"},
		{lichess.Player{ID: "b", Title: "BOT"}, false, 0, "takeback false"},
		{lichess.Player{AILevel: 3}, false, 0, "takeback false"},
	} {
		g, client := gameAfter(t, "", config.Config{Play: config.Play{Takebacks: 1}})
		g.full.Black, g.full.Rated, g.board.takebacks = tt.opponent, tt.rated, tt.made
		var want []string
		for _, asked := range []bool{true, true, false, true} { // the first answer was lost
			if g.state.BlackTakeback = asked; asked != g.offers.takeback && asked {
				want = append(want, tt.want)
			}
			g.answerOffers(t.Context())
			g.wg.Wait()
		}
		if got := client.requests("takeback"); len(want) != 2 || !slices.Equal(got, want) {
			t.Errorf("%+v, rated %t, %d made: %q, want %q", tt.opponent, tt.rated, tt.made, got, want)
		}
	}
}

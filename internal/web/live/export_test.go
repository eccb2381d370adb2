package live

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/rules/pgn"
)

// A game in progress is saved without scores, a finished one with all that is recorded.
func TestPage_PGN(t *testing.T) {
	p, _ := pageWithRecords(t, recorded("over", 1))
	p.opts.Game = func(string) *event.GameView { return runningView(t) }
	for id, want := range map[string][]string{
		"running": {"1. e4 { [%clk 0:01:00] } 1... d5 *", `[Termination "Unterminated"]`},
		"over":    {"1. f3 { [%eval -0.30,8] [%clk 0:01:00] } 1... e5 2. g4 Qh4# 0-1", `[Termination "Normal"]`},
	} {
		w := request(p, "GET", "/game/"+id+"/pgn")
		for _, part := range append(want, `[GameId "`+id+`"]`) {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s: status %d, no %s in\n%s", id, w.Code, part, w.Body)
			}
		}
		if name := w.Header().Get("Content-Disposition"); name != `attachment; filename="`+id+`.pgn"` {
			t.Errorf("it is saved as %s", name)
		}
	}
}

// A finished game is analysed for those who may see scores.
func TestPage_Analysis(t *testing.T) {
	p, _ := pageWithRecords(t, recorded("over", 1))
	p.opts.MadeBy = "Analysed by a test"
	annotate := func(_ context.Context, g *pgn.Game) (*analysis.Analysis, error) {
		g.Moves[2].NAG = pgn.Blunder
		a := &analysis.Analysis{Players: [2]*analysis.Summary{{}, {}}, Positions: make([]analysis.Position, 5)}
		a.Positions[1].Eval = pgn.Eval{Known: true, Score: pgn.Score{Centipawns: 4242}}
		return a, nil
	}
	fail := func(context.Context, *pgn.Game) (*analysis.Analysis, error) { return nil, errors.New("out of memory") }
	wait := func(ctx context.Context, _ *pgn.Game) (*analysis.Analysis, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, tt := range []struct {
		name, game string
		trusted    bool
		analyse    func(context.Context, *pgn.Game) (*analysis.Analysis, error)
		status     int
		want       string
	}{
		{"without an engine", "over", true, nil, http.StatusForbidden, "by the link"},
		{"for anybody", "over", false, annotate, http.StatusForbidden, "by the link"},
		{"of an unknown game", "none", true, annotate, http.StatusNotFound, ""},
		{"failing", "over", true, fail, http.StatusInternalServerError,
			"the bot's log says why"},
		{"without threads", "over", true, wait, http.StatusServiceUnavailable, "try again"},
		{"done", "over", true, annotate, http.StatusOK, `"result":"Black won by checkmate"`},
	} {
		synctest.Test(t, func(t *testing.T) {
			p.opts.Analyse = tt.analyse
			change := func(*http.Request) {}
			if tt.trusted {
				change = trusted(p)
			}
			w := request(p, "GET", "/api/games/"+tt.game+"/analysis", change)
			body := w.Body.String()
			if w.Code != tt.status || !strings.Contains(body, tt.want) || strings.Contains(body, "memory") {
				t.Errorf("%s: status %d, %s", tt.name, w.Code, body)
			}
			for _, part := range []string{`"glyph":"??"`, `"cp":4242`, `"by":"Analysed by a test"`} {
				if strings.Contains(body, part) != (tt.status == http.StatusOK) {
					t.Errorf("%s: %s in %s?", tt.name, part, body)
				}
			}
			state, _ := p.state(tt.trusted)
			if got := state.(status).Analyses; got != (tt.trusted && tt.analyse != nil) {
				t.Errorf("%s: analyses are offered: %t", tt.name, got)
			}
		})
	}
}

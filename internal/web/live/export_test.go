package live

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/rules/pgn"
)

// A game in progress is saved without scores, a finished one with all that is recorded.
func TestPage_PGN(t *testing.T) {
	p, _ := pageWithRecords(t, finishedGame(t, "over", 1))
	p.opts.Game = func(id string) *event.GameView {
		return map[string]*event.GameView{"running": runningView(t)}[id]
	}
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
	p, _ := pageWithRecords(t, finishedGame(t, "over", 1))
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	search := func(ctx context.Context, g *pgn.Game) (*analysis.Analysis, error) {
		return analysis.Annotate(ctx, e, engine.Limits{Nodes: 100}, g, nil)
	}
	for _, tt := range []struct {
		name, path string
		trusted    bool
		analyse    func(context.Context, *pgn.Game) (*analysis.Analysis, error)
		want       int
		parts      []string
	}{
		{"no engine", "over", true, nil, http.StatusForbidden, nil},
		{"for anybody", "over", false, search, http.StatusForbidden, []string{"by the link"}},
		{"unknown", "none", true, search, http.StatusNotFound, nil},
		{"finished", "over", true, search, http.StatusOK, []string{
			"Blunder", "Analysed by a test", `<script type="module">`, "[%clk 0:01:00]",
		}},
		{"failing", "over", true, func(context.Context, *pgn.Game) (*analysis.Analysis, error) {
			return nil, errors.New("out of memory")
		}, http.StatusInternalServerError, []string{"the bot's log says why"}},
		{"no threads", "over", true, func(ctx context.Context, _ *pgn.Game) (*analysis.Analysis, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, http.StatusServiceUnavailable, []string{"try again"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p.opts.Analyse, p.opts.MadeBy = tt.analyse, "Analysed by a test"
			var change []func(*http.Request)
			if tt.trusted {
				change = append(change, trusted(p))
			}
			w := request(p, "GET", "/game/"+tt.path+"/analysis", change...)
			if w.Code != tt.want || strings.Contains(w.Body.String(), "memory") {
				t.Errorf("%s: status %d, %s", tt.name, w.Code, w.Body)
			}
			for _, part := range tt.parts {
				if !strings.Contains(w.Body.String(), part) {
					t.Errorf("%s: no %s in %.1000s", tt.name, part, w.Body)
				}
			}
			// The page's own policy must be the only one for its script.
			if policy := w.Header().Get("Content-Security-Policy"); (policy == "frame-ancestors 'none'") != (tt.want == http.StatusOK) {
				t.Errorf("%s: policy %s", tt.name, policy)
			}
			for _, trusted := range []bool{true, false} {
				list, _ := p.parts(trusted)
				if got := list[0].Value.(status).Analyses; got != (trusted && tt.analyse != nil) {
					t.Errorf("%s, trusted %t: analyses are offered: %t", tt.name, trusted, got)
				}
			}
		})
	}
}

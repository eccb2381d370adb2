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
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// A game in progress is saved without scores, a finished one with all that is recorded.
func TestPage_PGN(t *testing.T) {
	finished := finishedGame(t, "over", 1)
	p, _ := pageWithRecords(t, finished)
	running := event.GameView{Summary: finished.Summary, Board: finished.Board, Notes: finished.Notes}
	running.ID, running.Status, running.Result = "running", "started", rules.NoResult
	p.Observe(event.GameChanged{GameView: running})
	for id, want := range map[string]string{"running": "1. f3 { [%clk 0:01:00] } 1... e5 2. g4 Qh4# *", "over": "1. f3 { [%eval -0.30,8] [%clk 0:01:00] } 1... e5 2. g4 Qh4# 0-1"} {
		w := request(p.Handler(), "GET", "localhost", "/game/"+id+"/pgn")
		text := w.Body.String()
		if w.Code != http.StatusOK || !strings.Contains(text, want) || !strings.Contains(text, `[GameId "`+id+`"]`) {
			t.Errorf("%s: status %d\n%s", id, w.Code, text)
		}
		if name := w.Header().Get("Content-Disposition"); name != `attachment; filename="`+id+`.pgn"` {
			t.Errorf("it is saved as %s", name)
		}
		if unfinished := strings.Contains(text, `[Termination "Unterminated"]`); unfinished != (id == "running") {
			t.Errorf("%s ends otherwise:\n%s", id, text)
		}
	}
	if !running.Notes[0].Eval.Known {
		t.Error("the game has lost its scores")
	}
	if status := request(p.Handler(), "GET", "localhost", "/game/none/pgn").Code; status != http.StatusNotFound {
		t.Errorf("an unknown game: status %d", status)
	}
}

// A viewer does not wait forever for an analysis that gets no threads.
func TestPage_AnalysisWithoutThreads(t *testing.T) {
	p, _ := pageWithRecords(t, finishedGame(t, "over", 1))
	synctest.Test(t, func(t *testing.T) {
		p.opts.Analyse = func(ctx context.Context, _ *pgn.Game) (*analysis.Analysis, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		w := request(p.Handler(), "GET", "localhost", "/game/over/analysis", trusted(p))
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "try again") {
			t.Errorf("status %d, %s", w.Code, w.Body)
		}
	})
}

// trusted makes a request one of a viewer who has opened the page's link.
func trusted(p *Page) func(*http.Request) {
	opened := request(p.Handler(), "GET", "localhost", strings.TrimPrefix(p.Link("http://localhost"), "http://localhost"))
	return func(r *http.Request) { r.AddCookie(opened.Result().Cookies()[0]) }
}

// A finished game is analysed for those who may see scores.
func TestPage_Analysis(t *testing.T) {
	p, _ := pageWithRecords(t, finishedGame(t, "over", 1))
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	var failure error
	p.opts.MadeBy = "Analysed by a test"
	p.opts.Analyse = func(ctx context.Context, g *pgn.Game) (*analysis.Analysis, error) {
		if failure != nil {
			return nil, failure
		}
		return analysis.Annotate(ctx, e, engine.Limits{Nodes: 100}, g, nil)
	}
	if w := request(p.Handler(), "GET", "localhost", "/game/over/analysis"); w.Code != http.StatusForbidden {
		t.Errorf("for anybody: status %d", w.Code)
	}
	w := request(p.Handler(), "GET", "localhost", "/game/over/analysis", trusted(p))
	for _, part := range []string{"<td>", "Blunder", "Analysed by a test", `<script type="module">`, "[%clk 0:01:00]"} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), part) {
			t.Errorf("status %d, a page without %s", w.Code, part)
		}
	}
	// The page's own policy must be the only one for its script.
	if policy := w.Header().Get("Content-Security-Policy"); policy != "frame-ancestors 'none'" {
		t.Errorf("policy %s", policy)
	}
	if status := request(p.Handler(), "GET", "localhost", "/game/none/analysis", trusted(p)).Code; status != http.StatusNotFound {
		t.Errorf("an unknown game: status %d", status)
	}
	failure = errors.New("out of memory")
	if w := request(p.Handler(), "GET", "localhost", "/game/over/analysis", trusted(p)); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "memory") {
		t.Errorf("a failed analysis: status %d, %s", w.Code, w.Body)
	}
	for _, trusted := range []bool{true, false} {
		if got, _ := decodePart[botPart](t, p, "bot", trusted); got.Analyses != trusted {
			t.Errorf("trusted %t: analyses are offered: %t", trusted, got.Analyses)
		}
	}
}

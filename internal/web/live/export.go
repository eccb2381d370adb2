package live

import (
	"context"
	"net/http"
	"time"

	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/web"
	analysispage "github.com/zhbot/zhbot/internal/web/analysis"
	"github.com/zhbot/zhbot/rules/pgn"
)

// savePGN serves a game as a file: a finished one as it is recorded, another one without
// scores, which would help the opponent.
func (p *Page) savePGN(w http.ResponseWriter, r *http.Request) {
	game, _ := p.game(r, false)
	if game == nil {
		http.NotFound(w, r)
		return
	}
	web.SendPGN(w, game.ID, game.PGN())
}

// analysisTimeout is how long a viewer waits for an analysis, which gets only the time that
// games leave. By default nginx waits for 60 s.
const analysisTimeout = 50 * time.Second

// showAnalysis serves a finished game with an analysis of it. That takes the engine's time, so
// it is for those whom the page trusts.
func (p *Page) showAnalysis(w http.ResponseWriter, r *http.Request) {
	if p.opts.Analyse == nil || !p.Trusts(r) {
		sendText(w, http.StatusForbidden, "Open this page by the link in the bot's log first, or set web.password.")
		return
	}
	found, game := p.readRecord(r)
	if game == nil {
		http.NotFound(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), analysisTimeout)
	defer cancel()
	g, view := game.PGN(), viewOf(game, found.view.Color)
	a, err := p.analyse(ctx, g)
	switch {
	case ctx.Err() != nil:
		sendText(w, http.StatusServiceUnavailable,
			"The bot's games need its threads now: try again when fewer are in progress.")
	case err != nil:
		p.opts.Log.Warn().Err(err).Str("game", game.ID).Msg("cannot analyse game")
		sendText(w, http.StatusInternalServerError, "This game cannot be analysed; the bot's log says why.")
	default:
		analysispage.Add(&view, g, a, p.opts.MadeBy)
		web.SendJSON(w, http.StatusOK, view)
	}
}

// analyse analyses a game, one at a time.
func (p *Page) analyse(ctx context.Context, g *pgn.Game) (*analysis.Analysis, error) {
	select {
	case p.analysing <- struct{}{}:
		defer func() { <-p.analysing }()
		return p.opts.Analyse(ctx, g)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func sendText(w http.ResponseWriter, status int, text string) {
	web.Send(w, status, "text/plain; charset=utf-8", []byte(text+"\n"))
}

package live

import (
	"bytes"
	"context"
	"net/http"
	"time"

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
// games leave.
const analysisTimeout = 2 * time.Minute

// showAnalysis analyses a finished game, and serves the page of the analysis. That takes the
// engine's time, so it is for those whom the page trusts.
func (p *Page) showAnalysis(w http.ResponseWriter, r *http.Request) {
	if p.opts.Analyse == nil || !p.Trusts(r) {
		http.Error(w, "Open this page by the link in the bot's log first, or set web.password.", http.StatusForbidden)
		return
	}
	_, game := p.readRecord(r)
	if game == nil {
		http.NotFound(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), analysisTimeout)
	defer cancel()
	page, err := p.analysisPage(ctx, game.PGN())
	switch {
	case ctx.Err() != nil:
		sendText(w, http.StatusServiceUnavailable, "The bot's games need its threads now: try again when fewer are in progress.")
		return
	case err != nil:
		p.opts.Log.Warn().Err(err).Str("game", game.ID).Msg("cannot analyse game")
		sendText(w, http.StatusInternalServerError, "This game cannot be analysed; the bot's log says why.")
		return
	}
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'") // the rest is in the page
	w.Header().Set("Cache-Control", "private, max-age=86400")           // going back does not analyse again
	web.Send(w, http.StatusOK, "text/html; charset=utf-8", page)
}

// analysisPage returns the page of a game's analysis. Only one game is analysed at a time.
func (p *Page) analysisPage(ctx context.Context, g *pgn.Game) ([]byte, error) {
	select {
	case p.analyse <- struct{}{}:
		defer func() { <-p.analyse }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	found, err := p.opts.Analyse(ctx, g)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = analysispage.Write(&page, g, found, p.opts.MadeBy)
	return page.Bytes(), err
}

func sendText(w http.ResponseWriter, status int, text string) {
	web.Send(w, status, "text/plain; charset=utf-8", []byte(text+"\n"))
}

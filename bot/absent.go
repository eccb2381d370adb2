package bot

import (
	"context"
	"errors"
	"net/http"

	"github.com/zhbot/zhbot/lichess"
)

// watchFirstMove runs the timer for an opponent who never moves: challenge
// games do not expire by themselves. Arenas do, and allow no abort; and a game
// without a clock gives days for every move.
func (g *game) watchFirstMove(changed bool) {
	waiting := g.board.game.Ply() < 2 && !g.ourTurn() && g.bot.settings().AbortAfter > 0 &&
		g.full.TournamentID == "" && g.full.Clock != nil
	switch {
	case !waiting:
		g.noShow.Stop()
	case changed || !g.greeted: // it has just begun
		g.noShow.Reset(g.bot.settings().AbortAfter)
	}
}

// abort ends a game whose opponent does not move. The stream tells whether that
// worked; until it does, it is tried again.
func (g *game) abort(ctx context.Context) {
	g.log.Info().Dur("after", g.bot.settings().AbortAfter).Msg("opponent has not moved: aborting")
	g.noShow.Reset(g.bot.settings().AbortAfter)
	g.aborting = true
	g.command(ctx, "abort", func(ctx context.Context) error { return g.bot.opts.Client.Abort(ctx, g.id) })
}

// opponentGone starts the timer for claiming the win, or stops it when the
// opponent is back.
func (g *game) opponentGone(e *lichess.OpponentGone) {
	g.claim.Stop()
	if g.full != nil && e.Gone && e.ClaimWinIn != nil {
		g.claim.Reset(e.ClaimWinIn.Duration())
	}
}

// claimVictory claims the win, or where the server gives none, a draw; but not
// while a move of ours is due or under way: Lichess hears claims on the opponent's
// turn only. While the opponent stays away the server tells so every few seconds,
// so a claim that came to nothing is made again.
func (g *game) claimVictory(ctx context.Context) {
	if g.ourTurn() {
		return
	}
	g.log.Info().Msg("opponent left: claiming the win")
	g.command(ctx, "claim", func(ctx context.Context) error {
		err := g.bot.opts.Client.ClaimVictory(ctx, g.id)
		var refused *lichess.APIError
		if errors.As(err, &refused) && refused.StatusCode == http.StatusBadRequest {
			g.log.Info().Err(err).Msg("no win for it: claiming a draw")
			return g.bot.opts.Client.ClaimDraw(ctx, g.id)
		}
		return err
	})
}

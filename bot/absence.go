package bot

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// watchFirstMove runs the timer for an opponent who never moves: challenge
// games do not expire by themselves. Arenas do, and allow no abort; and a game
// without a clock gives days for every move.
func (g *game) watchFirstMove(ctx context.Context, changed bool) {
	waiting := g.board.game.Ply() < 2 && !g.ourTurn() && g.bot.settings().AbortAfter > 0 &&
		g.full.TournamentID == "" && g.full.Clock != nil
	switch {
	case !waiting:
		g.noShowTimer.Stop()
		g.overdueSince = time.Time{}
	case !g.overdueSince.IsZero() && g.connectedAt.After(g.overdueSince):
		g.abort(ctx)
	case changed || !g.greeted: // it has just begun
		g.noShowTimer.Reset(g.bot.settings().AbortAfter)
	}
}

// handleNoShow has the server asked whether the opponent has really not moved: the
// stream may have missed it. Where the list of games does not tell, the game is read
// again.
func (g *game) handleNoShow() {
	g.noShowTimer.Reset(g.bot.settings().AbortAfter)
	if g.overdueSince.IsZero() {
		g.overdueSince = time.Now()
		g.bot.requestSync()
		return
	}
	g.feed.reopen()
}

// abort ends a game whose opponent does not move. The stream tells whether that
// worked; until it does, it is tried again.
func (g *game) abort(ctx context.Context) {
	g.overdueSince = time.Time{}
	g.log.Info().Dur("after", g.bot.settings().AbortAfter).Msg("opponent has not moved: aborting")
	g.noShowTimer.Reset(g.bot.settings().AbortAfter)
	g.aborting = true
	g.sendCommand(ctx, "abort", func(ctx context.Context) error { return g.bot.opts.Client.Abort(ctx, g.id) })
}

// noticeGap is the longest time between two notices of one absence: the server
// sends one every 5 s.
const noticeGap = 12 * time.Second

// absence is how long the server has told that the opponent is gone.
type absence struct {
	since, last time.Time
	due         time.Time // when the win is to be claimed; zero if no claim is planned
}

// update takes in that the opponent is gone.
func (a *absence) update(now time.Time) {
	if now.Sub(a.last) > noticeGap {
		a.since = now
	}
	a.last = now
}

// opponentGone starts the timer for claiming the win, or stops it when the
// opponent is back. The server cuts the seconds off, so the claim comes a second
// after them. A bot that merely reconnects shows as gone, so the win is claimed
// from a bot only when it has been gone for a while.
func (g *game) opponentGone(e *lichess.OpponentGone) {
	if g.full == nil || !e.Gone || e.ClaimWinIn == nil {
		g.stopClaim()
		g.absence = absence{}
		return
	}
	now := time.Now()
	g.absence.update(now)
	wait := e.ClaimWinIn.Duration() + g.bot.timing.claimMargin
	if grace := g.bot.timing.botAbsence - now.Sub(g.absence.since); g.opponent().IsBot() && grace > wait {
		if g.absence.since.Equal(now) {
			g.log.Info().Dur("claim_in", grace).Msg("opponent gone: as a bot it may only be reconnecting")
		}
		wait = grace
	}
	if due := now.Add(wait); g.absence.due.IsZero() || due.Before(g.absence.due) {
		g.absence.due = due
		g.claimTimer.Reset(wait)
	}
}

// stopClaim forgets the claim that is planned; the next notice plans another.
func (g *game) stopClaim() {
	g.claimTimer.Stop()
	g.absence.due = time.Time{}
}

// claimVictory claims the win, but not while a move of ours is due or under way:
// Lichess accepts claims on the opponent's turn only. While the opponent stays away
// the server says so every few seconds, so a claim that came to nothing is made
// again. A draw is never claimed: it would be granted, and give the win away.
func (g *game) claimVictory(ctx context.Context) {
	g.absence.due = time.Time{}
	if g.ourTurn() || time.Since(g.absence.last) > noticeGap { // of most returns the server does not tell
		return
	}
	g.log.Info().Dur("gone_for", time.Since(g.absence.since)).Bool("bot", g.opponent().IsBot()).Msg("opponent left: claiming the win")
	g.sendCommand(ctx, "claim", func(ctx context.Context) error {
		err := g.bot.opts.Client.ClaimVictory(ctx, g.id)
		var refused *lichess.APIError
		if errors.As(err, &refused) && refused.StatusCode == http.StatusBadRequest {
			g.log.Info().Err(err).Msg("win not granted yet: claimed again if the opponent stays away")
			return nil
		}
		return err
	})
}

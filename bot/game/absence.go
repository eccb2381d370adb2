package game

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// watchFirstMove runs the timer for an opponent who never moves, since challenge
// games do not expire by themselves. Arena games do, and cannot be aborted; in a
// game without a clock each move may take days.
//
// confirmed is when the server was asked for the state shown: the opponent had not moved by then.
func (g *game) watchFirstMove(ctx context.Context, changed bool, confirmed time.Time) {
	waiting := g.board.game.Ply() < 2 && !g.ourTurn() && g.opts.Settings().Games.AbortAfter > 0 &&
		g.full.TournamentID == "" && !g.full.Clock.IsZero()
	switch {
	case !waiting:
		g.firstMoveTimer.Stop()
		g.firstMoveTimed, g.firstMoveOverdueSince = false, time.Time{}
	case !g.firstMoveOverdueSince.IsZero() && confirmed.After(g.firstMoveOverdueSince):
		g.abort(ctx)
	case changed || !g.firstMoveTimed:
		g.firstMoveTimed = true
		g.firstMoveTimer.Reset(g.opts.Settings().Games.AbortAfter)
	}
}

// handleNoShow checks with the server that the opponent has really not moved, since
// the stream may have missed it: first in the list of games, then by reading the
// game again.
func (g *game) handleNoShow() {
	after := g.opts.Settings().Games.AbortAfter
	if after == 0 { // since a reload
		g.firstMoveTimed, g.firstMoveOverdueSince = false, time.Time{}
		return
	}
	g.firstMoveTimer.Reset(after)
	if g.firstMoveOverdueSince.IsZero() {
		g.firstMoveOverdueSince = time.Now()
		g.opts.Games.RequestSync()
		return
	}
	g.stream.Reopen()
}

// abort aborts a game whose opponent does not move. The stream shows whether that
// worked; until then it is retried.
func (g *game) abort(ctx context.Context) {
	g.firstMoveOverdueSince = time.Time{}
	g.log.Info().Stringer("after", g.opts.Settings().Games.AbortAfter).Msg("opponent has not moved: aborting")
	g.firstMoveTimer.Reset(g.opts.Settings().Games.AbortAfter)
	g.aborting = true
	g.sendCommand(ctx, "abort", g.opts.Client.Abort)
}

// noticeGap is the longest time between two notices of one absence: the server
// sends one every 5 s.
const noticeGap = 12 * time.Second

const (
	claimMargin = time.Second      // added to the time until a claim, which the server rounds down
	botAbsence  = 30 * time.Second // of a bot, before we claim the win
)

// absence is how long the opponent has been reported gone.
type absence struct {
	since, last time.Time
	due         time.Time // when the win is to be claimed; zero if no claim is planned
}

// update records a notice that the opponent is gone.
func (a *absence) update(now time.Time) {
	if now.Sub(a.last) > noticeGap {
		a.since = now
	}
	a.last = now
}

// opponentGone starts the timer for claiming the win, or stops it when the opponent
// is back. The server rounds the seconds down, so the claim is sent a second later.
// A bot that is reconnecting also shows as gone, so the win is claimed from a bot
// only after a longer absence.
func (g *game) opponentGone(e *lichess.OpponentGone) {
	if g.full == nil || !e.Gone || e.ClaimWinIn == nil {
		g.stopClaim()
		g.absence = absence{}
		return
	}
	now := time.Now()
	g.absence.update(now)
	wait := e.ClaimWinIn.Duration() + claimMargin
	if grace := botAbsence - now.Sub(g.absence.since); g.opponent().IsBot() && grace > wait {
		if g.absence.since.Equal(now) {
			g.log.Info().Stringer("claim_in", grace.Round(time.Millisecond)).
				Msg("opponent gone: as a bot it may only be reconnecting")
		}
		wait = grace
	}
	if due := now.Add(wait); g.absence.due.IsZero() || due.Before(g.absence.due) {
		g.absence.due = due
		g.claimTimer.Reset(wait)
	}
}

// stopClaim cancels the planned claim; the next notice plans another.
func (g *game) stopClaim() {
	g.claimTimer.Stop()
	g.absence.due = time.Time{}
}

// claimVictory claims the win, but not while a move of ours is due or in progress:
// Lichess accepts claims on the opponent's turn only. While the opponent is away the
// server repeats its notice every few seconds, so a failed claim is repeated too. A
// draw is never claimed: it would be granted, and give the win away.
func (g *game) claimVictory(ctx context.Context) {
	g.absence.due = time.Time{}
	if g.ourTurn() || time.Since(g.absence.last) > noticeGap { // the server does not report most returns
		return
	}
	g.log.Info().Stringer("gone_for", time.Since(g.absence.since).Round(time.Millisecond)).
		Bool("bot", g.opponent().IsBot()).Msg("opponent left: claiming the win")
	g.sendCommand(ctx, "claim", func(ctx context.Context, game string) error {
		err := g.opts.Client.ClaimVictory(ctx, game)
		if refused, ok := errors.AsType[*lichess.APIError](err); ok && refused.StatusCode == http.StatusBadRequest {
			g.log.Info().Err(err).Msg("win not granted yet: claimed again while the opponent stays away")
			return nil
		}
		return err
	})
}

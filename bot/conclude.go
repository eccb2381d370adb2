package bot

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/postmortem"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// conclude says goodbye, waits for the rating changes, and archives the game. Its
// slot has already been released.
func (g *game) conclude(ctx context.Context) {
	played := g.board.game.Ply() >= 2
	if played && !g.alreadyOver {
		g.announce(ctx, g.bot.settings().Goodbye)
		if g.rematchWanted {
			g.bot.rematches.Offer(ctx, g.full, lichess.Color(g.us.String()), g.log)
		}
	}
	final := g.awaitFinal(ctx)
	g.log.Info().Str("result", g.result()).Str("status", string(g.state.Status)).Str("opponent", event.PlayerOf(g.opponent()).Name).
		Str("color", g.us.String()).Int("plies", g.board.game.Ply()).Int("rating_diff", final.RatingDiff).Msg("game over")
	g.reportLoss()
	g.closeJournal()
	g.archiveGame(played, final)
	g.recordOutcome(played, final)
	g.emitEnd(final)
}

// result returns the result from our view.
func (g *game) result() string {
	switch record.ResultOf(g.state.Status, g.state.Winner) {
	case rules.WinOf(g.us):
		return "won"
	case rules.Draw:
		return "drawn"
	case rules.NoResult:
		return "not played"
	}
	return "lost"
}

// reportLoss logs the post-mortem of a lost game and keeps it for the record.
func (g *game) reportLoss() {
	if g.result() != "lost" || g.board.game.Ply() < 2 || g.state.Status == lichess.StatusCheat {
		return
	}
	r := g.facts()
	r.Notes, r.Status, r.Result = g.board.notes, g.state.Status, record.ResultOf(g.state.Status, g.state.Winner)
	m := postmortem.Analyze(r, g.us, !g.alreadyOver && g.wasConnected())
	g.lossReport = m.Describe(r)
	e := g.log.Info().Str("cause", string(m.Cause))
	if m.Ply >= 0 {
		e = e.Int("ply", m.Ply+1).Int("from", m.From).Int("to", m.To)
	}
	e.Str("fen", g.board.game.Position().FEN()).Msg("post-mortem: " + g.lossReport)
}

// wasConnected reports whether we were connected when the game ended: we knew our
// turn before the end, it was not learned from a newer connection, and no move of
// ours was unanswered.
func (g *game) wasConnected() bool {
	t := g.turn
	posted := t != nil && t.moves == g.state.Moves && t.posted.Load() != nil
	return !posted && g.connectedAt.Before(g.board.changed) && g.board.changed.Before(g.receivedAt)
}

// archiveGame archives the game, unless it was not played.
func (g *game) archiveGame(played bool, final *lichess.Game) {
	archive := g.bot.opts.Archive
	if archive == nil {
		return
	}
	if !played {
		if err := archive.DiscardJournal(g.id); err != nil {
			g.log.Warn().Err(err).Msg("journal not removed")
		}
		return
	}
	err := g.bot.save(g.record(final))
	g.archived = true // or pending in the archive
	if err != nil {
		g.log.Error().Err(err).Msg("game not archived")
	}
}

// awaitFinal waits for the event with the rating changes and returns its game, or an
// empty one after the timeout. No such event comes for a game that ended long ago.
func (g *game) awaitFinal(ctx context.Context) *lichess.Game {
	if g.alreadyOver {
		return new(lichess.Game)
	}
	timer := time.NewTimer(g.bot.timing.ratingTimeout)
	defer timer.Stop()
	finalized := g.bot.running.final(g.id)
	select {
	case final := <-finalized:
		return final
	case <-timer.C:
	case <-ctx.Done():
	}
	select {
	case final := <-finalized: // just in time
		return final
	default:
		return new(lichess.Game)
	}
}

// facts returns the part of the record that is known from the start of the game.
func (g *game) facts() *record.Game {
	r := &record.Game{
		Summary: record.Summary{
			ID: g.id, Site: g.bot.opts.Site + "/" + g.id, Rated: g.full.Rated, Created: time.UnixMilli(int64(g.full.CreatedAt)).UTC(),
			White: event.PlayerOf(&g.full.White), Black: event.PlayerOf(&g.full.Black), Version: g.bot.opts.Version,
			Network: g.bot.opts.Network, Speed: g.full.Speed,
		},
		Game: g.board.game,
	}
	if c := g.full.Clock; c != nil {
		r.Initial, r.Increment, r.HasClock = c.Initial.Duration(), c.Increment.Duration(), true
	}
	return r
}

// record returns the game for the archive.
func (g *game) record(final *lichess.Game) *record.Game {
	r := g.facts()
	r.Notes, r.Status, r.Result = g.board.notes, g.state.Status, record.ResultOf(g.state.Status, g.state.Winner)
	r.PostMortem = g.lossReport
	if final.ID == "" || !g.full.Rated {
		return r
	}
	ours, theirs := &r.White, &r.Black
	if g.us == rules.Black {
		ours, theirs = theirs, ours
	}
	ours.RatingDiff, theirs.RatingDiff, r.RatingKnown = final.RatingDiff, final.Opponent.RatingDiff, true
	return r
}

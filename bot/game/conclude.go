package game

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// conclude says goodbye, waits for the rating changes, and archives the game. Its
// slot has already been released.
func (g *game) conclude(ctx context.Context) {
	played := g.board.game.Ply() >= 2
	if played && !g.finishedBeforeStart {
		g.announce(ctx, g.opts.Settings().Chat.Goodbye)
	}
	r := g.record()
	diff := g.addRatings(r, g.awaitFinal(ctx))
	g.log.Info().Str("result", g.result()).Str("status", string(g.state.Status)).
		Str("opponent", event.PlayerOf(g.opponent()).Name).
		Str("color", g.us.String()).Int("plies", g.board.game.Ply()).Int("rating_diff", diff).Msg("game over")
	g.recordOutcome(played, r) // before the disk is waited for: the opponent's next game may have begun
	if g.opts.Archive != nil {
		g.manager.archive(r, played, g.log)
		g.archived = played // or pending in the archive
	}
	g.opts.Emit(event.GameEnded{GameView: g.view(), RatingDiff: diff, Uncounted: r.Uncounted})
}

// result returns the result from our view.
func (g *game) result() string {
	switch record.ResultOf(g.state.Status, g.state.Winner) {
	case rules.WinOf(g.us):
		return "won"
	case rules.Draw:
		return "drawn"
	case rules.NoResult:
		if g.state.Status == lichess.StatusUnknownFinish {
			return "unknown"
		}
		return "not played"
	}
	return "lost"
}

// ratingTimeout is how long to wait for the rating changes of a finished game.
const ratingTimeout = 2 * time.Second

// awaitFinal waits for the event with the rating changes and returns its game, or an
// empty one after the timeout. For a game that was over before this run, it has come
// already or never will.
func (g *game) awaitFinal(ctx context.Context) *lichess.Game {
	ctx, cancel := context.WithTimeout(ctx, ratingTimeout)
	defer cancel()
	if g.finishedBeforeStart {
		cancel()
	}
	select {
	case final := <-g.entry.final:
		return final
	case <-ctx.Done():
	}
	select {
	case final := <-g.entry.final: // just in time
		return final
	default:
		return new(lichess.Game)
	}
}

// recordOpponent records that the game has begun. It does not wait for the disk.
func (g *game) recordOpponent() {
	them := g.opponent()
	if them.ID == "" {
		return
	}
	id, bot := opponent.ID(them), them.IsBot()
	g.spawn(func() { g.opts.Opponents.Began(g.id, id, bot, g.created, time.Now()) })
}

// recordOutcome records the finished game: its moves, or why there were none.
func (g *game) recordOutcome(played bool, r *record.Game) {
	switch them, m, now := g.opponent(), g.opts.Opponents, time.Now(); {
	case played:
		m.Played(r, g.us)
	case them.ID == "" || g.finishedBeforeStart:
	case g.opponentAborted():
		m.Aborted(opponent.ID(them), now)
	case g.opponentIdle():
		m.Idle(opponent.ID(them), now, g.opts.Settings().Matchmaking.Pause)
	default:
		m.EndPair(opponent.ID(them))
	}
}

// promptly is how soon after its start a game's stream shows it if we are in touch.
const promptly = 5 * time.Second

// opponentAborted reports whether the opponent aborted the game. Neither our own abort counts,
// nor that of a challenge that was accepted while we cancelled it, nor one for which we kept the
// opponent waiting.
func (g *game) opponentAborted() bool {
	prompt := g.greeted || g.receivedAt.Sub(g.startedAt) < promptly
	late := g.ourTurn() && g.receivedAt.Sub(g.board.changed) >= promptly
	return g.state.Status == lichess.StatusAborted && prompt && !late && !g.aborting && !g.opts.WasCanceled(g.id)
}

// opponentIdle reports whether the game ended because the opponent made no first
// move.
func (g *game) opponentIdle() bool {
	theirTurn := g.board.game.Position().Turn() != g.us
	return theirTurn && (g.aborting && !g.byOperator || g.state.Status == lichess.StatusNoStart)
}

// addRatings adds to the record of a rated game how it changed the ratings, or why it
// changed none, and returns our change. Without the final event, neither is known.
func (g *game) addRatings(r *record.Game, final *lichess.Game) (diff int) {
	ours, theirs := sides(g.us, &r.White, &r.Black)
	switch {
	case final.ID == "" || !r.Rated || r.Result == rules.NoResult:
		return 0
	case final.RatingDiff == nil && final.Opponent.RatingDiff == nil:
		r.Uncounted = g.whyUncounted(r)
		g.log.Warn().Str("reason", string(r.Uncounted)).Msg("rated game did not count: Lichess changed no rating")
		return 0
	}
	r.RatingKnown = true
	if d := final.Opponent.RatingDiff; d != nil {
		theirs.RatingDiff = *d
	}
	if d := final.RatingDiff; d != nil {
		ours.RatingDiff = *d
	}
	return ours.RatingDiff
}

// quickGame is the number of plies below which a win of a new account may not count, nor a draw
// against a player rated boostingGap more.
const quickGame, boostingGap = 15, 150

// whyUncounted tells why a rated game did not count, as far as we know the rules of
// Lichess and the players.
func (g *game) whyUncounted(r *record.Game) record.Uncounted {
	us := g.opts.Account()
	ours, theirs := sides(g.us, &r.White, &r.Black)
	helped := r.Result == rules.WinOf(g.us) || r.Result == rules.Draw && theirs.Rating-ours.Rating >= boostingGap
	switch {
	case us.TOSViolation:
		return record.Flagged
	case r.Board.Ply() < 2:
		return record.TooShort
	case g.opts.Opponents.IsFarming(r, g.us):
		return record.Farming
	case us.IsNew(r.Created) && r.Board.Ply() < quickGame && helped:
		return record.NewAccount
	}
	return record.UnknownReason
}

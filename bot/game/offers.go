package game

import (
	"context"
	"slices"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// trend returns the scores of our latest searches from our view, newest first, at
// most n. They come from the notes, which drop takebacks and survive a restart.
func (g *game) trend(n int) (scores []int) {
	for _, note := range slices.Backward(g.board.notes) {
		if note.Eval.Known && len(scores) < n {
			scores = append(scores, note.Score(g.us))
		}
	}
	return scores
}

// flagHope is the time left below which an opponent without increment may still lose
// on time.
const flagHope = 15 * time.Second

// mayFlag reports whether the opponent may lose on time whatever the position.
func (g *game) mayFlag() bool {
	return !g.full.Clock.IsZero() && g.full.Clock.Increment == 0 && g.clocks[g.us.Other()] < flagHope
}

// offersDraw reports whether our next move carries a draw offer. Lichess ignores
// offers within 20 plies of the last one.
func (g *game) offersDraw() bool {
	ply := g.board.game.Ply()
	if !g.opts.Settings().Play.Draw || g.mayFlag() || ply < g.drawOfferedAt+offerAgainAfter ||
		!isLevel(g.trend(drawMoves), ply) {
		return false
	}
	g.drawOfferedAt = ply
	g.log.Info().Int("ply", ply).Msg("draw offered by us")
	return true
}

// considerResigning resigns a lost game after our move is on the board, so that the
// clock never waits for it; if the request is lost, we play on and try again after
// the next move.
func (g *game) considerResigning(ctx context.Context) {
	if !g.opts.Settings().Play.Resign || g.state.Status.Over() || g.mayFlag() || !isLost(g.trend(resignMoves)) {
		return
	}
	g.log.Info().Ints("scores", g.trend(resignMoves)).Msg("resigning")
	g.sendCommand(ctx, "resign", g.opts.Client.Resign)
}

// offers are the opponent's open offers.
type offers struct {
	draw, takeback bool
	answeredAt     int // ply at which a draw offer was last answered
}

// offerAgainAfter is the number of plies after which a flag that is still set means
// a new draw offer: Lichess does not clear the flag of a declined offer, and allows
// no new one before.
const offerAgainAfter = 20

// answerOffers answers the opponent's draw and takeback offers, each once.
func (g *game) answerOffers(ctx context.Context) {
	before, ply := g.offers, g.board.game.Ply()
	_, g.offers.draw = sides(g.us, g.state.WhiteDraw, g.state.BlackDraw)
	_, g.offers.takeback = sides(g.us, g.state.WhiteTakeback, g.state.BlackTakeback)
	if g.offers.draw && (!before.draw || ply >= before.answeredAt+offerAgainAfter) {
		g.offers.answeredAt = ply
		g.answerDraw(ctx)
	}
	if g.offers.takeback && !before.takeback {
		g.answerTakeback(ctx)
	}
}

func (g *game) answerDraw(ctx context.Context) {
	scores := g.trend(drawMoves)
	yes := g.opts.Settings().Play.Draw && !g.mayFlag() && acceptsDraw(scores, g.board.game.Ply())
	g.log.Info().Bool("accept", yes).Ints("scores", scores).Msg("draw offered")
	g.sendCommand(ctx, "answer draw", withAnswer(g.opts.Client.Draw, yes))
}

// answerTakeback grants a human a takeback in a casual game, up to the limit, and
// declines all others, since a request stays open until it is answered. A takeback
// counts when the server has made it: the answer may be lost in a crash.
func (g *game) answerTakeback(ctx context.Context) {
	yes := !g.full.Rated && isHuman(g.opponent()) && g.board.takebacks < g.opts.Settings().Play.Takebacks
	g.log.Info().Bool("accept", yes).Msg("takeback requested")
	g.sendCommand(ctx, "answer takeback", withAnswer(g.opts.Client.Takeback, yes))
}

func isHuman(p *lichess.Player) bool { return !p.IsBot() && p.AILevel == 0 }

// When to end a game early is decided from the scores of our searches, in centipawns from
// our point of view, newest first. A single score means little: a crazyhouse game can turn
// within a move.

// The number of scores considered.
const (
	drawMoves   = 6 // consecutive scores that must be level for a draw
	resignMoves = 5 // consecutive bad scores after which a game is lost
)

const (
	drawPlies  = 80  // minimum plies before a draw in a level game
	drawLevel  = 20  // centipawns within which a score counts as level
	worseMoves = 3   // consecutive bad scores after which a draw is welcome
	worseLevel = 150 // centipawns by which they must be bad

	resignLevel = 1200
	resignMates = 3 // consecutive scores of being mated
)

// allOf reports whether there are n scores and fits holds for the first n.
func allOf(scores []int, n int, fits func(int) bool) bool {
	for _, s := range scores[:min(n, len(scores))] {
		if !fits(s) {
			return false
		}
	}
	return len(scores) >= n
}

// isLevel reports whether a long game has been level for several moves.
func isLevel(scores []int, ply int) bool {
	return ply >= drawPlies && allOf(scores, drawMoves, func(s int) bool { return s >= -drawLevel && s <= drawLevel })
}

// acceptsDraw reports whether to accept a draw: in a level game, or when we are
// losing.
func acceptsDraw(scores []int, ply int) bool {
	return isLevel(scores, ply) || allOf(scores, worseMoves, func(s int) bool { return s <= -worseLevel })
}

// isLost reports whether a game is certainly lost: by a large score over several
// moves, or by a mate found by several searches.
func isLost(scores []int) bool {
	return allOf(scores, resignMates, func(s int) bool { return s <= -record.MateScore }) ||
		allOf(scores, resignMoves, func(s int) bool { return s <= -resignLevel })
}

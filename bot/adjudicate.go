package bot

import (
	"context"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Play says how to end games early, and what to grant.
type Play struct {
	// Resign gives up games that are surely lost.
	Resign bool
	// Draw offers and accepts draws; without it offers are declined.
	Draw bool
	// Takebacks is how many takebacks a human is granted in a casual game.
	Takebacks int
}

// When to end a game early. All scores are from our view, of our latest moves.
// A single score shows little: crazyhouse turns within a move.
const (
	drawPlies  = 80  // how long a game must be for a draw while nobody is better
	drawMoves  = 6   // as many scores must agree
	drawLevel  = 20  // centipawns that are as good as nothing
	worseMoves = 3   // as many scores must agree that a draw would be a gift
	worseLevel = 150 // centipawns we must be down by for that

	resignMoves = 5
	resignLevel = 1200
	resignMates = 3 // as many scores must be a mate
	// flagHope is a clock that an opponent without increment may yet lose on.
	flagHope = 15 * time.Second
)

// trend returns the scores of our latest searches from our view, the newest
// first and at most n. It is read from the notes, so moves taken back are out of
// it, and a restart keeps it.
func (g *game) trend(n int) (scores []int) {
	for ply := len(g.board.notes) - 1; ply >= 0 && len(scores) < n; ply-- {
		if g.board.notes[ply].Evaluated && g.board.mover(ply) == g.us {
			scores = append(scores, scoreOf(g.board.notes[ply], g.us))
		}
	}
	return scores
}

// allOf reports whether there are n scores and each fits.
func allOf(scores []int, n int, fits func(int) bool) bool {
	for _, s := range scores[:min(n, len(scores))] {
		if !fits(s) {
			return false
		}
	}
	return len(scores) >= n
}

// isLevel reports whether nobody has been better for long, in a long game.
func isLevel(scores []int, ply int) bool {
	return ply >= drawPlies && allOf(scores, drawMoves, func(s int) bool { return s >= -drawLevel && s <= drawLevel })
}

// wouldAcceptDraw decides on an offer: a draw is fine when nobody can win, and
// welcome when we are losing.
func wouldAcceptDraw(scores []int, ply int) bool {
	return isLevel(scores, ply) || allOf(scores, worseMoves, func(s int) bool { return s <= -worseLevel })
}

// isLost reports whether a game is surely lost: by much for long, or by a mate
// that several searches have seen.
func isLost(scores []int) bool {
	return allOf(scores, resignMates, func(s int) bool { return s <= -mateScore }) ||
		allOf(scores, resignMoves, func(s int) bool { return s <= -resignLevel })
}

// mayFlag reports whether the opponent may lose on time in spite of the board.
func (g *game) mayFlag() bool {
	left, increment := g.state.BlackTime, g.state.BlackIncrement
	if g.us == rules.Black {
		left, increment = g.state.WhiteTime, g.state.WhiteIncrement
	}
	return g.full.Clock != nil && increment == 0 && left.Duration() < flagHope
}

// offersDraw reports whether our next move goes with a draw offer. Lichess hears
// none within 20 plies of the last one.
func (g *game) offersDraw() bool {
	ply := g.board.game.Ply()
	if !g.bot.settings().Play.Draw || g.mayFlag() || ply < g.drawOfferedAt+offerAgainAfter || !isLevel(g.trend(drawMoves), ply) {
		return false
	}
	g.drawOfferedAt = ply
	g.log.Info().Int("ply", ply).Msg("draw offered by us")
	return true
}

// considerResigning gives a lost game up, once our move is on the board: so the
// clock never waits for it, and if the server does not hear it, we play on and
// try again after the next move.
func (g *game) considerResigning(ctx context.Context) {
	if !g.bot.settings().Play.Resign || g.state.Status.Over() || g.mayFlag() || !isLost(g.trend(resignMoves)) {
		return
	}
	g.log.Info().Ints("scores", g.trend(resignMoves)).Msg("resigning")
	g.sendCommand(ctx, "resign", func(ctx context.Context) error { return g.bot.opts.Client.Resign(ctx, g.id) })
}

// offers are what the opponent asks for.
type offers struct {
	draw, takeback bool
	answeredAt     int // ply at which a draw offer was last answered
}

// offerAgainAfter is how many plies must pass before a flag that stays set is a
// new draw offer: Lichess does not clear the flag of an offer that was declined,
// and allows no new one before.
const offerAgainAfter = 20

// answerOffers answers the opponent's draw and takeback offers, each once.
func (g *game) answerOffers(ctx context.Context) {
	before, ply := g.offers, g.board.game.Ply()
	g.offers.draw, g.offers.takeback = g.state.BlackDraw, g.state.BlackTakeback
	if g.us == rules.Black {
		g.offers.draw, g.offers.takeback = g.state.WhiteDraw, g.state.WhiteTakeback
	}
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
	yes := g.bot.settings().Play.Draw && !g.mayFlag() && wouldAcceptDraw(scores, g.board.game.Ply())
	g.log.Info().Bool("accept", yes).Ints("scores", scores).Msg("draw offered")
	g.sendCommand(ctx, "answer draw", func(ctx context.Context) error { return g.bot.opts.Client.Draw(ctx, g.id, yes) })
}

// answerTakeback grants a human a takeback in a casual game, up to the limit, and
// declines all others: without an answer, the request would stay open.
func (g *game) answerTakeback(ctx context.Context) {
	yes := !g.full.Rated && isHuman(g.opponent()) && g.takebacks < g.bot.settings().Play.Takebacks
	if yes {
		g.takebacks++
		g.handleJournalError(g.journal.SetTakebacks(g.takebacks))
	}
	g.log.Info().Bool("accept", yes).Msg("takeback asked for")
	g.sendCommand(ctx, "answer takeback", func(ctx context.Context) error { return g.bot.opts.Client.Takeback(ctx, g.id, yes) })
}

func isHuman(p *lichess.Player) bool { return !p.IsBot() && p.AILevel == 0 }

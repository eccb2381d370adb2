package lichesstest

import (
	"context"
	"net/http"
	"time"
)

// claimDelay is how long Lichess waits before it checks whether a claim has ended the
// game.
const claimDelay = 500 * time.Millisecond

func (g *game) claimVictory(side int, r *http.Request) string {
	applies := g.claimable() && g.turn() != side
	return g.claim(r.Context(), side, claim{
		applies: applies, mayEnd: applies && g.server.Faults.check("early") == nil, winner: colors[side],
		refusal: "You cannot claim the win on this game",
	})
}

func (g *game) claimDraw(side int, r *http.Request) string {
	begun := g.rules.Ply() >= 2 || g.arena != nil
	return g.claim(r.Context(), side, claim{
		applies: !g.over() && begun && (g.rules.Ply() >= earlyDraw || !g.spec.has("noEarlyDraw")),
		mayEnd:  g.claimable() && g.turn() != side, refusal: "You cannot claim draw on this game",
	})
}

// claim is a claim of a win or draw against an opponent who left.
type claim struct {
	applies bool // otherwise Lichess responds ok at once and does nothing
	mayEnd  bool // the game ends if the opponent has been away for long enough
	winner  string
	refusal string
}

// claim handles a claim. After claimDelay, for which it gives up the lock, it refuses
// the claim if that has not ended the game.
func (g *game) claim(ctx context.Context, side int, c claim) string {
	if c.mayEnd && g.claimIn(1-side, time.Now()) < 0 {
		g.end("timeout", c.winner)
	}
	if !c.applies {
		return ""
	}
	g.server.mu.Unlock()
	wait(ctx, claimDelay)
	g.server.mu.Lock()
	if !g.over() || g.winner != c.winner {
		return c.refusal
	}
	return ""
}

package lichesstest

import (
	"net/http"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// claimDelay is how long Lichess waits before it checks whether a claim has ended the
// game.
const claimDelay = 500 * time.Millisecond

// claimVictory and claimDraw do nothing where a claim does not apply, as on Lichess.
func (g *game) claimVictory(side int, r *http.Request) string {
	if !g.claimable() || g.turn() == side {
		return ""
	}
	return g.claim(side, r, g.server.Faults.check("early") == nil, colors[side],
		"You cannot claim the win on this game")
}

func (g *game) claimDraw(side int, r *http.Request) string {
	ply := g.rules.Ply()
	if g.over() || ply < 2 && g.arena == nil || ply < earlyDraw && g.spec.has("noEarlyDraw") {
		return ""
	}
	return g.claim(side, r, g.claimable() && g.turn() != side, "", "You cannot claim draw on this game")
}

// claim ends the game if it may and the opponent has been away for long enough. After
// claimDelay, for which it gives up the lock, it refuses a claim that has not ended the game.
func (g *game) claim(side int, r *http.Request, mayEnd bool, winner, refusal string) string {
	if mayEnd && g.claimIn(1-side, time.Now()) < 0 {
		g.end("timeout", winner)
	}
	g.server.mu.Unlock()
	_ = lichess.Sleep(r.Context(), claimDelay)
	g.server.mu.Lock()
	if g.over() && g.winner == winner {
		return ""
	}
	return refusal
}

package lichesstest

import (
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// claimDelay is how long Lichess waits before it checks whether a claim has ended the
// game.
const claimDelay = 500 * time.Millisecond

func claimVictory(r *request) any {
	return r.claim(r.game.server.Faults.check("early") == nil, colors[r.side], "victory")
}

func claimDraw(r *request) any { return r.claim(!r.game.drawIsEarly(), "", "draw") }

// claim ends the game if it may and the opponent has been away for long enough. If the game
// goes on after claimDelay, for which it gives up the lock, the claim is refused.
func (r *request) claim(mayEnd bool, winner, what string) any {
	g := r.game
	if g.turn() == r.side {
		return badRequest("This is not the time to claim " + what)
	}
	if mayEnd && g.claimable() && g.claimIn(1-r.side, time.Now()) < 0 {
		g.end("timeout", winner)
	}
	g.server.mu.Unlock()
	_ = lichess.Sleep(r.Context(), claimDelay)
	g.server.mu.Lock()
	if g.over() {
		return done
	}
	return badRequest("You cannot claim " + what + " in this game")
}

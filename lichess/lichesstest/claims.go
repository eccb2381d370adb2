package lichesstest

import (
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// claimDelay is how long Lichess waits before it checks whether a claim has ended the
// game.
const claimDelay = 500 * time.Millisecond

// claimVictory and claimDraw do nothing where a claim does not apply, as on Lichess.
func claimVictory(r *request) any {
	if !r.game.claimable() {
		return done
	}
	return r.claim(r.game.server.Faults.check("early") == nil, colors[r.side], "victory")
}

func claimDraw(r *request) any {
	g, ply := r.game, r.game.rules.Ply()
	if g.over() || ply < 2 && g.arena == nil || ply < earlyDraw && g.spec.has("noEarlyDraw") {
		return done
	}
	return r.claim(g.claimable(), "", "draw")
}

// claim ends the game if it may and the opponent has been away for long enough. After
// claimDelay, for which it gives up the lock, it refuses a claim that has not ended the game.
func (r *request) claim(mayEnd bool, winner, what string) any {
	g := r.game
	if g.turn() == r.side {
		return badRequest("This is not the time to claim " + what)
	}
	if mayEnd && g.claimIn(1-r.side, time.Now()) < 0 {
		g.end("timeout", winner)
	}
	g.server.mu.Unlock()
	_ = lichess.Sleep(r.Context(), claimDelay)
	g.server.mu.Lock()
	if g.over() && g.winner == winner {
		return done
	}
	return badRequest("You cannot claim " + what + " in this game")
}

package lichesstest

import (
	"net/http"
	"time"
)

// claimDelay is how long Lichess waits before it checks whether a claim has ended the
// game.
const claimDelay = 500 * time.Millisecond

func (s *Server) claimVictory(w http.ResponseWriter, r *http.Request, u *user) {
	s.claim(w, r, u, func(g *game, side int) claim {
		applies := g.claimable() && g.turn() != side
		return claim{
			applies: applies, mayEnd: applies && !s.Faults.claimIsEarly(), winner: colors[side],
			refusal: "You cannot claim the win on this game",
		}
	})
}

func (s *Server) claimDraw(w http.ResponseWriter, r *http.Request, u *user) {
	s.claim(w, r, u, func(g *game, side int) claim {
		begun := g.rules.Ply() >= 2 || g.arena != nil
		return claim{
			applies: !g.over() && begun && (g.rules.Ply() >= earlyDraw || !g.spec.has("noEarlyDraw")),
			mayEnd:  g.claimable() && g.turn() != side, refusal: "You cannot claim draw on this game",
		}
	})
}

// claim is a claim of a win or draw against an opponent who left.
type claim struct {
	applies bool // otherwise Lichess responds ok at once and does nothing
	mayEnd  bool // the game ends if the opponent has been away for long enough
	winner  string
	refusal string
}

// claim handles a claim. It responds after claimDelay with whether the claim has
// ended the game.
func (s *Server) claim(w http.ResponseWriter, r *http.Request, u *user, read func(g *game, side int) claim) {
	s.mu.Lock()
	g := s.findGame(w, r, u)
	if g == nil {
		s.mu.Unlock()
		return
	}
	side := g.side(u)
	c := read(g, side)
	if c.mayEnd && g.claimIn(1-side, time.Now()) < 0 {
		s.endGame(g, "timeout", c.winner)
	}
	s.mu.Unlock()
	if c.applies {
		wait(r.Context(), claimDelay)
		s.mu.Lock()
		defer s.mu.Unlock()
		if !g.over() || g.winner != c.winner {
			writeError(w, http.StatusBadRequest, c.refusal)
			return
		}
	}
	writeOK(w)
}

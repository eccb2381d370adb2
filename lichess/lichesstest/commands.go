package lichesstest

import (
	"net/http"
	"time"
)

// command handles a request about a game under the lock.
func (s *Server) command(w http.ResponseWriter, r *http.Request, u *user, do func(g *game, side int) (refusal string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.find(w, r, u)
	if g == nil {
		return
	}
	if text := do(g, g.side(u)); text != "" {
		refuse(w, http.StatusBadRequest, text)
		return
	}
	ok(w)
}

func (s *Server) abort(w http.ResponseWriter, r *http.Request, u *user) {
	s.command(w, r, u, func(g *game, _ int) string {
		if g.over() || g.rules.Ply() >= 2 || g.rule("noAbort") {
			return "This game can no longer be aborted"
		}
		s.endGame(g, "aborted", "")
		return ""
	})
}

func (g *game) rule(name string) bool {
	for _, r := range g.spec.Rules {
		if r == name {
			return true
		}
	}
	return false
}

func (s *Server) resign(w http.ResponseWriter, r *http.Request, u *user) {
	s.command(w, r, u, func(g *game, side int) string {
		if g.over() {
			return "This game cannot be resigned"
		}
		s.resignGame(g, side)
		return ""
	})
}

func (s *Server) resignGame(g *game, side int) {
	if g.rules.Ply() < 2 {
		s.endGame(g, "aborted", "")
		return
	}
	s.endGame(g, "resign", colors[1-side])
}

func (s *Server) draw(w http.ResponseWriter, r *http.Request, u *user) {
	yes := truthy(r.PathValue("yes"))
	s.command(w, r, u, func(g *game, side int) string {
		s.answerDraw(g, side, yes)
		return ""
	})
}

// answerDraw offers, accepts, or declines. Declining sends no line.
func (s *Server) answerDraw(g *game, side int, yes bool) {
	switch {
	case g.over() || g.rules.Ply() < 2:
	case !yes:
		g.drawOffer = [2]bool{}
	case g.drawOffer[1-side]:
		s.endGame(g, "draw", "")
	case g.mayOfferDraw(side):
		g.drawOffer[side] = true
		g.broadcast(g.state())
	}
}

func (s *Server) takeback(w http.ResponseWriter, r *http.Request, u *user) {
	yes := truthy(r.PathValue("yes"))
	s.command(w, r, u, func(g *game, side int) string {
		s.answerTakeback(g, side, yes)
		return ""
	})
}

func (s *Server) answerTakeback(g *game, side int, yes bool) {
	switch {
	case g.over() || g.rules.Ply() == 0:
	case !yes:
		g.takebackOffer = [2]bool{}
	case g.takebackOffer[1-side]:
		g.takeBack(1 - side)
	default:
		g.takebackOffer[side] = true
		g.broadcast(g.state())
	}
}

func (s *Server) claimVictory(w http.ResponseWriter, r *http.Request, u *user) {
	s.claim(w, r, u, "timeout", "You cannot claim the win on this game")
}

func (s *Server) claimDraw(w http.ResponseWriter, r *http.Request, u *user) {
	s.claim(w, r, u, "draw", "You cannot claim draw on this game")
}

// claim ends a game whose player to move has been away for long enough.
func (s *Server) claim(w http.ResponseWriter, r *http.Request, u *user, status, refusal string) {
	s.command(w, r, u, func(g *game, side int) string {
		if g.over() || g.turn() == side {
			return refusal
		}
		if g.claimableIn(1-side, time.Now()) > 0 {
			return "" // heard, but not applicable: 200 all the same
		}
		winner := ""
		if status == "timeout" {
			winner = colors[side]
		}
		s.endGame(g, status, winner)
		return ""
	})
}

func (s *Server) berserk(w http.ResponseWriter, r *http.Request, u *user) {
	s.command(w, r, u, func(*game, int) string { return "Cannot berserk" })
}

// maxChat is the longest line of chat.
const maxChat = 140

func (s *Server) postChat(w http.ResponseWriter, r *http.Request, u *user) {
	room, text := r.FormValue("room"), r.FormValue("text")
	s.command(w, r, u, func(g *game, _ int) string {
		if room != "player" && room != "spectator" {
			return "Invalid room"
		}
		if n := len([]rune(text)); n > 0 && n <= maxChat { // anything else is swallowed
			s.say(g, u, room, text)
		}
		return ""
	})
}

func (s *Server) say(g *game, u *user, room, text string) {
	if room == "player" {
		g.chat = append(g.chat, object{"text": text, "user": u.name})
	}
	g.broadcast(object{"type": "chatLine", "room": room, "username": u.name, "text": text})
}

func (s *Server) readChat(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.find(w, r, u); g != nil {
		lines := g.chat
		if lines == nil {
			lines = []object{}
		}
		reply(w, http.StatusOK, lines)
	}
}

package lichesstest

import "net/http"

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
		if !g.abortable() {
			return cannotAbort
		}
		s.endGame(g, "aborted", "")
		return ""
	})
}

const cannotAbort = "This game can no longer be aborted"

func (s *Server) resign(w http.ResponseWriter, r *http.Request, u *user) {
	s.command(w, r, u, func(g *game, side int) string {
		if g.over() || g.rules.Ply() < 2 && !g.abortable() {
			return "This game cannot be resigned"
		}
		s.resignGame(g, side)
		return ""
	})
}

// resignGame aborts a game that has hardly begun.
func (s *Server) resignGame(g *game, side int) {
	if g.abortable() {
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
		g.drawOffer[1-side] = false
	case g.drawOffer[1-side]:
		s.endGame(g, "draw", "")
	case g.mayOfferDraw(side):
		g.drawOffer[side] = true
		g.broadcast(g.state())
		g.system([]string{"White offers draw", "Black offers draw"}[side])
		g.wakePlayer()
	}
}

func (s *Server) takeback(w http.ResponseWriter, r *http.Request, u *user) {
	yes := truthy(r.PathValue("yes"))
	s.command(w, r, u, func(g *game, side int) string {
		s.answerTakeback(g, side, yes)
		return ""
	})
}

// answerTakeback asks, grants, or declines.
func (s *Server) answerTakeback(g *game, side int, yes bool) {
	switch {
	case g.over() || g.rules.Ply() == 0 || g.arena != nil:
	case g.takebackOffer[1-side] && yes:
		g.takeBack(1 - side)
	case g.takebackOffer[1-side]:
		g.takebackOffer[1-side] = false
		g.refused = true
		g.wakePlayer()
	case !yes:
		g.takebackOffer[side] = false
	default:
		g.takebackOffer[side] = true
		g.broadcast(g.state())
		g.system("Takeback sent")
	}
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

// system writes a line of the server's own.
func (g *game) system(text string) {
	g.broadcast(object{"type": "chatLine", "room": "player", "username": "lichess", "text": text})
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

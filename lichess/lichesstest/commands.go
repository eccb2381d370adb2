package lichesstest

import (
	"net/http"
	"unicode/utf16"
)

// command runs a command on the game of a request under the lock.
func (s *Server) command(w http.ResponseWriter, r *http.Request, u *user, do func(g *game, side int) (refusal string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.findGame(w, r, u)
	if g == nil {
		return
	}
	if text := do(g, g.side(u)); text != "" {
		writeError(w, http.StatusBadRequest, text)
		return
	}
	writeOK(w)
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

// resignGame resigns, or aborts a game that can be aborted.
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

// sideNames are the players' names in the server's chat lines.
var sideNames = [2]string{"White", "Black"}

// answerDraw offers, accepts or declines a draw. Declining sends only a chat line.
func (s *Server) answerDraw(g *game, side int, yes bool) {
	switch {
	case g.over() || g.rules.Ply() < 2:
	case !yes && g.drawOffer[1-side]:
		g.drawOffer[1-side] = false
		g.systemKept(sideNames[side] + " declines draw")
	case !yes:
	case g.drawOffer[1-side]:
		g.systemKept("Draw offer accepted")
		s.endGame(g, "draw", "")
	case g.mayOfferDraw(side):
		g.drawOffer[side] = true
		g.broadcast(g.state())
		g.systemKept(sideNames[side] + " offers draw")
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

// answerTakeback proposes, accepts or declines a takeback.
func (s *Server) answerTakeback(g *game, side int, yes bool) {
	switch {
	case g.over() || !g.bothMoved() || g.arena != nil:
	case g.takebackOffer[1-side] && yes:
		g.systemKept(sideNames[side] + " accepts takeback")
		g.takeBack(1 - side)
	case g.takebackOffer[1-side]:
		g.takebackOffer[1-side] = false
		g.refused = true
		g.systemChat(sideNames[side] + " declines takeback")
		g.broadcast(g.state())
		g.wakePlayer()
	case !yes && g.takebackOffer[side]:
		g.takebackOffer[side] = false
		g.systemChat(sideNames[side] + " cancels takeback")
		g.broadcast(g.state())
	case yes && !g.takebackOffer[side]:
		g.takebackOffer[side] = true
		g.systemChat(sideNames[side] + " proposes takeback")
		g.broadcast(g.state())
	}
}

func (s *Server) berserk(w http.ResponseWriter, r *http.Request, u *user) {
	s.command(w, r, u, func(*game, int) string { return "Cannot berserk" })
}

// maxChat is the maximum length of a chat line in UTF-16 code units.
const maxChat = 140

func (s *Server) postChat(w http.ResponseWriter, r *http.Request, u *user) {
	room, text := r.FormValue("room"), r.FormValue("text")
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.findGame(w, r, u)
	switch {
	case g == nil:
	case text == "":
		writeFormError(w, "text", "This field is required")
	case len(utf16.Encode([]rune(text))) > maxChat:
		writeFormError(w, "text", "Maximum length is 140")
	case room != "player" && room != "spectator":
		writeFormError(w, "room", "Invalid value")
	default:
		s.postLine(g, u, room, text)
		writeOK(w)
	}
}

func (s *Server) postLine(g *game, u *user, room, text string) {
	if room == "player" {
		g.chat = append(g.chat, object{"text": text, "user": u.name})
	}
	g.broadcast(object{"type": "chatLine", "room": room, "username": u.name, "text": text})
}

// lichessName is the user name of the server's own chat lines.
const lichessName = "lichess"

// systemChat posts a chat line of the server to both rooms.
func (g *game) systemChat(text string) {
	for _, room := range []string{"spectator", "player"} {
		g.broadcast(object{"type": "chatLine", "room": room, "username": lichessName, "text": text})
	}
}

// systemKept posts a chat line of the server that readChat returns.
func (g *game) systemKept(text string) {
	g.chat = append(g.chat, object{"text": text, "user": lichessName})
	g.systemChat(text)
}

func (s *Server) readChat(w http.ResponseWriter, r *http.Request, u *user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.findGame(w, r, u); g != nil {
		lines := g.chat
		if lines == nil {
			lines = []object{}
		}
		writeJSON(w, http.StatusOK, lines)
	}
}

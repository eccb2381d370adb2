package lichesstest

import (
	"net/http"
	"unicode/utf16"
)

// command returns a handler that runs a command on the game of a request, for the
// side of the user.
func (s *Server) command(do func(g *game, side int, r *http.Request) (refusal string)) handler {
	return func(r *http.Request, u *user) (any, error) {
		g, err := s.findGame(r, u)
		if err != nil {
			return nil, err
		}
		if text := do(g, g.side(u), r); text != "" {
			return nil, badRequest(text)
		}
		return done, nil
	}
}

func (g *game) abort(int, *http.Request) string {
	if !g.abortable() {
		return cannotAbort
	}
	g.end("aborted", "")
	return ""
}

const cannotAbort = "This game can no longer be aborted"

func (g *game) postResign(side int, _ *http.Request) string {
	if g.over() || g.rules.Ply() < 2 && !g.abortable() {
		return "This game cannot be resigned"
	}
	g.resign(side)
	return ""
}

// resign resigns, or aborts a game that can be aborted.
func (g *game) resign(side int) {
	if g.abortable() {
		g.end("aborted", "")
		return
	}
	g.end("resign", colors[1-side])
}

// sideNames are the players' names in the server's chat lines.
var sideNames = [2]string{"White", "Black"}

// answerDraw offers, accepts or declines a draw. Declining sends only a chat line.
func (g *game) answerDraw(side int, r *http.Request) string {
	switch yes := truthy(r.PathValue("yes")); {
	case g.over() || g.rules.Ply() < 2:
	case !yes && g.drawOffer[1-side]:
		g.drawOffer[1-side] = false
		g.systemKept(sideNames[side] + " declines draw")
	case !yes:
	case g.drawOffer[1-side]:
		g.systemKept("Draw offer accepted")
		g.end("draw", "")
	case g.mayOfferDraw(side):
		g.drawOffer[side] = true
		g.broadcast(g.state())
		g.systemKept(sideNames[side] + " offers draw")
		g.wakePlayer()
	}
	return ""
}

func (g *game) berserk(int, *http.Request) string { return "Cannot berserk" }

// maxChat is the maximum length of a chat line in UTF-16 code units.
const maxChat = 140

func (s *Server) postChat(r *http.Request, u *user) (any, error) {
	room, text := r.FormValue("room"), r.FormValue("text")
	g, err := s.findGame(r, u)
	switch {
	case err != nil:
		return nil, err
	case text == "":
		return nil, invalidField("text", "This field is required")
	case len(utf16.Encode([]rune(text))) > maxChat:
		return nil, invalidField("text", "Maximum length is 140")
	case room != "player" && room != "spectator":
		return nil, invalidField("room", "Invalid value")
	}
	g.postLine(u, room, text)
	return done, nil
}

func (g *game) postLine(u *user, room, text string) {
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

func (s *Server) readChat(r *http.Request, u *user) (any, error) {
	g, err := s.findGame(r, u)
	if err != nil {
		return nil, err
	}
	return g.chat, nil
}

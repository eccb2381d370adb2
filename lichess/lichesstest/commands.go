package lichesstest

import "unicode/utf16"

func postAbort(r *request) any {
	if !r.game.abortable() {
		return badRequest("This game can no longer be aborted")
	}
	r.game.end("aborted", "")
	return done
}

func postResign(r *request) any {
	if g := r.game; g.over() || g.rules.Ply() < 2 && g.arena == nil && !g.abortable() {
		return badRequest("This game cannot be resigned")
	}
	r.game.resign(r.side)
	return done
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

// postDraw offers, accepts or declines a draw. Declining sends only a chat line.
func postDraw(r *request) any {
	g, side := r.game, r.side
	switch yes := truthy(r.PathValue("accept")); {
	case g.over() || g.rules.Ply() < 2:
	case !yes && g.drawOffer[1-side]:
		g.drawOffer[1-side] = false
		g.systemKept(sideNames[side] + " declines draw")
	case !yes && g.drawOffer[side]:
		g.drawOffer[side] = false
		g.systemKept(sideNames[side] + " cancels draw offer")
	case yes:
		g.agreeDraw(side)
	}
	return done
}

// agreeDraw accepts the opponent's offer of a draw or makes one.
func (g *game) agreeDraw(side int) {
	switch {
	case g.drawOffer[1-side]:
		g.systemKept("Draw offer accepted")
		g.end("draw", "")
	case g.mayOfferDraw(side):
		g.drawOffer[side] = true
		g.broadcast(g.state())
		g.systemKept(sideNames[side] + " offers draw")
		g.wakePlayer()
	}
}

func berserk(*request) any { return badRequest("Cannot berserk") }

// maxChat is the maximum length of a chat line in UTF-16 code units.
const maxChat = 140

func postChat(r *request) any {
	room, text := r.FormValue("room"), r.FormValue("text")
	switch {
	case text == "":
		return invalidField("text", "This field is required")
	case len(utf16.Encode([]rune(text))) > maxChat:
		return invalidField("text", "Maximum length is 140")
	case room != "player" && room != "spectator":
		return invalidField("room", "Invalid value")
	}
	r.game.postLine(r.user, room, text)
	return done
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

func readChat(r *request) any { return r.game.chat }

package lichesstest

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode"

	"github.com/zhbot/zhbot/rules"
)

func postMove(r *request) any {
	text := r.game.play(r.side, r.PathValue("move"), truthy(r.URL.Query().Get("offeringDraw")))
	if text != "" {
		return badRequest(text)
	}
	return done
}

// truthy reports whether a text of a request means yes.
func truthy(s string) bool { return slices.Contains([]string{"1", "true", "True", "on", "yes"}, s) }

// play plays a move and returns the error text, "" on success. The caller holds
// the lock.
func (g *game) play(side int, uci string, offersDraw bool) (refusal string) {
	now, audit := time.Now(), &g.players[side].audit
	if g.over() || g.checkFlag(now) || g.turn() != side || g.drawPending {
		switch {
		case g.repeats(side, uci):
			audit.Duplicates++
		case !g.over() && !g.drawPending: // otherwise it may have crossed the end
			audit.OutOfTurn++
		}
		return "Not your turn, or game already over"
	}
	if offersDraw {
		if g.agreeDraw(side); g.over() {
			return "" // the move is not played
		}
	}
	m, text := readMove(g.rules.Position(), uci)
	switch {
	case text != "" && g.repeats(side, uci):
		audit.Duplicates++
		return text
	case text != "":
		audit.Illegal++
		return text
	}
	audit.Moves++
	if err := g.rules.Play(m); err != nil {
		panic(err) // readMove checked it
	}
	g.moves = append(g.moves, m.String())
	g.refused = false
	status, winner := g.ending()
	g.clock.press(now, status != "")
	g.turns = append(g.turns, now.Sub(g.movedAt))
	g.movedAt = now
	g.setFlag(now)
	g.armFirstMoveTimer()
	switch {
	case status != "":
		g.end(status, winner)
	case g.rules.Repetitions() >= 3 && (g.players[0].bot() || g.players[1].bot()):
		g.claimThreefold()
	default:
		g.broadcastMove() // as on Lichess, it still shows the opponent's offers
		g.drawOffer[1-side] = false
		g.takebacks[0].offered, g.takebacks[1].offered = false, false
		g.wakePlayer()
	}
	return ""
}

// ending returns how the position ends the game, "" if it does not.
func (g *game) ending() (status, winner string) {
	switch o := g.rules.Outcome(rules.Fivefold); {
	case o.Termination == rules.Checkmate:
		return "mate", colors[1-g.turn()]
	case o.Termination == rules.Stalemate:
		return "stalemate", ""
	case o.Over():
		return "draw", ""
	}
	return "", ""
}

// claimThreefold ends a game that a bot plays in at the third occurrence. Two
// lines with equal moves are sent, and a move between them is refused.
func (g *game) claimThreefold() {
	g.broadcast(g.state())
	g.drawPending = true
	g.server.spawn(g.server.locked(func() { g.end("draw", "") }))
}

// readMove parses a move as Lichess does and returns Lichess's error text if it is
// invalid. A promotion in upper case becomes a queen.
func readMove(p *rules.Position, uci string) (rules.Move, string) {
	text := uci
	if len(uci) == 5 && unicode.IsUpper(rune(uci[4])) {
		text = uci[:4]
	}
	m, err := p.ParseUCI(text)
	switch {
	case err == nil:
		return m, ""
	case errors.Is(err, rules.ErrMoveNotation):
		return rules.NoMove, "Invalid UCI: " + uci
	case uci[1] == '@':
		return rules.NoMove, fmt.Sprintf("Cannot drop %s on %s", uci[:1], uci[2:4])
	}
	return rules.NoMove, fmt.Sprintf("Piece on %s cannot move to %s", uci[:2], uci[2:4])
}

const (
	// drawOfferPause is how many plies a side waits between draw offers.
	drawOfferPause = 20
	// earlyDraw is the ply from which the rule noEarlyDraw allows them.
	earlyDraw = 60
)

func (g *game) mayOfferDraw(side int) bool {
	ply := g.rules.Ply()
	if ply < 2 || g.drawIsEarly() ||
		g.drawOfferedAt[side] >= 0 && ply-g.drawOfferedAt[side] < drawOfferPause {
		return false
	}
	g.drawOfferedAt[side] = ply
	return true
}

// drawIsEarly reports whether the rule noEarlyDraw allows no draw yet.
func (g *game) drawIsEarly() bool { return g.rules.Ply() < earlyDraw && g.spec.has("noEarlyDraw") }

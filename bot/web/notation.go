package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/rules"
)

// sanLine keeps the moves of a game in SAN, so that each is written once.
type sanLine struct {
	moves []rules.Move
	san   []string
	last  string // the last move in UCI
	at    rules.Position
}

// of returns the moves of a game in SAN. The caller must not change them.
func (l *sanLine) of(g *rules.Game) []string {
	moves := g.Moves()
	if len(moves) < len(l.moves) || !slices.Equal(moves[:len(l.moves)], l.moves) || len(l.moves) == 0 {
		*l = sanLine{at: *g.Start()} // after a takeback
	}
	for _, m := range moves[len(l.moves):] {
		l.moves, l.san, l.last = append(l.moves, m), append(l.san, l.at.SAN(m)), l.at.UCI(m)
		var next rules.Position
		l.at.PlayInto(m, &next)
		l.at = next
	}
	return slices.Clip(l.san)
}

// mostOfLine bounds a principal variation on the page.
const mostOfLine = 12

// numberedLine writes moves from a position as "12. N@f7+ Kg8 13. Q@h7#". It
// ends where a move is not legal.
func numberedLine(p rules.Position, moves []rules.Move) string {
	var b strings.Builder
	for i, m := range moves[:min(len(moves), mostOfLine)] {
		if !p.IsLegal(m) {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case p.Turn() == rules.White:
			fmt.Fprintf(&b, "%d. ", p.Fullmove())
		case i == 0:
			fmt.Fprintf(&b, "%d… ", p.Fullmove())
		}
		b.WriteString(p.SAN(m))
		var next rules.Position
		p.PlayInto(m, &next)
		p = next
	}
	return b.String()
}

// control writes a time control such as 3+2, in minutes and seconds.
func control(clock bool, initial, increment time.Duration) string {
	if !clock {
		return "no clock"
	}
	minutes := fmt.Sprintf("%g", initial.Minutes())
	switch {
	case initial == 15*time.Second:
		minutes = "¼"
	case initial == 30*time.Second:
		minutes = "½"
	case initial == 45*time.Second:
		minutes = "¾"
	case initial%(30*time.Second) != 0:
		minutes = fmt.Sprintf("%gs", initial.Seconds())
	}
	return fmt.Sprintf("%s+%g", minutes, increment.Seconds())
}

// over reports whether a status of Lichess is an end.
func over(status string) bool { return status != "" && status != "created" && status != "started" }

// endings are Lichess's statuses in plain words, after who won.
var endings = map[string]string{
	"mate": "checkmate", "resign": "resignation", "outoftime": "time", "timeout": "leaving",
	"stalemate": "stalemate", "draw": "agreement or repetition", "cheat": "cheat detected", "variantEnd": "the variant's rule",
	"insufficientMaterialClaim": "insufficient material",
}

// ending says in plain words how a game ended.
func ending(status, winner string) string {
	how, known := endings[status]
	if !known {
		how = status
	}
	switch {
	case status == "aborted" || status == "noStart":
		return "Aborted"
	case winner == "white":
		return "White won by " + how
	case winner == "black":
		return "Black won by " + how
	}
	return "Drawn by " + how
}

// score is the result for us: win, draw, loss, or none.
func score(winner, status string, us rules.Color) string {
	switch {
	case winner == us.String():
		return "win"
	case winner != "":
		return "loss"
	case status == "aborted" || status == "noStart" || status == "unknownFinish":
		return "none"
	}
	return "draw"
}

package uci

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// moveWriter formats moves with castling as the GUI expects it: e1g1, or e1h1 with
// UCI_Chess960.
type moveWriter struct{ chess960 bool }

func (w moveWriter) move(p *rules.Position, m rules.Move) string {
	if w.chess960 {
		return m.String()
	}
	return p.UCI(m)
}

// line formats consecutive moves from p.
func (w moveWriter) line(p *rules.Position, moves []rules.Move) string {
	var b strings.Builder
	pos := *p
	for _, m := range moves {
		b.WriteByte(' ')
		b.WriteString(w.move(&pos, m))
		pos = pos.After(m)
	}
	return b.String()
}

// infoLine returns the info line for a search of p.
func infoLine(w moveWriter, p *rules.Position, i engine.Info) string {
	multiPV := ""
	if i.MultiPV > 0 {
		multiPV = fmt.Sprintf(" multipv %d", i.MultiPV)
	}
	line := fmt.Sprintf("info depth %d seldepth %d%s score %v nodes %d nps %d hashfull %d time %d",
		i.Depth, i.SelDepth, multiPV, i.Score, i.Nodes, i.NPS, i.HashFull, i.Time.Milliseconds())
	if len(i.PV) > 0 {
		line += " pv" + w.line(p, i.PV)
	}
	return line
}

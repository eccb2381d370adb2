package uci

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// lineText formats consecutive moves from p, each after a space.
func lineText(p *rules.Position, moves []rules.Move) string {
	var b strings.Builder
	pos := *p
	for _, m := range moves {
		b.WriteString(" " + pos.UCI(m))
		pos = pos.After(m)
	}
	return b.String()
}

// infoLine returns the info line for a search of p.
func infoLine(p *rules.Position, i engine.Info) string {
	multiPV := ""
	if i.MultiPV > 0 {
		multiPV = fmt.Sprintf(" multipv %d", i.MultiPV)
	}
	line := fmt.Sprintf("info depth %d seldepth %d%s score %v nodes %d nps %d hashfull %d time %d",
		i.Depth, i.SelDepth, multiPV, i.Score, i.Nodes, i.NPS, i.HashFull, i.Time.Milliseconds())
	if len(i.PV) > 0 {
		line += " pv" + lineText(p, i.PV)
	}
	return line
}

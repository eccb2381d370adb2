package uci

import (
	"fmt"
	"math"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// LineText formats consecutive moves from p, each after a space.
func LineText(p *rules.Position, moves []rules.Move) string {
	var b strings.Builder
	pos := *p
	for _, m := range moves {
		b.WriteString(" " + pos.UCI(m))
		pos = pos.After(m)
	}
	return b.String()
}

// infoLine returns the info line for a search of p, if asked for with what is expected of 1000
// games. Two in a hundred games of crazyhouse are drawn, so all count as wins or losses.
func infoLine(p *rules.Position, i engine.Info, wdl bool) string {
	multiPV := ""
	if i.MultiPV > 0 {
		multiPV = fmt.Sprintf(" multipv %d", i.MultiPV)
	}
	score := i.Score.String()
	if wdl {
		win := int(math.Round(500 + 500*i.Score.Chances()))
		score += fmt.Sprintf(" wdl %d 0 %d", win, 1000-win)
	}
	if i.Bound != "" {
		score += " " + i.Bound
	}
	line := fmt.Sprintf("info depth %d seldepth %d%s score %s nodes %d nps %d hashfull %d time %d",
		i.Depth, i.SelDepth, multiPV, score, i.Nodes, i.NPS, i.HashFull, i.Time.Milliseconds())
	if len(i.PV) > 0 {
		line += " pv" + LineText(p, i.PV)
	}
	return line
}

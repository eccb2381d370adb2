package uci

import (
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/rules"
)

// moveWriter writes moves as the GUI wants castling: e1g1, or e1h1 under
// UCI_Chess960.
type moveWriter struct{ chess960 bool }

func (w moveWriter) move(p *rules.Position, m rules.Move) string {
	if w.chess960 {
		return m.String()
	}
	return p.UCI(m)
}

// line writes moves played one after another from p.
func (w moveWriter) line(p *rules.Position, moves []rules.Move) string {
	var b strings.Builder
	at := *p
	for _, m := range moves {
		b.WriteByte(' ')
		b.WriteString(w.move(&at, m))
		at = at.After(m)
	}
	return b.String()
}

// infoLine tells how far a search from p has come.
func infoLine(w moveWriter, p *rules.Position, i engine.Info) string {
	line := "info depth " + strconv.Itoa(i.Depth) +
		" seldepth " + strconv.Itoa(i.SelDepth) +
		multiPVField(i.MultiPV) +
		" score " + i.Score.String() +
		" nodes " + strconv.FormatUint(i.Nodes, 10) +
		" nps " + strconv.FormatUint(i.NPS, 10) +
		" hashfull " + strconv.Itoa(i.HashFull) +
		" time " + strconv.FormatInt(i.Time.Milliseconds(), 10)
	if len(i.PV) > 0 {
		line += " pv" + w.line(p, i.PV)
	}
	return line
}

// multiPVField tells the rank of a line, if it has one.
func multiPVField(multiPV int) string {
	if multiPV == 0 {
		return ""
	}
	return " multipv " + strconv.Itoa(multiPV)
}

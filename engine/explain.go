package engine

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// Explain returns the evaluation of a position term by term, in centipawns.
func Explain(p *rules.Position) string {
	var e evaluation
	e.judge(p)
	var b strings.Builder
	row := func(name string, white, black int) {
		fmt.Fprintf(&b, "%-10s %6d %6d %+6d\n", name, white, black, white-black)
	}
	fmt.Fprintf(&b, "%-10s %6s %6s %6s\n", "term", "white", "black", "sum")
	for t := range termCount {
		row(t.String(), e.terms[rules.White][t], e.terms[rules.Black][t])
	}
	row("total", e.total(rules.White), e.total(rules.Black))
	fmt.Fprintf(&b, "\nEvaluation: %+d cp for the side to move, %d of them tempo", evaluate(p), tempo)
	return b.String()
}

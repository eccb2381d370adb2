package uci

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// display draws the board with both pockets, and writes FEN, key and checkers.
func display(p *rules.Position) string {
	const rule = " +---+---+---+---+---+---+---+---+\n"
	var b strings.Builder
	b.WriteString("\n" + rule)
	for rank := 7; rank >= 0; rank-- {
		b.WriteByte(' ')
		for file := range 8 {
			b.WriteString("| " + cellText(p, rules.SquareAt(file, rank)))
		}
		fmt.Fprintf(&b, "| %d%s\n%s", rank+1, pocketText(p, rank), rule)
	}
	b.WriteString("   a   b   c   d   e   f   g   h\n\n")
	fmt.Fprintf(&b, "Fen: %s\nKey: %016X\nCheckers:", p.FEN(), p.Key())
	for set := p.Checkers(); set != 0; {
		b.WriteString(" " + set.Pop().String())
	}
	return b.String()
}

// cellText returns the letter of the piece on a square, with ~ if it is promoted, in two
// columns.
func cellText(p *rules.Position, s rules.Square) string {
	piece := p.PieceAt(s)
	switch {
	case piece == rules.NoPiece:
		return "  "
	case p.Promoted().Has(s):
		return string(piece.Letter()) + "~"
	}
	return string(piece.Letter()) + " "
}

// pocketText returns a side's pocket next to its back rank, else "".
func pocketText(p *rules.Position, rank int) string {
	var c rules.Color
	switch rank {
	case 0:
		c = rules.White
	case 7:
		c = rules.Black
	default:
		return ""
	}
	text := "  ["
	for t := rules.Queen; t >= rules.Pawn; t-- {
		text += strings.Repeat(string(rules.PieceOf(c, t).Letter()), p.Pocket(c).Count(t))
	}
	return text + "]"
}

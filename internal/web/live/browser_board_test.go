//go:build browser

package live_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// shownBoard is a board as displayed on the page.
type shownBoard struct {
	Ply    int
	Over   bool
	Pieces map[string]string // by square: colour and type, ~ if promoted
	Pocket [2]string         // White's and Black's, as for a screen reader
}

// readBoard is a script that reads the board in an element.
const readBoard = `(root => ({
	ply: Number(root.dataset.ply ?? -1),
	over: root.classList.contains("over"),
	pieces: Object.fromEntries([...root.querySelectorAll("[data-square]")].map(e => [e.dataset.square,
		e.classList[1] + " " + e.getAttribute("href").slice(7) + (e.nextElementSibling?.classList.contains("mark") ? "~" : "")])),
	pocket: ["white", "black"].map(c => root.querySelector(".pocket[aria-label^=" + c + "]").getAttribute("aria-label")),
}))`

func cardOf(id string) string { return fmt.Sprintf(`document.querySelector("[data-game=%s]")`, id) }

// boardAfter returns the board expected after some moves.
func boardAfter(t *testing.T, moves []string) (want shownBoard) {
	t.Helper()
	g := rulestest.Game(t, moves...)
	p := g.Position()
	want.Pieces = map[string]string{}
	for set := p.Occupied(); set != 0; {
		square := set.Pop()
		piece := p.PieceAt(square)
		name := piece.Color().String() + " " + strings.ToLower(string(piece.Type().Letter()))
		if p.Promoted().Has(square) {
			name += "~"
		}
		want.Pieces[square.String()] = name
	}
	for _, c := range []rules.Color{rules.White, rules.Black} {
		want.Pocket[c] = c.String() + " has in hand " + pocketText(p.Pocket(c))
	}
	return want
}

func pocketText(p rules.Pocket) string {
	var parts []string
	for t := rules.Pawn; t <= rules.Queen; t++ {
		switch n := p.Count(t); {
		case n == 1:
			parts = append(parts, "1 "+t.String())
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, t))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// check compares a board on the page with the game on the server.
func (got shownBoard) check(t *testing.T, moves []string) {
	t.Helper()
	want := boardAfter(t, moves)
	if fmt.Sprint(got.Pieces) != fmt.Sprint(want.Pieces) || got.Pocket != want.Pocket {
		t.Errorf("after %d moves (%v) the page shows\n%v %q, the server has\n%v %q", len(moves), moves, got.Pieces, got.Pocket, want.Pieces, want.Pocket)
	}
}

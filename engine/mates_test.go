package engine

import (
	"fmt"
	"strings"
	"testing"
)

// mates.epd is a suite of forced mates with drops from self-play, each line "FEN dm N;".
const matesFile = "testdata/mates.epd"

// mateNodes is enough for every mate of the suite.
const mateNodes = 300_000

// mate is a position in which the side to move mates in the given number of moves.
type mate struct {
	fen   string
	moves int
}

func readMates(t *testing.T) (suite []mate) {
	for _, line := range readLines(t, matesFile) {
		fen, moves, ok := strings.Cut(strings.TrimSuffix(line, ";"), " dm ")
		m := mate{fen: fen}
		if _, err := fmt.Sscan(moves, &m.moves); !ok || err != nil {
			t.Fatalf("%s: %q: want FEN dm N;", matesFile, line)
		}
		suite = append(suite, m)
	}
	return suite
}

// Each mate in N can be forced by checks alone. There is no mate in N-1, even with quiet
// moves, and none in N without a drop.
func TestMates_Suite(t *testing.T) {
	suite := readMates(t)
	if len(suite) < 30 {
		t.Errorf("%d mates, want at least 30", len(suite))
	}
	for _, m := range suite {
		t.Run(m.fen, func(t *testing.T) {
			t.Parallel()
			p := newGame(t, m.fen).Position()
			if !newProver(checksOnly).mates(p, m.moves) {
				t.Errorf("no mate in %d by checks", m.moves)
			}
			if newProver(anyMove).mates(p, m.moves-1) {
				t.Errorf("there is a mate in %d", m.moves-1)
			}
			if newProver(noDrops).mates(p, m.moves) {
				t.Errorf("there is a mate in %d without drops", m.moves)
			}
		})
	}
}

func TestSearch_FindsMates(t *testing.T) {
	for _, m := range readMates(t) {
		t.Run(m.fen, func(t *testing.T) {
			t.Parallel()
			g := newGame(t, m.fen)
			r := mustSearch(t, newTestEngine(), g, Limits{Nodes: mateNodes, Mate: m.moves})
			if moves, ok := r.Info.Score.MateIn(); !ok || moves != m.moves {
				t.Fatalf("after %d nodes %s scores %s, want mate %d", r.Info.Nodes, r.Move, r.Info.Score, m.moves)
			}
			next, err := g.Position().Play(r.Move)
			if err != nil {
				t.Fatal(err)
			}
			if !newProver(anyMove).mated(&next, m.moves-1) {
				t.Errorf("%s does not mate in %d", r.Move, m.moves)
			}
		})
	}
}

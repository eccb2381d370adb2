package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

// mates.epd is a suite of forced mates with drops from self-play, each line "FEN dm N;".
// To create a new one:
//
//	go test ./engine -run TestMates_Suite -update-mates
const matesFile = "testdata/mates.epd"

var updateMates = flag.Bool("update-mates", false, "recreate testdata/mates.epd from self-play")

// matesWanted is the number of mates of each length in the suite.
var matesWanted = [...]int{1: 4, 2: 8, 3: 9, 4: 9}

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
	if *updateMates {
		writeMates(t)
	}
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

// writeMates plays games until it has found enough mates, at most one per game. The prover
// finds them, not the engine, so that the suite includes mates that the engine misses.
func writeMates(t *testing.T) {
	openings := readLines(t, "testdata/openings.epd")
	missing := matesWanted
	lines := []string{"# Forced mates from self-play that need a drop, proved by TestMates_Suite: FEN dm N;"}
	for seed := uint64(0); sum(missing[:]) > 0; seed++ {
		rng := rand.New(rand.NewPCG(seed, 0))
		g := newGame(t, openings[rng.IntN(len(openings))])
		e := newTestEngine()
		for !g.Outcome(rules.Threefold).Over() && g.Ply() < longestGame {
			if moves := shortestMate(g.Position()); missing[moves] > 0 {
				missing[moves]--
				lines = append(lines, fmt.Sprintf("%s dm %d;", g.Position().FEN(), moves))
				t.Log(lines[len(lines)-1])
				break
			}
			r := mustSearch(t, e, g, Limits{Nodes: 500 + rng.Uint64N(1000)})
			if err := g.Play(r.Move); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(matesFile, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shortestMate returns the number of moves in which the side to move mates by checks, 0 if
// there is no such mate of a wanted length, if it needs no drop, or if quiet moves mate
// sooner.
func shortestMate(p *rules.Position) int {
	checks := newProver(checksOnly)
	for n := 1; n < len(matesWanted); n++ {
		if checks.mates(p, n) {
			if newProver(anyMove).mates(p, n-1) || newProver(noDrops).mates(p, n) {
				return 0
			}
			return n
		}
	}
	return 0
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

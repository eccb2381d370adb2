package engine

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/engine/nnue"
	"github.com/zhbot/zhbot/rules"
)

// At every node of a tree with null moves, the incremental score equals the one computed
// from scratch.
func TestWorker_NetworkMatchesRefresh(t *testing.T) {
	n := nnue.Default()
	e := New(Options{Threads: 1, HashMB: 1})
	for _, fen := range []string{
		rules.StartFEN,
		"r1b4r/ppp1kp1p/n1p2p2/4p3/P7/4PP2/2PNN2P/R3K2R[PNBQppbbq] w KQ - 1 14",
		"R~1bq1kB~1/p3p3/Rb1pP1Kb/1Ppp4/2n2qp1/8/1P3PP1/1NB3n~1[PPNRRnr] w - - 0 27",
	} {
		w := startWorker(e, newGame(t, fen), Limits{Nodes: 1})
		visited, compared := 0, 0
		var explore func(ply, depth int)
		explore = func(ply, depth int) {
			at := &w.stack[ply].pos
			if visited++; visited%2 == 0 { // leave some plies uncomputed
				if got, want := w.evaluate(ply), n.Evaluate(at); got != min(max(want, -mateBound+1), mateBound-1) {
					t.Fatalf("%s: %d, from scratch %d", at.FEN(), got, want)
				}
				compared++
			}
			if depth == 0 {
				return
			}
			if !at.InCheck() {
				w.makeNullMove(ply)
				explore(ply+1, depth-1)
			}
			for i, m := range at.LegalMoves() {
				if i%7 == depth%7 {
					w.makeMove(ply, m)
					explore(ply+1, depth-1)
				}
			}
		}
		explore(0, 3)
		if compared < 30 {
			t.Errorf("%s: compared only %d positions", fen, compared)
		}
	}
}

// A network changes the scores, and searches stay repeatable. None is the embedded one.
func TestEngine_NetworkIsUsedAndDeterministic(t *testing.T) {
	search := func(n *nnue.Network) Info {
		e := New(Options{Threads: 1, HashMB: 1, Network: n})
		r, err := e.Search(context.Background(), rules.NewGame(rules.StartPosition()), Limits{Nodes: 5000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Info
	}
	inTraining, err := filepath.Glob("train/*.constant.zhnn")
	if err != nil || len(inTraining) != 1 {
		t.Fatalf("networks in training: %v, %v, want one", inTraining, err)
	}
	n, err := OpenNetwork(inTraining[0])
	if err != nil {
		t.Fatal(err)
	}
	a, b, embedded := search(n), search(n), search(nil)
	if a.Score != b.Score || a.Nodes != b.Nodes {
		t.Errorf("scores %s and %s after %d and %d nodes", a.Score, b.Score, a.Nodes, b.Nodes)
	}
	if a.Score == embedded.Score {
		t.Errorf("score %s with both networks", a.Score)
	}
	if want := search(nnue.Default()); embedded.Score != want.Score || embedded.Nodes != want.Nodes {
		t.Errorf("without a network score %s after %d nodes, with the embedded one %s after %d",
			embedded.Score, embedded.Nodes, want.Score, want.Nodes)
	}
}

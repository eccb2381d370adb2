package uci

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestServer_CommandsWaitTheirTurn(t *testing.T) {
	g := newGUI(t)
	g.send("position fen "+dropMate, "go depth 3", "position fen "+mated, "go depth 3",
		"position startpos", "go depth 2", "go perft 2")
	if m := g.bestmove(dropMate); m != "N@f7" {
		t.Errorf("bestmove %s, want N@f7", m)
	}
	g.expect("info depth 0 score mate 0", "Nodes")
	g.expect(`bestmove \(none\)`, "Nodes")
	g.bestmove("")
	g.expect("Nodes searched: 400$")
}

// TestServer_StopInOrder checks that a stop also ends the searches queued before it.
func TestServer_StopInOrder(t *testing.T) {
	g := newGUI(t)
	g.send("go depth 100", "position fen "+quiet, "go depth 100", "stop")
	g.bestmove("")
	g.bestmove(quiet)
}

// TestServer_NewSearchEndsAnEndlessOne checks that a command which would wait for an
// endless search ends it.
func TestServer_NewSearchEndsAnEndlessOne(t *testing.T) {
	g := newGUI(t)
	g.send("go infinite", "position fen "+quiet, "go depth 3")
	g.bestmove("")
	g.bestmove(quiet)
}

func TestServer_EndsWithBestmove(t *testing.T) {
	for _, commands := range []string{
		"position startpos\ngo infinite\nquit\nnever read\n",
		"position startpos\ngo infinite", // the end of input ends an endless search
		"go depth 100\nquit\n",
		"go ponder wtime 1000 btime 1000\nquit\n",
	} {
		lines := runCommands(t, commands)
		if len(lines) == 0 || !strings.HasPrefix(lines[len(lines)-1], "bestmove ") {
			t.Errorf("%q: the last line is not bestmove: %q", commands, lines)
		}
	}
}

// What comes while a search runs waits for it, and the end of input waits for all of it: a
// script in a pipe gets what it asked for.
func TestServer_FinishesPipedCommands(t *testing.T) {
	var depths []string
	const commands = "go depth 6\nposition startpos moves e2e4\nsetoption name MultiPV value 2\n" +
		"go depth 5\nucinewgame\ngo depth 4"
	for _, line := range runCommands(t, commands) {
		words := strings.Fields(line)
		if words[0] == "info" && words[1] == "depth" {
			depths = append(depths, words[2])
		}
		if words[0] == "bestmove" {
			depths = append(depths, words[0])
		}
	}
	const want = "1 2 3 4 5 6 bestmove 1 2 3 4 5 bestmove 1 2 3 4 bestmove"
	if got := strings.Join(slices.Compact(depths), " "); got != want {
		t.Errorf("depths %s, want %s", got, want)
	}
}

// A script longer than the queue is read on when searches end.
func TestServer_LongScript(t *testing.T) {
	if n := countMoves(runCommands(t, strings.Repeat("position startpos\ngo nodes 1\n", maxQueued))); n != maxQueued {
		t.Errorf("%d searches were answered, want %d", n, maxQueued)
	}
}

// On quit nothing more is searched.
func TestServer_QuitDropsTheQueue(t *testing.T) {
	lines := runCommands(t, "go depth 100\nposition fen "+quiet+"\ngo depth 100\nquit\n")
	if n := countMoves(lines); n != 1 {
		t.Errorf("%d moves were found, want 1: %q", n, lines)
	}
}

// countMoves returns how many searches were answered.
func countMoves(lines []string) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, "bestmove ") {
			n++
		}
	}
	return n
}

// A search is ended if the input ends and nobody reads the output: the program that asked for
// it is gone.
func TestServer_EndOfInputWithoutReader(t *testing.T) {
	broken := errors.New("broken")
	if err := testServer.Run(t.Context(), strings.NewReader("go depth 100"),
		brokenWriter{"end of input", broken}); !errors.Is(err, broken) {
		t.Errorf("Run: %v", err)
	}
}

// TestServer_PerftStops checks that a long perft can be stopped.
func TestServer_PerftStops(t *testing.T) {
	g := newGUI(t)
	g.send("go perft 15", "isready")
	g.expect("readyok", "Nodes")
	g.send("stop")
	g.expect("info string perft stopped")
}

package uci

import (
	"strings"
	"testing"
)

// FuzzUCI sends arbitrary input: the server must neither crash nor hang, and must answer
// the isready at the end.
func FuzzUCI(f *testing.F) {
	for _, seed := range []string{
		"uci\nisready\nucinewgame\nposition startpos\ngo depth 2\nd\neval\nquit",
		"setoption name UCI_Variant value crazyhouse\nsetoption name UCI_AnalyseMode value true",
		"position startpos moves e2e4 e7e5 g1f3\ngo wtime 100 btime 100 winc 1 binc 1 movestogo 3",
		"position fen 6rk/6pp/8/8/8/8/8/K7[N] w - - 0 1 moves N@f7\ngo infinite\nstop",
		"position fen r3k2r/8/8/8/8/8/8/R3K2R/PNpq w KQkq - 0 1\ngo perft 2\ngo searchmoves e1g1 e1h1",
		"go ponder depth 1\nponderhit\nponderhit\nstop\ngo mate 1 nodes 10 movetime 1",
		"go perft 99\nposition\ngo\nstop\n\x00\r\n setoption name value",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, commands string) {
		if unbounded(commands) {
			return
		}
		var out strings.Builder
		in := strings.NewReader(commands + "\nstop\nisready\nstop\nquit\n")
		if err := testServer.Run(t.Context(), in, &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "readyok\n") && !quits(commands) {
			t.Errorf("no readyok in %q", out.String())
		}
	})
}

// unbounded reports whether the commands ask for more memory, threads or time than a
// fuzzer should use: behind a full queue, the server does not see the stop.
func unbounded(commands string) bool {
	if strings.Count(commands, "\n") > maxQueued/2 {
		return true
	}
	lower := strings.ToLower(commands)
	for _, word := range []string{"hash", "threads", "bench"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

func quits(commands string) bool {
	for line := range strings.Lines(commands) {
		if name, _ := splitCommand(line); name == "quit" {
			return true
		}
	}
	return false
}

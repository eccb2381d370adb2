package uci

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/file/filetest"
)

// TestServer_Perft compares go perft with the tables of package rules, as deep as a small
// number of nodes allows.
func TestServer_Perft(t *testing.T) {
	const most = 100_000
	table := filetest.Read(t, "../../rules/testdata/perft.epd")
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.TrimSpace(line), ";")
		fen := strings.TrimSpace(fields[0])
		for i := len(fields) - 1; i > 0; i-- {
			var depth int
			var want uint64
			if _, err := fmt.Sscanf(fields[i], "D%d %d", &depth, &want); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if want > most {
				continue
			}
			checkPerft(t, fen, depth, want)
			break
		}
	}
}

// checkPerft checks the sum, and the sum of the counts by move.
func checkPerft(t *testing.T, fen string, depth int, want uint64) {
	t.Helper()
	lines := runCommands(t, fmt.Sprintf("position fen %s\ngo perft %d\n", fen, depth))
	last := len(lines) - 1
	if end := fmt.Sprintf("Nodes searched: %d", want); last < 0 || lines[last] != end {
		t.Errorf("%s: perft %d ends %q, want %q", fen, depth, lines, end)
		return
	}
	var sum uint64
	for _, line := range lines[:last] {
		_, count, _ := strings.Cut(line, ": ")
		n, err := strconv.ParseUint(count, 10, 64)
		if err != nil {
			t.Fatalf("%s: perft line %q", fen, line)
		}
		sum += n
	}
	if sum != want {
		t.Errorf("%s: the counts by move sum up to %d, want %d", fen, sum, want)
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

package mover

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
)

// readNumbers returns the numbers in the first line of a file that matches.
func readNumbers(t *testing.T, file, pattern string) (numbers []int) {
	t.Helper()
	text := fixture.Read(t, file)
	found := regexp.MustCompile(`(?m)^` + pattern + `$`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no line %q in:\n%s", pattern, text)
	}
	for _, group := range found[1:] {
		n, err := strconv.Atoi(group)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

var clocks = engine.Limits{
	White: 100 * time.Second, WhiteInc: time.Second, Black: 50 * time.Second, BlackInc: 2 * time.Second,
	Overhead: 10 * time.Second, Nodes: 500,
}

// planning has the program plan its time.
func planning(e *config.Engine, _ *timing) { e.Clock = config.ProgramClock }

// A program that plans its time is told the clocks, its own without the overhead and what
// has passed.
func TestPool_ProgramClock(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "commands")
	p := openPool(t, "records:"+file, 1, planning)
	if _, err := p.Search(t.Context(), "a", fixture.Game(t), clocks, time.Second, nil); err != nil {
		t.Fatal(err)
	}
	n := readNumbers(t, file, `go wtime (\d+) btime 50000 winc 1000 binc 2000 nodes 500`)
	if n[0] > 90_000 || n[0] < 60_000 {
		t.Errorf("it was told %d ms of 90 s", n[0])
	}
}

// One that does not move is stopped before the flag falls, and given up on if it does not
// answer.
func TestPool_ProgramClockOverrun(t *testing.T) {
	t.Parallel()
	p := openPool(t, "hang", 1, planning)
	l := engine.Limits{White: 300 * time.Millisecond, Black: time.Hour, Overhead: 100 * time.Millisecond}
	_, err := p.Search(t.Context(), "a", fixture.Game(t), l, 50*time.Millisecond, nil)
	if !errors.Is(err, errLate) {
		t.Errorf("error %v, want %v", err, errLate)
	}
}

// A program that speaks xboard's protocol plays on after moves were taken back.
func TestPool_XBoard(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "commands")
	p := openPool(t, "xboard:"+file, 1, planning, func(e *config.Engine, _ *timing) { e.Protocol = config.XBoard })
	for _, moves := range []string{"", "e2e4 e7e5", "e2e4 e7e5 g1f3 b8c6", "e2e4 e7e5", "e2e4 e7e5 f1c4 g8f6"} {
		g := fixture.Game(t, strings.Fields(moves)...)
		r, err := p.Search(t.Context(), "a", g, clocks, time.Second, nil)
		if err != nil || r.Move != g.Position().LegalMoves()[0] {
			t.Fatalf("after %q: %+v, %v", moves, r, err)
		}
	}
	if n := len(p.starts()); n != 1 {
		t.Errorf("%d processes were started", n)
	}
	readNumbers(t, file, `otim 5000`)
	if n := readNumbers(t, file, `time (\d+)`); n[0] > 9_000 || n[0] < 6_000 {
		t.Errorf("it was told %d of 9,000 hundredths", n[0])
	}
	if _, err := p.Search(t.Context(), "a", fixture.Game(t), engine.Limits{Ponder: true}, 0, nil); !errors.Is(err,
		errNoPondering) {
		t.Errorf("pondering: %v", err)
	}
	p.EndGame("a")
	if _, err := p.Search(t.Context(), "b", fixture.Game(t), engine.Limits{MoveTime: 2500 * time.Millisecond},
		time.Second, nil); err != nil {
		t.Errorf("without clocks: %v", err)
	}
	readNumbers(t, file, "st 2")
}

package selfplay

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/enginetest"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

func smallOptions() Options {
	o := DefaultOptions()
	o.Nodes, o.HashMB, o.Plies, o.Seed = 100, 1, 400, 7
	return o
}

// generateGames plays games into a new file and reads them.
func generateGames(t *testing.T, o Options) []*Game {
	t.Helper()
	return writtenGames(t, o.Recipe, func(w *Writer, _ int) error {
		_, err := Generate(context.Background(), o, w, nil)
		return err
	})
}

// writtenGames reads the games that a function writes into a new file.
func writtenGames(t *testing.T, r Recipe, write func(*Writer, int) error) []*Game {
	t.Helper()
	path := filepath.Join(t.TempDir(), "games")
	writeFile(t, path, r, write)
	games, err := readGames(path)
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// Games depend only on the seed and the options, not on the number of workers or on
// interruptions.
func TestGenerate_IsRepeatable(t *testing.T) {
	o := smallOptions()
	o.Workers = 1
	want := generateGames(t, o)
	o.Workers = 3
	if diff := cmp.Diff(want, generateGames(t, o)); diff != "" {
		t.Errorf("three workers play other games: %s", diff)
	}
	o.Skip, o.Plies = 3, 1
	if got := generateGames(t, o); !cmp.Equal(got[0], want[3]) {
		t.Error("the fourth game differs when the first three are left out")
	}
	o.Skip, o.Seed = 0, 8
	if got := generateGames(t, o); slices.Equal(got[0].Opening, want[0].Opening) {
		t.Error("another seed plays the same opening")
	}
}

func TestGenerate_Openings(t *testing.T) {
	o := smallOptions()
	o.Plies = 1000
	for i, g := range generateGames(t, o) {
		n := len(g.Opening)
		if searched := i%2 == 1; !searched && (n < 8 || n > 10) || searched && n != 8 && n != 9 {
			t.Errorf("game %d: an opening of %d plies, want 8 to 10 random ones, or 2 or 3 and 6", i+1, n)
		}
	}
}

// A fifth of the games begin with a part of a book's line, and go on in different ways.
func TestGenerate_LineOpenings(t *testing.T) {
	o := smallOptions()
	o.Plies, o.LineOpenings = 1500, 0.2
	o.Lines = enginetest.BookTable(t, "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5")
	line := fixture.Game(t, "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5").Moves()
	var seen []string
	for i, g := range generateGames(t, o) {
		if (i+1)%5 != 0 {
			continue
		}
		known := len(g.Opening) - 1 - searchedPlies
		if known < minLine || !slices.Equal(g.Opening[:known], line[:known]) {
			t.Errorf("game %d: opening %v", i+1, g.Opening)
		}
		seen = append(seen, fmt.Sprint(g.Opening))
	}
	if n := len(seen); n < 3 || len(slices.Compact(slices.Sorted(slices.Values(seen)))) < 2 {
		t.Errorf("openings from the line: %q", seen)
	}
}

func TestGoodMoves(t *testing.T) {
	pos := fixture.Position(t, "rnb1kbnr/ppp1pppp/8/3q4/4P3/8/PPPP1PPP/RNBQKBNR/ w KQkq - 0 1")
	p := newPlayer(smallOptions())
	moves, err := p.nearBestMoves(context.Background(), rules.NewGame(pos), maxMargin)
	if err != nil || len(moves) != 1 || moves[0].String() != "e4d5" {
		t.Errorf("%v, %v, want only the capture of the queen", moves, err)
	}
}

func TestWithinMargin(t *testing.T) {
	line := func(score engine.Score, to rules.Square) engine.Info {
		return engine.Info{Score: score, PV: []rules.Move{rules.NewMove(0, to)}}
	}
	lines := []engine.Info{line(30, 1), line(-70, 2), line(-71, 3), line(engine.MateScore(-2), 4)}
	want := []rules.Move{rules.NewMove(0, 1), rules.NewMove(0, 2)}
	if got := withinMargin(lines, 100); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestInShare(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.5, 0.75, 1} {
		searched := 0
		for n := range uint64(1000) {
			if inShare(n+1, share) {
				searched++
			}
			if want := share * float64(n+1); math.Abs(float64(searched)-want) > 1 {
				t.Fatalf("share %g: %d of the first %d games", share, searched, n+1)
			}
		}
	}
}

// Games are written in the order of their numbers, whichever finishes first.
func TestCollector_Order(t *testing.T) {
	games := writtenGames(t, Recipe{}, func(w *Writer, _ int) error {
		c := &collector{writer: w, plies: 1, next: 5, waiting: map[int]*Game{}}
		for _, n := range []int{6, 5, 9, 7} { // 8 was abandoned
			if err := c.add(n, &Game{Opening: make([]rules.Move, n), Result: rules.Draw}); err != nil {
				return err
			}
		}
		return nil
	})
	var got []int
	for _, g := range games {
		got = append(got, len(g.Opening))
	}
	if want := []int{5, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("games %v, want %v", got, want)
	}
}

// Nothing is written after an error, which would leave a damaged block in the middle.
func TestCollector_StopsAtErrors(t *testing.T) {
	w, _, _, err := OpenWriter(filepath.Join(t.TempDir(), "games"), Recipe{})
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{writer: w, plies: 1, next: 1, waiting: map[int]*Game{}}
	bad := &Game{Opening: []rules.Move{0xffff}, Result: rules.Draw}
	if err := c.add(1, bad); err == nil {
		t.Error("a bad move is written")
	}
	if err := c.add(2, &Game{Result: rules.Draw}); err == nil || c.progress.Games != 0 {
		t.Errorf("%d games are written after an error, %v", c.progress.Games, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// However few nodes a game's moves have, its opening chooses among several moves.
func TestNearBestMoves_FewNodes(t *testing.T) {
	o := smallOptions()
	o.Nodes = 20
	moves, err := newPlayer(o).nearBestMoves(t.Context(), rules.NewGame(rules.StartPosition()), maxMargin)
	if err != nil || len(moves) < 2 {
		t.Errorf("%v, %v, want several moves", moves, err)
	}
}

func TestLeader(t *testing.T) {
	for score, want := range map[int]rules.Result{
		winScore: rules.Draw, winScore + 1: rules.WhiteWins, -winScore: rules.Draw, -winScore - 1: rules.BlackWins,
	} {
		if got := leader(score); got != want {
			t.Errorf("%d: %s, want %s", score, got, want)
		}
	}
}

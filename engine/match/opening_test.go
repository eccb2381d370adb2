package match

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

func TestReadOpenings(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"\ufeff# FEN, EPD, FEN with moves, and chess.com's FEN with the pockets at its end",
		"",
		"r1bqkbnr/pppp2pp/n3p3/5p2/1P6/N2P4/P1P1PPPP/R1BQKBNR[] w KQkq - 2 4",
		"r1bqk1nr/pppppp1p/n5pb/8/5P2/8/PPP1PKPP/RNBQ1BNR[P] w kq - id \"x\"; bm e4;",
		"r1bqkbnr/pppp2pp/n3p3/5p2/1P6/N2P4/P1P1PPPP/R1BQKBNR[] w KQkq - 2 4\t-30\tb2b4 e7e6 d2d3 f7f5 b1a3 b8a6",
		"r1bqk1nr/pppppp1p/n5pb/8/5P2/8/PPP1PKPP/RNBQ1BNR w kq - 0 4 P",
	}, "\n")
	openings, err := ReadOpenings(strings.NewReader(text), failing(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(openings) != 4 || openings[0].Ply() != 0 || openings[2].Ply() != 6 {
		t.Fatalf("read %d openings", len(openings))
	}
	if openings[0].Position().Key() != openings[2].Position().Key() {
		t.Error("a position is another one with its moves than without")
	}
	for _, i := range []int{1, 3} {
		if !openings[i].Position().Pocket(rules.White).Has(rules.Pawn) {
			t.Errorf("opening %d has lost its pocket", i+1)
		}
	}
}

// failing fails the test with what is wrong in openings.
func failing(t testing.TB) func(error) { return func(err error) { t.Error(err) } }

// The games of a PGN are openings, with all their moves.
func TestReadOpenings_PGN(t *testing.T) {
	t.Parallel()
	const text = "\ufeff\n[Variant \"Crazyhouse\"]\n\n1. e4 e5 2. Nf3 *\n\n[Variant \"Standard\"]\n\n1. d4 *\n\n" +
		"[Event \"crazyhouse\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R[] w KQ - 0 1\"]\n\n1. O-O *\n"
	var warnings []string
	openings, err := ReadOpenings(strings.NewReader(text), func(err error) { warnings = append(warnings, err.Error()) })
	if err != nil || len(openings) != 2 || openings[0].Ply() != 3 || openings[1].Ply() != 1 || len(warnings) != 2 {
		t.Errorf("openings %v, %v, warnings %q", openings, err, warnings)
	}
}

func TestReadOpenings_errors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                 "no openings",
		"# only a comment": "no openings",
		"\nrubbish":        "line 2",
		"r1bqk1nr/pppppp1p/n5pb/8/5P2/8/PPP1PKPP/RNBQ1BNR w kq - 0 4 PX":      "character 2 'X' is not a piece",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1\t0\te2e5": "e2e5",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1\t0\te2e4": "lead to",
		"k1K5/1Q6/8/8/8/8/8/8[] b - - 0 1":                                    "the game is over there: checkmate",
		"[Event \"crazyhouse\"]\n\n1. f3 e5 2. g4 Qh4# 0-1":                   "the game is over there: checkmate",
		strings.Repeat("x", 1<<17):                                            "too long",
	} {
		if _, err := ReadOpenings(strings.NewReader(text), failing(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadOpenings(%.60q) returned %v, want %q", text, err, want)
		}
	}
}

// Of openings that transpose into each other the first one is left.
func TestDistinct(t *testing.T) {
	t.Parallel()
	var openings []*rules.Game
	for _, moves := range []string{"g1f3 g8f6 b1c3", "e2e4", "b1c3 g8f6 g1f3", "e2e4", "e2e4 e7e5"} {
		openings = append(openings, fixture.Game(t, moves))
	}
	want := []*rules.Game{openings[0], openings[1], openings[4]}
	if got := Distinct(openings); !slices.Equal(got, want) {
		t.Errorf("%d openings are left, want the first, second and last", len(got))
	}
}

func TestShuffled(t *testing.T) {
	t.Parallel()
	openings := testOpenings(t)
	first, again, other := Shuffled(openings, 1), Shuffled(openings, 1), Shuffled(openings, 2)
	seen, same := map[uint64]bool{}, 0
	for pair := range openings {
		a, _ := first(t.Context(), pair)
		b, _ := again(t.Context(), pair+len(openings))
		c, _ := other(t.Context(), pair)
		if a != b {
			t.Errorf("pair %d: the same seed gave two openings", pair)
		}
		if a == c {
			same++
		}
		seen[a.Position().Key()] = true
	}
	if len(seen) != len(openings) || same > len(openings)/2 {
		t.Errorf("%d of %d openings came, %d in the same place with another seed", len(seen), len(openings), same)
	}
}

func TestRandomOpenings(t *testing.T) {
	t.Parallel()
	seen := map[uint64]bool{}
	for pair := range 3 {
		var positions [2]*rules.Position
		for i := range positions { // repeatable
			g, err := RandomOpenings(7)(t.Context(), pair)
			if err != nil || g.Ply() != randomPlies {
				t.Fatalf("pair %d: %v", pair, err)
			}
			positions[i] = g.Position()
		}
		e, g := engine.New(engine.Options{Threads: 1, HashMB: 1}), rules.NewGame(*positions[0])
		r, err := e.Search(t.Context(), g, engine.Limits{Nodes: balanceNodes}, nil)
		if err != nil || r.Info.Score > balancedScore || r.Info.Score < -balancedScore ||
			*positions[0] != *positions[1] {
			t.Errorf("pair %d: %s, and again %s; score %d, %v",
				pair, positions[0].FEN(), positions[1].FEN(), r.Info.Score, err)
		}
		seen[positions[0].Key()] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 pairs have %d openings", len(seen))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := RandomOpenings(7)(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search for an opening returned %v", err)
	}
}

func FuzzParseOpening(f *testing.F) {
	f.Add("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1\t0\te2e4")
	f.Add("k7/8/K7/8/8/8/8/8[q] w - - bm a6a7;")
	f.Fuzz(func(t *testing.T, line string) {
		if g, err := parseOpening(line, func(error) {}); err == nil && !g.Position().HasLegalMove() {
			t.Errorf("%q is an opening without moves", line)
		}
	})
}

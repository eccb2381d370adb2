package pgn

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// randomGame plays random moves from a position, with annotations on some.
func randomGame(rng *rand.Rand, start rules.Position) *Game {
	g := &Game{
		Tags:  []Tag{{"Event", `Casual "blitz" game \o/`}, {"White", "Ünïcode"}, {"Variant", "Crazyhouse"}},
		Start: start, Result: rules.Result(rng.IntN(4)),
	}
	p := start
	for range rng.IntN(200) {
		moves := p.LegalMoves()
		if len(moves) == 0 {
			break
		}
		m := Move{Move: moves[rng.IntN(len(moves))]}
		if rng.IntN(2) == 0 {
			m.Clock, m.HasClock = time.Duration(rng.IntN(100000))*100*time.Millisecond, true
		}
		switch rng.IntN(4) {
		case 0:
			m.Eval = Eval{Known: true, Score: Score{Centipawns: rng.IntN(4000) - 2000}, Depth: rng.IntN(20)}
		case 1:
			m.Eval = Eval{Known: true, Score: Score{Mate: rng.IntN(9) + 1}}
		}
		if rng.IntN(8) == 0 {
			m.NAG, m.Symbols = NAG(rng.IntN(7)), []NAG{NAG(7 + rng.IntN(249))}
		}
		if rng.IntN(8) == 0 {
			m.Comment = "a fine move"
		}
		g.Moves = append(g.Moves, m)
		p = p.After(m.Move)
	}
	return g
}

// 150 games with drops, promotions and castling are read back as written.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	custom := fixture.Position(t, "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R[PNBRQpnbrq] b KQkq - 3 17")
	var want []*Game
	var text bytes.Buffer
	for i := range 150 {
		start := rules.StartPosition()
		if i%5 == 0 {
			start = custom
		}
		g := randomGame(rng, start)
		text.WriteString(g.String())
		if i%5 == 0 {
			g.Tags = append(g.Tags, Tag{"FEN", start.FEN()}, Tag{"SetUp", "1"})
		}
		want = append(want, g)
	}
	got := readAll(t, &text)
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b rules.Position) bool { return a == b })); diff != "" {
		t.Error(diff[:min(len(diff), 2000)])
	}
}

// FuzzReader: nothing makes the reader hang or panic, and what it has read is
// written and read back the same.
func FuzzReader(f *testing.F) {
	f.Add("[Event \"x\"]\n\n1. e4 { [%clk 0:03:00] } e5 (1... d5) 2. Nf3 $1 1-0\n")
	f.Add("1. e4 d5 2. exd5 Qxd5 3. P@e4 { [%eval #-3,5] } *")
	f.Add("[\"a \"b\"]\n\n*")                   // a name with a quote
	f.Add("[ \"\"]\n[Variant \"\"]\n\n1. P@e4") // crazyhouse by a drop that is illegal
	f.Add("[FEN \"4k3/8/8/8/8/8/8/4K3[Nn] w - - 0 1\"]\n\n1. N@f6+ Kf7")
	f.Fuzz(func(t *testing.T, text string) {
		in := NewReader(strings.NewReader(text))
		for range len(text) + 2 {
			g, err := in.Next()
			if err == io.EOF {
				return
			}
			if _, bad := errors.AsType[*GameError](err); err != nil && !bad {
				t.Fatal(err)
			}
			if err == nil {
				checkRoundTrip(t, g)
			}
		}
		t.Fatal("more games than bytes")
	})
}

func checkRoundTrip(t *testing.T, g *Game) {
	t.Helper()
	text := g.String()
	again, err := NewReader(strings.NewReader(text)).Next()
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if len(again.Moves) != len(g.Moves) || again.Result != g.Result || again.Start != g.Start {
		t.Fatalf("%q: read back with %d moves, want %d", text, len(again.Moves), len(g.Moves))
	}
	for i := range g.Moves {
		if again.Moves[i].Move != g.Moves[i].Move {
			t.Fatalf("%q: move %d read back as %s", text, i, again.Moves[i].Move)
		}
	}
}

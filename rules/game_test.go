package rules

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func play(tb testing.TB, fen, moves string) *Game {
	tb.Helper()
	g := NewGame(mustPosition(tb, fen))
	if err := g.PlayUCI(strings.Fields(moves)...); err != nil {
		tb.Fatal(err)
	}
	return g
}

func TestGame_Outcome(t *testing.T) {
	const shuffle = "g1f3 g8f6 f3g1 f6g8 "
	for _, tt := range []struct {
		name, fen, moves string
		limit            RepetitionLimit
		want             Termination
		result           string
	}{
		{"in progress", StartFEN, "e2e4", Threefold, Ongoing, "*"},
		{"drop mate", StartFEN, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 b1c3 c5f8 c4f7 e8f7 f3g5 f7g8 P@f7",
			Threefold, Checkmate, "1-0"},
		{"Black mates", StartFEN, "f2f3 e7e5 g2g4 d8h4", Threefold, Checkmate, "0-1"},
		{"mate that a drop would stop", "6rk/5Npp/8/8/8/8/8/4K3/ b - - 0 1", "", Threefold, Checkmate, "1-0"},
		{"no mate: a drop in between", "k6R/8/1K6/8/8/8/8/8/n b - - 0 1", "", Threefold, Ongoing, "*"},
		{"stalemate", "7k/5Q2/6K1/8/8/8/8/8/ b - - 0 1", "", Threefold, Stalemate, "1/2-1/2"},
		{"no stalemate: a drop", "7k/5Q2/6K1/8/8/8/8/8/p b - - 0 1", "", Threefold, Ongoing, "*"},
		{"twice", StartFEN, shuffle, Threefold, Ongoing, "*"},
		{"three times", StartFEN, shuffle + shuffle, Threefold, ThreefoldRepetition, "1/2-1/2"},
		{"three times among humans", StartFEN, shuffle + shuffle, Fivefold, Ongoing, "*"},
		{"five times", StartFEN, shuffle + shuffle + shuffle + shuffle, Fivefold, FivefoldRepetition, "1/2-1/2"},
		{"bare kings play on", "4k3/8/8/8/8/8/8/4K3/ w - - 0 1", "", Threefold, Ongoing, "*"},
		{"no fifty-move rule", "4k3/8/8/8/8/8/8/4K2R/ w - - 200 150", "", Threefold, Ongoing, "*"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := play(t, tt.fen, tt.moves).Outcome(tt.limit)
			if got.Termination != tt.want || got.Result().String() != tt.result || got.Over() != (tt.want != Ongoing) {
				t.Errorf("%s, %s; want %s, %s", got.Termination, got.Result(), tt.want, tt.result)
			}
		})
	}
}

// Pockets and promoted marks are part of a position's identity; a capture or a
// pawn move does not end the count, castling does.
func TestGame_Repetitions(t *testing.T) {
	t.Run("pockets differ", func(t *testing.T) {
		// The same pieces on the board, but a knight was traded for a drop.
		a := mustPosition(t, "4k3/8/8/8/8/8/8/4K2N/n w - - 0 1")
		b := mustPosition(t, "4k3/8/8/8/8/8/8/4K2N/nn w - - 0 1")
		if a.Key() == b.Key() {
			t.Error("the key ignores the pocket")
		}
	})
	t.Run("promoted marks differ", func(t *testing.T) {
		a := mustPosition(t, "4k3/8/8/8/8/8/8/4K2Q/ w - - 0 1")
		b := mustPosition(t, "4k3/8/8/8/8/8/8/4K2Q~/ w - - 0 1")
		if a.Key() == b.Key() {
			t.Error("the key ignores the mark")
		}
	})
	t.Run("across captures and drops", func(t *testing.T) {
		// Two knights are traded and dropped where they stood: the same
		// position again, after moves that chess calls irreversible.
		g := play(t, "4k3/8/8/r2n4/8/2N5/8/4K3/ w - - 0 1", "c3d5 a5d5 N@c3 d5a5 e1f1 N@d5 f1f2 e8f8 f2e1 f8e8")
		if g.Repetitions() != 2 {
			t.Errorf("%d repetitions, want 2", g.Repetitions())
		}
	})
	t.Run("castling clears", func(t *testing.T) {
		g := play(t, "4k3/8/8/8/8/8/8/4K2R/ w K - 0 1", "h1g1 e8d8 g1h1 d8e8")
		if len(g.Keys()) != 4 {
			t.Errorf("%d earlier positions, want 4", len(g.Keys()))
		}
		g = play(t, "4k3/8/8/8/8/8/8/4K2R/ w K - 0 1", "e1g1 e8d8")
		if len(g.Keys()) != 1 {
			t.Errorf("%d positions since castling, want 1", len(g.Keys()))
		}
	})
}

func TestGame_TooLong(t *testing.T) {
	g := NewGame(StartPosition())
	shuffle := strings.Fields("g1f3 g8f6 f3g1 f6g8")
	for g.Ply() < 600 {
		if err := g.PlayUCI(shuffle[g.Ply()%4]); err != nil {
			t.Fatal(err)
		}
	}
	g.repetitionStart = len(g.keys) - 1 // leave repetition out of it
	if o := g.Outcome(Fivefold); o.Over() {
		t.Errorf("after 600 plies: %s", o.Termination)
	}
	if err := g.PlayUCI(shuffle[0]); err != nil {
		t.Fatal(err)
	}
	g.repetitionStart = len(g.keys) - 1
	if o := g.Outcome(Fivefold); o.Termination != TooLong || o.Result() != Draw {
		t.Errorf("after 601 plies: %s, %s", o.Termination, o.Result())
	}
}

func TestGame_PlayErrors(t *testing.T) {
	g := NewGame(StartPosition())
	err := g.PlayUCI("e2e4", "e7e5", "e4e5")
	if !errors.Is(err, ErrIllegalMove) || !strings.HasPrefix(err.Error(), "ply 3: ") || g.Ply() != 2 {
		t.Errorf("error %v after %d plies", err, g.Ply())
	}
	if err := g.Play(NewDrop(Knight, 20)); !errors.Is(err, ErrIllegalMove) || g.Ply() != 2 {
		t.Errorf("error %v after %d plies", err, g.Ply())
	}
}

func TestGame_TakeBackAndClone(t *testing.T) {
	g := play(t, StartFEN, "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 P@e4")
	c := g.Clone()
	g.TakeBack(3)
	if want := play(t, StartFEN, "e2e4 d7d5 e4d5 d8d5"); *g.Position() != *want.Position() ||
		len(g.Keys()) != len(want.Keys()) {
		t.Errorf("after taking back: %s", g.Position().FEN())
	}
	if p := c.PositionAt(4); p != *g.Position() {
		t.Errorf("after four plies: %s", p.FEN())
	}
	if err := g.PlayUCI("a2a3"); err != nil {
		t.Fatal(err)
	}
	if c.Ply() != 7 || c.Moves()[4].String() != "b1c3" || c.Position().Pocket(White).Has(Pawn) {
		t.Errorf("the clone changed: %v", c.Moves())
	}
	g.TakeBack(100)
	if g.Ply() != 0 || *g.Position() != StartPosition() || *g.Start() != StartPosition() {
		t.Errorf("all taken back: %s", g.Position().FEN())
	}
}

// The sample game of the server's contract ends in the FEN that it shows.
func TestGame_LichessSample(t *testing.T) {
	g := play(t, StartFEN, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 b1c3 c5f8 c4f7 e8f7 f3g5 f7g8 P@f7")
	const want = "r1bq1bkr/pppp1Ppp/2n2n2/4p1N1/4P3/2N5/PPPP1PPP/R1BQ1RK1/b b - - 0 8"
	if got := g.Position().FEN(); got != want {
		t.Errorf("FEN %s, want %s", got, want)
	}
}

// A result as text, its points for White, and from both points of view.
func TestResult(t *testing.T) {
	for r, want := range map[Result]string{
		NoResult: "* 0 none none", WhiteWins: "1-0 1 win loss", BlackWins: "0-1 0 loss win",
		Draw: "1/2-1/2 0.5 draw draw",
	} {
		text, err := r.MarshalText()
		if got := fmt.Sprintf("%s %v %s %s", text, r.Points(White), r.For(White), r.For(Black)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		var again Result
		if err != nil || again.UnmarshalText(text) != nil || again != r {
			t.Errorf("%s: %v, read back as %s", text, err, again)
		}
	}
	if err := new(Result).UnmarshalText([]byte("1-1")); err == nil {
		t.Error("1-1 was taken as a result")
	}
}

// What a move is, and what a position says of it before it is played.
func TestPosition_Moves(t *testing.T) {
	p := mustPosition(t, "r3k2r/1P6/8/3pP3/4B3/8/8/R3K2R[NP] w KQkq d6 0 1")
	for uci, want := range map[string]string{
		"e4d5":  "moves a bishop, captures a pawn true, becomes none false, drops none false, castles false",
		"e5d6":  "moves a pawn, captures a pawn true, becomes none false, drops none false, castles false",
		"b7a8n": "moves a pawn, captures a rook true, becomes knight true, drops none false, castles false",
		"b7b8q": "moves a pawn, captures a none false, becomes queen true, drops none false, castles false",
		"e1h1":  "moves a king, captures a none false, becomes none false, drops none false, castles true",
		"N@c7":  "moves a knight, captures a none false, becomes none false, drops knight true, castles false",
		"P@h7":  "moves a pawn, captures a none false, becomes none false, drops pawn true, castles false",
	} {
		m, err := p.ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("moves a %s, captures a %s %t, becomes %s %t, drops %s %t, castles %t", p.Moved(m),
			p.Captured(m), p.IsCapture(m), m.Promotion(), m.IsPromotion(), m.Dropped(), m.IsDrop(), p.IsCastling(m))
		if got != want {
			t.Errorf("%s %s, want %s", m, got, want)
		}
		if next, err := p.Play(m); err != nil || next != p.After(m) {
			t.Errorf("%s: played, %v", m, err)
		}
	}
	if NoMove.String() != "0000" || p.Castling() != 15 || p.EnPassant().String() != "d6" {
		t.Errorf("no move is %s, rights %b, en passant %s", NoMove, p.Castling(), p.EnPassant())
	}
	if _, err := p.Play(NoMove); !errors.Is(err, ErrIllegalMove) {
		t.Errorf("no move: %v", err)
	}
}

func TestPosition_PlayNullInto(t *testing.T) {
	p, next := mustPosition(t, "4k3/8/8/8/3pP3/8/8/4K3[N] b - e3 3 7"), Position{}
	p.PlayNullInto(&next)
	if want := mustPosition(t, "4k3/8/8/8/3pP3/8/8/4K3[N] w - - 4 8"); next != want {
		t.Errorf("%s, want %s", next.FEN(), want.FEN())
	}
}

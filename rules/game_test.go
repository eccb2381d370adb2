package rules

import (
	"errors"
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
		{"drop mate", StartFEN, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 g8f6 b1c3 c5f8 c4f7 e8f7 f3g5 f7g8 P@f7", Threefold, Checkmate, "1-0"},
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
	if want := play(t, StartFEN, "e2e4 d7d5 e4d5 d8d5"); *g.Position() != *want.Position() || len(g.Keys()) != len(want.Keys()) {
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

func TestResult(t *testing.T) {
	for _, tt := range []struct {
		r     Result
		text  string
		white float64
		side  [2]string // the result from White's view and from Black's
	}{
		{NoResult, "*", 0, [2]string{"none", "none"}},
		{WhiteWins, "1-0", 1, [2]string{"win", "loss"}},
		{BlackWins, "0-1", 0, [2]string{"loss", "win"}},
		{Draw, "1/2-1/2", 0.5, [2]string{"draw", "draw"}},
	} {
		text, err := tt.r.MarshalText()
		var again Result
		if err != nil || string(text) != tt.text || again.UnmarshalText(text) != nil || again != tt.r {
			t.Errorf("%s: written as %q, %v, read back as %s", tt.text, text, err, again)
		}
		if tt.r.Points(White) != tt.white || tt.r.For(White) != tt.side[White] || tt.r.For(Black) != tt.side[Black] {
			t.Errorf("%s: %v points for White, %s and %s", tt.text, tt.r.Points(White), tt.r.For(White), tt.r.For(Black))
		}
	}
	if err := new(Result).UnmarshalText([]byte("1-1")); err == nil {
		t.Error("1-1 was taken as a result")
	}
}

// What a move is, and what a position says of it before it is played.
func TestPosition_Moves(t *testing.T) {
	p := mustPosition(t, "r3k2r/1P6/8/3pP3/4B3/8/8/R3K2R[NP] w KQkq d6 0 1")
	for _, tt := range []struct {
		uci                                string
		moved, captured, promoted, dropped PieceType
		castles                            bool
	}{
		{"e4d5", Bishop, Pawn, NoPieceType, NoPieceType, false},
		{"e5d6", Pawn, Pawn, NoPieceType, NoPieceType, false},
		{"b7a8n", Pawn, Rook, Knight, NoPieceType, false},
		{"b7b8q", Pawn, NoPieceType, Queen, NoPieceType, false},
		{"e1h1", King, NoPieceType, NoPieceType, NoPieceType, true},
		{"N@c7", Knight, NoPieceType, NoPieceType, Knight, false},
		{"P@h7", Pawn, NoPieceType, NoPieceType, Pawn, false},
	} {
		m, err := p.ParseUCI(tt.uci)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Moved(m) != tt.moved || p.Captured(m) != tt.captured || p.IsCapture(m) != (tt.captured != NoPieceType) || p.IsCastling(m) != tt.castles {
			t.Errorf("%s: moves a %s, captures a %s, %v, castles %v", m, p.Moved(m), p.Captured(m), p.IsCapture(m), p.IsCastling(m))
		}
		if m.Promotion() != tt.promoted || m.IsPromotion() != (tt.promoted != NoPieceType) || m.Dropped() != tt.dropped || m.IsDrop() != (tt.dropped != NoPieceType) {
			t.Errorf("%s: becomes a %s, drops a %s", m, m.Promotion(), m.Dropped())
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

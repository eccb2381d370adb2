package rules

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// walk plays random games and visits each position with the move that follows.
func walk(tb testing.TB, seed uint64, games, plies int, visit func(p *Position, m Move)) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range games {
		p := StartPosition()
		for range plies {
			moves := p.LegalMoves()
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			visit(&p, m)
			p = p.After(m)
		}
	}
}

func TestParseFEN_Notations(t *testing.T) {
	const want = "r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR/Pp w KQkq - 0 7"
	for _, fen := range []string{
		want,
		"r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR[Pp] w KQkq - 0 7",
		"r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR[pP] w KQkq - 0 7",
		"r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR w KQkq - 0 7 Pp",
		"r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR/pP w QKqk - 0 7",
		"r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR/pP w HAha - 0 7",
		"  r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR/pP  w KQkq -  0 7 ",
	} {
		p, err := ParseFEN(fen)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.FEN(); got != want {
			t.Errorf("%s: written as %s", fen, got)
		}
	}
}

// chess.com names the squares of promoted pieces in a field of their own.
func TestParseFEN_PromotedSquares(t *testing.T) {
	const board = "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q3q"
	for _, tt := range []struct{ fields, want string }{
		{"w - - 0 26 NNBRpr h1", "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q3q~/NNBRpr w - - 0 26"},
		{"w - - 0 26 NNBRpr -", "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q3q/NNBRpr w - - 0 26"},
		{"w - - 0 26 NNBRpr", "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q3q/NNBRpr w - - 0 26"},
		{"w - - 0 26 - h1", "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q3q~/ w - - 0 26"},
		{"w - - - h1", "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q3q~/ w - - 0 1"},
		{"w - - 0 26 NB d1h1", "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q~3q~/NB w - - 0 26"},
		{"w - - 0 26 NB h1,d1,a4", "r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B~6B/2N2NPp/1PP2P1K/3Q~3q~/NB w - - 0 26"},
	} {
		p, err := ParseFEN(board + " " + tt.fields)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.FEN(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.fields, got, tt.want)
		}
	}
	p, err := ParseFEN(board + " w - - 0 26 NNBRpr h1")
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Perft(3); n != 31_393 {
		t.Errorf("%d leaves at depth 3, want 31393", n)
	}
	for squares, want := range map[string]error{"h2": ErrPromotedMark, "h3": ErrPromotedMark, "h1h3": ErrPromotedMark} {
		if _, err := ParseFEN(board + " w - - 0 26 NNBRpr " + squares); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", squares, err, want)
		}
	}
}

func TestParseFEN_MissingAndEmpty(t *testing.T) {
	for _, tt := range []struct{ fen, want string }{
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w - - 0 1"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] b", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ b - - 0 1"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[-] w KQkq -", StartFEN},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/- w KQkq - 0 1", StartFEN},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -", StartFEN},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", StartFEN},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - n",
			"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R/n w KQkq - 0 1"},
		{"4k3/1Q~6/8/8/8/8/8/4K3[qNNPp] b - - 12 34", "4k3/1Q~6/8/8/8/8/8/4K3/PNNpq b - - 12 34"},
		// en passant: kept only if it can be played
		{"4k3/8/8/8/3pP3/8/8/4K3/ b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3/ b - e3 0 1"},
		{"4k3/8/8/8/4P3/8/8/4K3/ b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3/ b - - 0 1"},
		{"8/8/8/8/k2pP2R/8/8/4K3/ b - e3 0 1", "8/8/8/8/k2pP2R/8/8/4K3/ b - - 0 1"},
	} {
		p, err := ParseFEN(tt.fen)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.FEN(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.fen, got, tt.want)
		}
	}
}

func TestParseFEN_Errors(t *testing.T) {
	const board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
	for _, tt := range []struct{ fen, want string }{
		{"", "empty"},
		{"8/8", "2 ranks, want 8"},
		{strings.Replace(board, "pppppppp", "ppppppp", 1), `rank 7 "ppppppp": 7 squares`},
		{strings.Replace(board, "pppppppp", "pppp5", 1), "more than 8 squares"},
		{strings.Replace(board, "pppppppp", "ppppppppp", 1), "more than 8 squares"},
		{strings.Replace(board, "pppppppp", "pppxpppp", 1), `character 4 'x'`},
		{strings.Replace(board, "pppppppp", "~pppppppp", 1), `character 1 '~'`},
		{strings.Replace(board, "pppppppp", "p~~ppppppp", 1), `character 3 '~'`},
		{strings.Replace(board, "8", "9", 1), `character 1 '9'`},
		{strings.Replace(board, "pppppppp", "pppépppp", 1), `character 4 'é'`},
		{board + "[PN w KQkq - 0 1", "bracket does not close"},
		{board + "[PK] w KQkq - 0 1", `pocket "PK": character 2 'K'`},
		{board + "/P1 w KQkq - 0 1", `pocket "P1": character 2 '1'`},
		{board + " x KQkq - 0 1", `side to move "x"`},
		{board + " w KQxq - 0 1", `castling rights "KQxq": character 3 'x'`},
		{board + " w KQ→q - 0 1", `castling rights "KQ→q": character 3 '→'`},
		{board + "[Pя] w KQkq - 0 1", `pocket "Pя": character 2 'я'`},
		{board + " w KQkq - 0 1 - яa", `promoted pieces "яa": square "яa"`},
		{board + " w KKq - 0 1", `character 2 'K'`},
		{board + " w KQkq e9 0 1", `en passant: square "e9"`},
		{board + " w KQkq - -1 1", `move counter "-1"`},
		{board + " w KQkq - 0 99999999999999999999", `move counter`},
		{board + " w KQkq - 0 1 - extra", `promoted pieces "extra": square "ex"`},
		{board + " w KQkq - 0 1 - a1 extra", `"extra" is one field too many`},
		{board + " w KQkq - 0 1 - a1h", `promoted pieces "a1h": square "h"`},
		{board + " w KQkq - 0 1 - a1,", `promoted pieces "a1,": square ","`},
		{board + " w KQkq - 0 1 - ,a1", `promoted pieces ",a1": square ",a"`},
		{board + " w KQkq - 0 1 - a1,,h1", `promoted pieces "a1,,h1": square ",h"`},
		{board + " w KQkq - 0 1 - a1b9", `promoted pieces "a1b9": square "b9"`},
		{board + " w KQkq - 0 1 - A1", `promoted pieces "A1": square "A1"`},
		{board + " w KQkq - 0 1 - a1e4", `promoted pieces "a1e4": no piece on e4`},
		{board + " w KQkq - 0 1 - a1h1a1", `promoted pieces "a1h1a1": a1 is given twice`},
		{board + "[] w KQkq - 0 1 P", `"P" is one field too many`},
		{strings.Repeat("p", 300), "300 bytes long"},
	} {
		_, err := ParseFEN(tt.fen)
		if !errors.Is(err, ErrFEN) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: error %v, want one with %q", tt.fen, err, tt.want)
		}
	}
}

func TestParseFEN_EveryReason(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		want      error
	}{
		{"no king", "8/8/8/8/8/8/8/4K3 w - - 0 1", ErrNoKing},
		{"no kings", "8/8/8/8/8/8/8/8 w - - 0 1", ErrNoKing},
		{"two kings", "4k2k/8/8/8/8/8/8/4K3 w - - 0 1", ErrTooManyKings},
		{"opposite check", "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", ErrOppositeCheck},
		{"kings side by side", "8/8/8/8/8/8/4k3/4K3 w - - 0 1", ErrOppositeCheck},
		{"pawns on the back ranks", "P3k3/8/8/8/8/8/8/p3K3 w - - 0 1", ErrPawnOnBackRank},
		{"33 pieces", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[p] w - - 0 1", ErrTooManyPieces},
		{"promoted pawn", "4k3/8/8/8/8/8/P~7/4K3 w - - 0 1", ErrPromotedMark},
		{"promoted king", "4k~3/8/8/8/8/8/8/4K3 w - - 0 1", ErrPromotedMark},
	} {
		_, err := ParseFEN(tt.fen)
		bad, ok := errors.AsType[*UnplayableError](err)
		if !ok {
			t.Fatalf("%s: error %v, want an *UnplayableError", tt.name, err)
		}
		for _, reason := range bad.Reasons {
			if !errors.Is(reason, tt.want) {
				t.Errorf("%s: says %v, want only %v", tt.name, reason, tt.want)
			}
		}
	}
	_, err := ParseFEN("P3k2k/8/8/8/8/8/8/8[QQQ] w Qk e6 0 1")
	for _, want := range []error{ErrNoKing, ErrTooManyKings, ErrPawnOnBackRank} {
		if !errors.Is(err, want) {
			t.Errorf("all at once: error %v does not say %q", err, want)
		}
	}
}

// What the board does not allow is cleared, and said.
func TestRepairFEN(t *testing.T) {
	for _, tt := range []struct{ name, fen, want, cleared string }{
		{"nothing", StartFEN, StartFEN, ""},
		{"en passant on the wrong rank", "4k3/8/8/8/3pP3/8/8/4K3/ w - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3/ w - - 0 1",
			"en-passant square e3, over which no pawn can have passed"},
		{"en passant without pawn", "4k3/8/8/8/3p4/8/8/4K3/ b - e3 0 1", "4k3/8/8/8/3p4/8/8/4K3/ b - - 0 1",
			"en-passant square e3, over which no pawn can have passed"},
		{"en passant on a piece", "4k3/8/8/8/3pP3/4N3/8/4K3/ b - e3 0 1", "4k3/8/8/8/3pP3/4N3/8/4K3/ b - - 0 1",
			"en-passant square e3, over which no pawn can have passed"},
		{"en passant from a piece", "4k3/8/8/8/3pP3/8/4N3/4K3/ b - e3 0 1", "4k3/8/8/8/3pP3/8/4N3/4K3/ b - - 0 1",
			"en-passant square e3, over which no pawn can have passed"},
		{"castling without rook", "4k3/8/8/8/8/8/8/4K2R/ w KQ - 0 1", "4k3/8/8/8/8/8/8/4K2R/ w K - 0 1",
			"castling right Q, which needs the king on e1 and a rook on a1"},
		{"castling without king at home", "r5kr/8/8/8/8/8/8/R3K2R/ w KQkq - 0 1", "r5kr/8/8/8/8/8/8/R3K2R/ w KQ - 0 1",
			"castling right k, which needs the king on e8 and a rook on h8; " +
				"castling right q, which needs the king on e8 and a rook on a8"},
		{"castling with a promoted rook", "4k3/8/8/8/8/8/8/4K2R~/ w K - 0 1", "4k3/8/8/8/8/8/8/4K2R~/ w - - 0 1",
			"castling right K, which needs the king on e1 and a rook on h1"},
	} {
		p, cleared, err := RepairFEN(tt.fen)
		if err != nil || p.FEN() != tt.want || strings.Join(cleared, "; ") != tt.cleared {
			t.Errorf("%s: %s, cleared %q, %v; want %s, %q", tt.name, p.FEN(), cleared, err, tt.want, tt.cleared)
		}
	}
}

func TestParseFEN_UncommonButPlayable(t *testing.T) {
	for _, fen := range []string{
		"QQQQk3/QQQQ4/QQQQ4/8/8/8/8/7K[PNBRQ] b - - 0 1", // twelve queens, unmarked
		"4k3/8/8/8/8/8/8/4K3[PPPPPPPPPPPPPPPPNNNNRRRRBBBBQQ] w - - 0 1",
		"4k3/8/8/8/8/8/8/4K3 b - - 9999 9999",
		"8/7k/8/8/8/8/6K1/3Rq3[QQQ] w - - 1 4", // from captures of unmarked queens
		"4k3/8/8/8/8/8/8/4K3[nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn] w - - 0 1",
	} {
		if _, err := ParseFEN(fen); err != nil && !errors.Is(err, ErrOppositeCheck) {
			t.Error(err)
		}
	}
}

// A position written and read back is the same in every bit.
func TestFEN_Lossless(t *testing.T) {
	walk(t, 1, 150, 250, func(p *Position, _ Move) {
		again, err := ParseFEN(p.FEN())
		if err != nil {
			t.Fatal(err)
		}
		if again != *p {
			t.Fatalf("%s: read back as %s", p.FEN(), again.FEN())
		}
	})
}

// Lichess's counter is reset by pawn moves, captures, promotions, pawn drops.
func TestPlay_HalfmoveClock(t *testing.T) {
	const fen = "r3k3/pP6/8/3p4/4P3/8/P7/4K2R[NP] w K - 7 20"
	for move, want := range map[string]int{
		"h1g1": 8, "N@f5": 8, "e1h1": 8, "a2a3": 0, "e4d5": 0, "P@e5": 0, "b7b8q": 0,
	} {
		g := play(t, fen, move)
		if got := int(g.Position().rule50); got != want {
			t.Errorf("after %s the halfmove clock is %d, want %d", move, got, want)
		}
	}
}

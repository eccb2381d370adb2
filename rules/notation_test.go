package rules

import (
	"errors"
	"strings"
	"testing"
)

func TestParseUCI(t *testing.T) {
	const castles = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R/ w KQkq - 0 1"
	const drops = "4k3/1P6/8/8/8/8/8/4K3/PNq w - - 0 1"
	for _, tt := range []struct{ fen, in, lichess, uci string }{
		{StartFEN, "e2e4", "e2e4", "e2e4"},
		{castles, "e1h1", "e1h1", "e1g1"},
		{castles, "e1g1", "e1h1", "e1g1"},
		{castles, "e1a1", "e1a1", "e1c1"},
		{castles, "e1c1", "e1a1", "e1c1"},
		{castles, "e1f1", "e1f1", "e1f1"},
		{strings.Replace(castles, " w ", " b ", 1), "e8g8", "e8h8", "e8g8"},
		{strings.Replace(castles, " w ", " b ", 1), "e8a8", "e8a8", "e8c8"},
		{drops, "b7b8q", "b7b8q", "b7b8q"},
		{drops, "b7b8n", "b7b8n", "b7b8n"},
		{drops, "b7b8R", "b7b8q", "b7b8q"}, // as Lichess reads it, and so is the next
		{drops, "b7b8", "b7b8q", "b7b8q"},
		{drops, "N@f7", "N@f7", "N@f7"},
		{drops, "P@e4", "P@e4", "P@e4"},
		{"4k3/8/8/3pP3/8/8/8/4K3/ w - d6 0 1", "e5d6", "e5d6", "e5d6"},
	} {
		p := mustPosition(t, tt.fen)
		m, err := p.ParseUCI(tt.in)
		if err != nil {
			t.Error(err)
			continue
		}
		if m.String() != tt.lichess || p.UCI(m) != tt.uci {
			t.Errorf("%s: written %s and %s, want %s and %s", tt.in, m, p.UCI(m), tt.lichess, tt.uci)
		}
	}
}

// checkErrors fails the test unless each move, of which a text has several, has the error.
func checkErrors(t *testing.T, parse func(string) (Move, error), moves map[error]string) {
	t.Helper()
	for want, texts := range moves {
		for _, text := range strings.Split(texts, ",") {
			m, err := parse(text)
			if !errors.Is(err, want) || m != NoMove || len(err.Error()) > 300 {
				t.Errorf("%.20q: %s, %v; want %v", text, m, err, want)
			}
		}
	}
}

func TestParseUCI_Errors(t *testing.T) {
	p := StartPosition()
	checkErrors(t, p.ParseUCI, map[error]string{
		ErrMoveNotation: ",e2,e2e4qq,i2e4,e2e9,p@e4,K@e4,X@e4,N@f7q,e7e8k,e7e8p,0000," + strings.Repeat("e2e4", 1000),
		ErrIllegalMove:  "e2e5,e7e5,N@f7,a1a1,e1g1,e1h1,e2e4q,e4e5",
	})
}

// A dropped rook never castles: the rights went with the first one.
func TestCastling_NotWithDroppedRook(t *testing.T) {
	g := NewGame(mustPosition(t, "4k3/8/8/3B4/8/6n1/8/4K2R[R] b K - 0 1"))
	if err := g.PlayUCI("g3h1", "d5h1", "e8d8", "h1d5", "d8e8", "R@h1", "e8d8"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Position().ParseUCI("e1g1"); !errors.Is(err, ErrIllegalMove) {
		t.Errorf("castling with a dropped rook: %v", err)
	}
}

func TestSAN(t *testing.T) {
	for _, tt := range []struct{ fen, uci, san string }{
		{StartFEN, "g1f3", "Nf3"},
		{StartFEN, "e2e4", "e4"},
		{"4k3/8/8/3p4/4P3/8/8/4K3/ w - - 0 1", "e4d5", "exd5"},
		{"4k3/8/8/3pP3/8/8/8/4K3/ w - d6 0 1", "e5d6", "exd6"},
		{"7k/1P6/8/8/8/8/8/4K3/ w - - 0 1", "b7b8q", "b8=Q+"},
		{"r6k/1P6/8/8/8/8/8/4K3/ w - - 0 1", "b7a8n", "bxa8=N"},
		{"r3k2r/8/8/8/8/8/8/R3K2R/ w KQkq - 0 1", "e1h1", "O-O"},
		{"r3k2r/8/8/8/8/8/8/R3K2R/ b KQkq - 0 1", "e8a8", "O-O-O"},
		{"5k1r/8/8/8/8/8/8/R3K2R/ w KQ - 0 1", "e1h1", "O-O+"},
		{"4k3/8/8/8/8/8/8/N3K2N/ w - - 0 1", "h1g3", "Ng3"},
		{"4k3/8/8/8/8/2N3N1/8/4K3/ w - - 0 1", "c3e4", "Nce4"},
		{"4k3/8/8/2N5/8/2N5/8/4K3/ w - - 0 1", "c3e4", "N3e4"},
		{"4k3/8/8/2N5/8/2N3N1/8/4K3/ w - - 0 1", "c3e4", "Nc3e4"},
		{"4k3/8/8/8/8/8/4r3/R3K2R/ w - - 0 1", "e1e2", "Kxe2"},
		{"4k3/8/8/8/1b6/2N5/8/4K1N1/ w - - 0 1", "g1e2", "Ne2"}, // the other knight is pinned
		{"4k3/8/8/8/8/8/8/4K3/PN w - - 0 1", "P@e7", "P@e7"},
		{"4k3/8/8/8/8/8/8/4K3/PN w - - 0 1", "N@f6", "N@f6+"},
		{"6rk/6pp/8/8/8/8/8/4K3/N w - - 0 1", "N@f7", "N@f7#"},
	} {
		p := mustPosition(t, tt.fen)
		m, err := p.ParseUCI(tt.uci)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.SAN(m); got != tt.san {
			t.Errorf("%s in %s: %s, want %s", tt.uci, tt.fen, got, tt.san)
		}
		if again, err := p.ParseSAN(tt.san); err != nil || again != m {
			t.Errorf("%s in %s read as %s, %v", tt.san, tt.fen, again, err)
		}
	}
}

func TestParseSAN_Tolerance(t *testing.T) {
	const fen = "r3k2r/1P6/8/3p4/4P3/8/8/R3K2R/PN w KQkq - 0 1"
	for san, uci := range map[string]string{
		"@e5": "P@e5", "P@e5": "P@e5", "N@f7": "N@f7", "N@f7+": "N@f7", "N@f7!?": "N@f7", "0-0": "e1h1",
		"0-0-0": "e1a1", "O-O!": "e1h1",
		"bxa8Q": "b7a8q", "bxa8=Q+": "b7a8q", "b8=N": "b7b8n", "ed5": "e4d5", "e4xd5": "e4d5", "Ra1b1": "a1b1",
		"Rab1": "a1b1",
	} {
		p := mustPosition(t, fen)
		if m, err := p.ParseSAN(san); err != nil || m.String() != uci {
			t.Errorf("%s: %s, %v; want %s", san, m, err, uci)
		}
	}
}

func TestParseSAN_Errors(t *testing.T) {
	p := mustPosition(t, "4k3/1P6/8/8/8/2N3N1/8/4K3/P w - - 0 1")
	checkErrors(t, p.ParseSAN, map[error]string{
		ErrMoveNotation: ",e,Ne,Ne9,N?e4,Ne4,hello world,Nzze4",
		ErrIllegalMove:  "Nf7,N@f7,O-O,b8,P@e8,e5",
	})
}

// Every legal move written in SAN and UCI reads back as itself.
func TestNotation_Lossless(t *testing.T) {
	walk(t, 2, 20, 200, func(p *Position, _ Move) {
		seen := map[string]Move{}
		for _, m := range p.LegalMoves() {
			san := p.SAN(m)
			if other, twice := seen[san]; twice {
				t.Fatalf("%s: %s and %s are both %s", p.FEN(), m, other, san)
			}
			seen[san] = m
			for _, uci := range []string{m.String(), p.UCI(m)} {
				if again, err := p.ParseUCI(uci); err != nil || again != m {
					t.Fatalf("%s: %s read as %s, %v", p.FEN(), uci, again, err)
				}
			}
		}
		for san, m := range seen {
			if again, err := p.ParseSAN(san); err != nil || again != m {
				t.Fatalf("%s: %s read as %s, %v", p.FEN(), san, again, err)
			}
			break // one a position: reading generates all moves
		}
	})
}

func TestPosition_Line(t *testing.T) {
	start := NewGame(StartPosition())
	if err := start.PlayUCI("e2e4", "d7d5", "e4d5", "d8d5", "P@e4"); err != nil {
		t.Fatal(err)
	}
	legal, after := start.Moves()[1:], start.PositionAt(1)
	for _, tt := range []struct {
		moves []Move
		want  string
	}{
		{nil, ""},
		{legal[:1], "1… d5"},
		{legal, "1… d5 2. exd5 Qxd5 3. P@e4"},
		{[]Move{legal[0], NewMove(0, 56), legal[1]}, "1… d5"},
	} {
		if got := after.Line(tt.moves); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.moves, got, tt.want)
		}
	}
}

package rules

import (
	"errors"
	"testing"
)

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
		"@e5": "P@e5", "P@e5": "P@e5", "N@f7": "N@f7", "N@f7+": "N@f7", "N@f7!?": "N@f7", "0-0": "e1h1", "0-0-0": "e1a1", "O-O!": "e1h1",
		"bxa8Q": "b7a8q", "bxa8=Q+": "b7a8q", "b8=N": "b7b8n", "ed5": "e4d5", "e4xd5": "e4d5", "Ra1b1": "a1b1", "Rab1": "a1b1",
	} {
		p := mustPosition(t, fen)
		if m, err := p.ParseSAN(san); err != nil || m.String() != uci {
			t.Errorf("%s: %s, %v; want %s", san, m, err, uci)
		}
	}
}

func TestParseSAN_Errors(t *testing.T) {
	p := mustPosition(t, "4k3/1P6/8/8/8/2N3N1/8/4K3/P w - - 0 1")
	for san, want := range map[string]error{
		"": ErrMoveNotation, "e": ErrMoveNotation, "Ne": ErrMoveNotation, "Ne9": ErrMoveNotation, "N?e4": ErrMoveNotation,
		"Ne4": ErrMoveNotation, "hello world": ErrMoveNotation, "Nzze4": ErrMoveNotation,
		"Nf7": ErrIllegalMove, "N@f7": ErrIllegalMove, "O-O": ErrIllegalMove, "b8": ErrIllegalMove, "P@e8": ErrIllegalMove, "e5": ErrIllegalMove,
	} {
		if m, err := p.ParseSAN(san); !errors.Is(err, want) || m != NoMove {
			t.Errorf("%q: %s, %v; want %v", san, m, err, want)
		}
	}
}

// Every legal move written in SAN and UCI reads back as itself.
func TestNotation_Lossless(t *testing.T) {
	walk(t, 2, 40, 200, func(p *Position, _ Move) {
		var l MoveList
		p.Generate(&l, All)
		seen := map[string]Move{}
		for _, m := range l.Moves() {
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

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

func TestParseUCI_Errors(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want error
	}{
		{"", ErrMoveNotation}, {"e2", ErrMoveNotation}, {"e2e4qq", ErrMoveNotation}, {"i2e4", ErrMoveNotation},
		{"e2e9", ErrMoveNotation}, {"p@e4", ErrMoveNotation}, {"K@e4", ErrMoveNotation}, {"X@e4", ErrMoveNotation},
		{"N@f7q", ErrMoveNotation}, {"e7e8k", ErrMoveNotation}, {"e7e8p", ErrMoveNotation}, {"0000", ErrMoveNotation},
		{strings.Repeat("e2e4", 1000), ErrMoveNotation},
		{"e2e5", ErrIllegalMove}, {"e7e5", ErrIllegalMove}, {"N@f7", ErrIllegalMove}, {"a1a1", ErrIllegalMove},
		{"e1g1", ErrIllegalMove}, {"e1h1", ErrIllegalMove}, {"e2e4q", ErrIllegalMove}, {"e4e5", ErrIllegalMove},
	} {
		p := StartPosition()
		m, err := p.ParseUCI(tt.in)
		if !errors.Is(err, tt.want) || m != NoMove {
			t.Errorf("%.20q: %s, %v; want %v", tt.in, m, err, tt.want)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%.20q: error of %d bytes", tt.in, len(err.Error()))
		}
	}
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

package book

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
)

// The keys are those published with the format.
func TestPolyglotKey(t *testing.T) {
	tests := []struct {
		moves string
		key   uint64
	}{
		{"", 0x463b96181691fc9c},
		{"e2e4", 0x823c9b50fd114196},
		{"e2e4 d7d5", 0x0756b94461c50fb0},
		{"e2e4 d7d5 e4e5", 0x662fafb965db29d4},
		{"e2e4 d7d5 e4e5 f7f5", 0x22a48b5a8e47ff78},
		{"e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a607ca3f242c1},
		{"e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fdd303c946bdd9},
		{"a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c8123ea7b067637},
		{"a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f9b829b279560},
	}
	for _, tt := range tests {
		g := fixture.Game(t, tt.moves)
		if key := polyglotKey(g.Position()); key != tt.key {
			t.Errorf("after %q: key %016x, want %016x", tt.moves, key, tt.key)
		}
	}
}

// rawEntry is an entry of a Polyglot book.
type rawEntry struct {
	key          uint64
	move, weight uint16
}

func polyglotFile(entries ...rawEntry) (data []byte) {
	slices.SortStableFunc(entries, func(a, b rawEntry) int { return cmp.Compare(a.key, b.key) })
	for _, e := range entries {
		data = binary.BigEndian.AppendUint64(data, e.key)
		data = binary.BigEndian.AppendUint16(data, e.move)
		data = binary.BigEndian.AppendUint16(data, e.weight)
		data = binary.BigEndian.AppendUint32(data, 0)
	}
	return data
}

// raw encodes a move with the promotion field.
func raw(from, to string, promotion uint16) uint16 {
	square := func(s string) uint16 { return uint16(s[0]-'a') + 8*uint16(s[1]-'1') }
	return promotion<<12 | square(from)<<6 | square(to)
}

func TestPolyglot_Moves(t *testing.T) {
	const castles = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R[] w KQkq - 0 1"
	const promotes = "8/P6k/8/8/8/8/8/K7[] w - - 0 1"
	const hand = "rnbqkb1r/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKB1R[PNq] w KQkq - 0 1"
	tests := []struct {
		name, fen string
		move      uint16
		want      string // "" if it is skipped
	}{
		{"quiet", castles, raw("a2", "a4", 0), "a2a4"},
		{"castling, king takes rook", castles, raw("e1", "h1", 0), "e1h1"},
		{"castling to the queen's side", castles, raw("e1", "a1", 0), "e1a1"},
		{"castling as two steps", castles, raw("e1", "g1", 0), "e1h1"},
		{"promotion to a queen", promotes, raw("a7", "a8", 4), "a7a8q"},
		{"promotion to a knight", promotes, raw("a7", "a8", 1), "a7a8n"},
		{"promotion to nothing", promotes, raw("a7", "a8", 0), ""},
		{"promotion to a fifth piece", promotes, raw("a7", "a8", 5), ""},
		{"knight's drop as python-chess has it", hand, raw("e4", "e4", 1), "N@e4"},
		{"pawn's drop", hand, raw("e6", "e6", 0), "P@e6"},
		{"drop of what is not in hand", hand, raw("e4", "e4", 2), ""},
		{"drop of what the opponent has", hand, raw("e4", "e4", 4), ""},
		{"drop on a piece", hand, raw("e2", "e2", 1), ""},
		{"illegal", castles, raw("e1", "e5", 0), ""},
		{"null", castles, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := new(fixture.Position(t, tt.fen))
			b, err := parsePolyglot(polyglotFile(rawEntry{polyglotKey(p), tt.move, 1}))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, m := range b.Moves(p) {
				got += m.Move.String()
			}
			if got != tt.want {
				t.Errorf("moves %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPolyglot_HeaviestFirst(t *testing.T) {
	p := rules.StartPosition()
	key := polyglotKey(&p)
	b, err := parsePolyglot(polyglotFile(
		rawEntry{key - 1, raw("a2", "a3", 0), 9},
		rawEntry{key, raw("d2", "d4", 0), 3}, rawEntry{key, raw("e2", "e4", 0), 7},
		rawEntry{key, raw("c2", "c4", 0), 0}, rawEntry{key, raw("e2", "e4", 0), 1},
		rawEntry{key + 1, raw("h2", "h3", 0), 9},
	))
	if err != nil {
		t.Fatal(err)
	}
	want := []Move{{Move: fixture.Move(t, &p, "e2e4"), Weight: 7}, {Move: fixture.Move(t, &p, "d2d4"), Weight: 3}}
	if got := b.Moves(&p); !slices.Equal(got, want) {
		t.Errorf("moves %v, want %v", got, want)
	}
}

// Positions with different pockets share a key.
func TestPolyglot_Pockets(t *testing.T) {
	with := new(fixture.Position(t, "rnbqkbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3"))
	without := new(fixture.Position(t, "rnbqkbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR[] w KQkq - 0 3"))
	plain := polyglotKey(with)
	if plain != polyglotKey(without) {
		t.Fatal("the key depends on pockets")
	}
	drop, quiet := raw("d6", "d6", 0), raw("d2", "d4", 0)
	b, err := parsePolyglot(polyglotFile(rawEntry{plain, drop, 2}, rawEntry{plain, quiet, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Moves(with); len(got) != 2 {
		t.Errorf("with a pawn in hand: moves %v, want two", got)
	}
	if got := b.Moves(without); len(got) != 1 || got[0].Move.String() != "d2d4" {
		t.Errorf("with nothing in hand: moves %v, want d2d4", got)
	}
}

func TestPolyglot_BadFiles(t *testing.T) {
	good := polyglotFile(rawEntry{1, 2, 3}, rawEntry{4, 5, 6})
	unsorted := slices.Concat(good[16:], good[:16])
	for name, data := range map[string][]byte{"empty": nil, "cut short": good[:31], "unsorted": unsorted} {
		if _, err := parsePolyglot(data); !errors.Is(err, ErrBadBook) {
			t.Errorf("%s: error %v, want ErrBadBook", name, err)
		}
	}
}

func FuzzPolyglot(f *testing.F) {
	f.Add(polyglotFile(rawEntry{0x463b96181691fc9c, raw("e2", "e4", 0), 1}),
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1")
	f.Fuzz(func(t *testing.T, data []byte, fen string) {
		p, err := rules.ParseFEN(fen)
		if err != nil {
			p = rules.StartPosition()
		}
		// Give every entry the key of the position.
		for i := 0; i+polyglotEntry <= len(data); i += polyglotEntry {
			binary.BigEndian.PutUint64(data[i:], polyglotKey(&p))
		}
		b, err := parsePolyglot(data)
		if err != nil {
			if !errors.Is(err, ErrBadBook) {
				t.Fatalf("error %v does not wrap ErrBadBook", err)
			}
			return
		}
		for _, m := range b.Moves(&p) {
			if !p.IsLegal(m.Move) || m.Weight < 1 {
				t.Fatalf("illegal or weightless %v in %s", m, p.FEN())
			}
		}
	})
}

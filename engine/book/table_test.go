package book

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// Books store keys: a change of any of these makes all books useless.
func TestKeysAreStable(t *testing.T) {
	tests := []struct {
		fen string
		key uint64
	}{
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1", 0x191e5871b6251716},
		{"rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR[] w KQkq d6 0 3", 0xb5cd39492998b78},
		{"rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3", 0x5f1237c92bf918b0},
		{"r1bqkQ~nr/pppp1ppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R[Np] b KQq - 0 5", 0xb710c57fde15b1cc},
	}
	for _, tt := range tests {
		if key := new(rulestest.Position(t, tt.fen)).Key(); key != tt.key {
			t.Errorf("key of %s is %#x, books contain %#x", tt.fen, key, tt.key)
		}
	}
}

// sample returns a table with three moves of the start position and one of a position with
// full pockets.
func sample(t testing.TB) *Table {
	t.Helper()
	start := rules.StartPosition()
	hand := new(rulestest.Position(t, "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3"))
	table, err := newTable("a sample", []entry{
		{key: start.Key(), move: rulestest.Move(t, &start, "d2d4"), weight: 30, score: -7, games: 12},
		{key: start.Key(), move: rulestest.Move(t, &start, "e2e4"), weight: 60, score: 21, games: 1 << 20},
		{key: start.Key(), move: rulestest.Move(t, &start, "g1f3"), weight: 10},
		{key: hand.Key(), move: rulestest.Move(t, hand, "P@e6"), weight: 5},
	})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func encoded(t testing.TB, b *Table) []byte {
	t.Helper()
	return b.encode()
}

func TestTable_RoundTrip(t *testing.T) {
	b, err := parseTable(encoded(t, sample(t)))
	if err != nil {
		t.Fatal(err)
	}
	start := rules.StartPosition()
	want := []Move{
		{Move: rulestest.Move(t, &start, "e2e4"), Weight: 60, Score: 21, Games: 1 << 20},
		{Move: rulestest.Move(t, &start, "d2d4"), Weight: 30, Score: -7, Games: 12},
		{Move: rulestest.Move(t, &start, "g1f3"), Weight: 10},
	}
	if got := b.Moves(&start); !slices.Equal(got, want) {
		t.Errorf("moves %v, want %v", got, want)
	}
	if b.Len() != 4 || b.Positions() != 2 || b.Note() != "a sample" {
		t.Errorf("%d entries, %d positions, note %q", b.Len(), b.Positions(), b.Note())
	}
}

// Save replaces a file atomically: on failure the old file stays, and no other is left.
func TestTable_SaveFails(t *testing.T) {
	b, dir := sample(t), t.TempDir()
	if err := b.Save(filepath.Join(dir, "book")); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(into, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := b.Save(into); err == nil {
		t.Error("a directory was replaced by a book")
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("%d entries, %v, want the book and the directory", len(files), err)
	}
}

// The same board with other pockets is another position.
func TestTable_KeyedWithPockets(t *testing.T) {
	b := sample(t)
	with := new(rulestest.Position(t, "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3"))
	if got := b.Moves(with); len(got) != 1 || got[0].Move.String() != "P@e6" {
		t.Errorf("moves %v, want P@e6", got)
	}
	more := new(rulestest.Position(t, "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKB1R[PNp] w KQkq - 0 3"))
	if got := b.Moves(more); got != nil {
		t.Errorf("with other pockets: moves %v, want none", got)
	}
}

func TestTable_IllegalMovesAreLeftOut(t *testing.T) {
	start := rules.StartPosition()
	b, err := newTable("", []entry{
		{key: start.Key(), move: rules.NewMove(0, 8), weight: 50},
		{key: start.Key(), move: rules.NewDrop(rules.Knight, 20), weight: 40},
		{key: start.Key(), move: rulestest.Move(t, &start, "e2e4"), weight: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Moves(&start); len(got) != 1 || got[0].Move.String() != "e2e4" {
		t.Errorf("moves %v, want e2e4 only", got)
	}
}

func TestParseTable_DamagedFiles(t *testing.T) {
	good := encoded(t, sample(t))
	tests := map[string]func(b []byte) []byte{
		"empty":           func([]byte) []byte { return nil },
		"other magic":     func(b []byte) []byte { b[0] = 'X'; return b },
		"other version":   func(b []byte) []byte { b[4]++; return b },
		"other keys":      func(b []byte) []byte { b[16]++; return b },
		"more entries":    func(b []byte) []byte { b[8]++; return b },
		"huge counts":     func(b []byte) []byte { copy(b[8:], "\xff\xff\xff\xff\xff\xff\x00\x00"); return b },
		"an entry's byte": func(b []byte) []byte { b[len(b)-40]++; return b },
		"digest":          func(b []byte) []byte { b[len(b)-1]++; return b },
		"cut short":       func(b []byte) []byte { return b[:len(b)-1] },
		"something after": func(b []byte) []byte { return append(b, 0) },
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := parseTable(damage(bytes.Clone(good))); !errors.Is(err, ErrBadBook) {
				t.Errorf("error %v, want ErrBadBook", err)
			}
		})
	}
}

func TestNewTable_Refused(t *testing.T) {
	tests := map[string][]entry{
		"no weight":  {{key: 1, move: 2}},
		"duplicates": {{key: 1, move: 2, weight: 3}, {key: 1, move: 2, weight: 3}},
	}
	for name, entries := range tests {
		if _, err := newTable("", entries); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzParseTable(f *testing.F) {
	good := encoded(f, sample(f))
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte(tableMagic))
	start := rules.StartPosition()
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := parseTable(data)
		if err != nil {
			if !errors.Is(err, ErrBadBook) {
				t.Fatalf("error %v does not wrap ErrBadBook", err)
			}
			return
		}
		for _, m := range b.Moves(&start) {
			if !start.IsLegal(m.Move) || m.Weight < 1 {
				t.Fatalf("illegal or weightless %v", m)
			}
		}
		if !bytes.Equal(encoded(t, b), data) {
			t.Fatal("a table is not written as it was read")
		}
	})
}

package book

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/rules"
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
		if key := new(fixture.Position(t, tt.fen)).Key(); key != tt.key {
			t.Errorf("key of %s is %#x, books contain %#x", tt.fen, key, tt.key)
		}
	}
}

// sample returns a table with three moves of the start position and one of a position with
// full pockets.
func sample(t testing.TB) *Table {
	t.Helper()
	start := rules.StartPosition()
	hand := new(fixture.Position(t, "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3"))
	table, err := newTable("a sample", []entry{
		{key: start.Key(), move: fixture.Move(t, &start, "d2d4"), weight: 30, score: -7, games: 12},
		{key: start.Key(), move: fixture.Move(t, &start, "e2e4"), weight: 60, score: 21, games: 1 << 20},
		{key: start.Key(), move: fixture.Move(t, &start, "g1f3"), weight: 10},
		{key: hand.Key(), move: fixture.Move(t, hand, "P@e6"), weight: 5},
	})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTable_RoundTrip(t *testing.T) {
	b, err := parseTable(sample(t).encode())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Save(t.TempDir()); err == nil {
		t.Error("a directory was replaced by a book")
	}
	start := rules.StartPosition()
	want := []Move{
		{Move: fixture.Move(t, &start, "e2e4"), Weight: 60, Score: 21, Games: 1 << 20},
		{Move: fixture.Move(t, &start, "d2d4"), Weight: 30, Score: -7, Games: 12},
		{Move: fixture.Move(t, &start, "g1f3"), Weight: 10},
	}
	if got := b.Moves(&start); !slices.Equal(got, want) {
		t.Errorf("moves %v, want %v", got, want)
	}
	if b.Len() != 4 || b.Positions() != 2 || b.Note() != "a sample" {
		t.Errorf("%d entries, %d positions, note %q", b.Len(), b.Positions(), b.Note())
	}
}

func TestTable_IllegalMovesAreLeftOut(t *testing.T) {
	start := rules.StartPosition()
	b, err := newTable("", []entry{
		{key: start.Key(), move: rules.NewMove(0, 8), weight: 50},
		{key: start.Key(), move: rules.NewDrop(rules.Knight, 20), weight: 40},
		{key: start.Key(), move: fixture.Move(t, &start, "e2e4"), weight: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Moves(&start); len(got) != 1 || got[0].Move.String() != "e2e4" {
		t.Errorf("moves %v, want e2e4 only", got)
	}
}

func TestParseTable_DamagedFiles(t *testing.T) {
	good := sample(t).encode()
	files := map[string][]byte{
		"empty": nil, "cut short": good[:len(good)-1], "something after": append(bytes.Clone(good), 0),
	}
	for name, at := range map[string]int{
		"magic": 0, "version": 4, "entries": 8, "huge counts": 11, "long note": 14, "keys": 16,
		"an entry": len(good) - 40, "digest": len(good) - 1,
	} {
		files[name] = bytes.Clone(good)
		files[name][at]++
	}
	for name, file := range files {
		if _, err := parseTable(file); !errors.Is(err, ErrBadBook) {
			t.Errorf("%s: error %v, want ErrBadBook", name, err)
		}
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
	good := sample(f).encode()
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
		if !bytes.Equal(b.encode(), data) {
			t.Fatal("a table is not written as it was read")
		}
	})
}

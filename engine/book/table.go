package book

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sort"

	"github.com/zhbot/zhbot/internal/atomicfile"
	"github.com/zhbot/zhbot/rules"
)

// The file of a table, little-endian:
//
//	magic    "ZHBK"
//	header   version uint32, entries uint32, note length uint32,
//	         key of the start position uint64
//	note     UTF-8 text: how the book was made
//	entries  key uint64, move uint16, weight uint16, score int16, games uint32
//	digest   SHA-256 of everything before
//
// Entries are sorted by key, those of a position by decreasing weight, then by move.
const (
	tableMagic   = "ZHBK"
	tableVersion = 1
	headerSize   = len(tableMagic) + 4 + 4 + 4 + 8
	entrySize    = 8 + 2 + 2 + 2 + 4
	maxNote      = 64 << 10
)

// Table is a book in this program's format, held as its file.
type Table struct {
	note    string
	entries []byte
}

// entry is a move of a table.
type entry struct {
	key    uint64
	move   rules.Move
	weight uint16
	score  int16
	games  uint32
}

// order compares entries in the order of the file.
func (e entry) order(other entry) int {
	return cmp.Or(cmp.Compare(e.key, other.key), cmp.Compare(other.weight, e.weight), cmp.Compare(e.move, other.move))
}

func (t *Table) at(i int) entry {
	b := t.entries[i*entrySize:]
	return entry{
		key:    binary.LittleEndian.Uint64(b),
		move:   rules.Move(binary.LittleEndian.Uint16(b[8:])),
		weight: binary.LittleEndian.Uint16(b[10:]),
		score:  int16(binary.LittleEndian.Uint16(b[12:])),
		games:  binary.LittleEndian.Uint32(b[14:]),
	}
}

func (e entry) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, e.key)
	b = binary.LittleEndian.AppendUint16(b, uint16(e.move))
	b = binary.LittleEndian.AppendUint16(b, e.weight)
	b = binary.LittleEndian.AppendUint16(b, uint16(e.score))
	return binary.LittleEndian.AppendUint32(b, e.games)
}

// parseTable reads a table. Its errors wrap [ErrBadBook] and say what is wrong.
func parseTable(data []byte) (*Table, error) {
	if len(data) < headerSize+sha256.Size || !bytes.HasPrefix(data, []byte(tableMagic)) {
		return nil, fmt.Errorf("%w: %d bytes without the header of a book", ErrBadBook, len(data))
	}
	head := data[len(tableMagic):]
	version, count := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	note, start := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint64(head[12:])
	startPosition := rules.StartPosition()
	switch {
	case version != tableVersion:
		return nil, fmt.Errorf("%w: version %d, this program reads %d; rebuild it", ErrBadBook, version, tableVersion)
	case start != startPosition.Key():
		return nil, fmt.Errorf("%w: made for other position keys; rebuild it", ErrBadBook)
	case note > maxNote:
		return nil, fmt.Errorf("%w: a note of %d bytes", ErrBadBook, note)
	case uint64(len(data)) != uint64(headerSize)+uint64(note)+uint64(count)*uint64(entrySize)+sha256.Size:
		return nil, fmt.Errorf("%w: %d bytes are not those of %d entries: the file is cut short or damaged", ErrBadBook, len(data), count)
	}
	body, digest := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], digest) {
		return nil, fmt.Errorf("%w: its checksum is wrong: the file is damaged, download it again", ErrBadBook)
	}
	rest := body[headerSize:]
	t := &Table{note: string(rest[:note]), entries: rest[note:]}
	return t, t.check()
}

// check verifies that the entries are in order, for binary search, and have weights.
func (t *Table) check() error {
	for i := range t.Len() {
		e := t.at(i)
		if e.weight == 0 || i > 0 && t.at(i-1).order(e) >= 0 {
			return fmt.Errorf("%w: entry %d is out of order or has no weight", ErrBadBook, i)
		}
	}
	return nil
}

// newTable returns a table of entries in any order, which must be distinct.
func newTable(note string, entries []entry) (*Table, error) {
	if len(note) > maxNote {
		return nil, fmt.Errorf("book: the note has %d bytes, %d are allowed", len(note), maxNote)
	}
	slices.SortFunc(entries, entry.order)
	t := &Table{note: note, entries: make([]byte, 0, len(entries)*entrySize)}
	for _, e := range entries {
		t.entries = e.appendTo(t.entries)
	}
	return t, t.check()
}

// encode returns the table in the format that [Open] reads.
func (t *Table) encode() []byte {
	start := rules.StartPosition()
	file := []byte(tableMagic)
	file = binary.LittleEndian.AppendUint32(file, tableVersion)
	file = binary.LittleEndian.AppendUint32(file, uint32(t.Len()))
	file = binary.LittleEndian.AppendUint32(file, uint32(len(t.note)))
	file = binary.LittleEndian.AppendUint64(file, start.Key())
	file = append(file, t.note...)
	file = append(file, t.entries...)
	sum := sha256.Sum256(file)
	return append(file, sum[:]...)
}

// Save writes the table to a file, which it replaces atomically.
func (t *Table) Save(path string) error {
	if err := atomicfile.Replace(path, t.encode(), 0o644, (*os.File).Sync); err != nil {
		return fmt.Errorf("save book %s: %w", path, err)
	}
	return nil
}

// Moves implements [Book].
func (t *Table) Moves(p *rules.Position) (moves []Move) {
	key := p.Key()
	for i := t.first(key); i < t.Len(); i++ {
		e := t.at(i)
		if e.key != key {
			break
		}
		if p.IsLegal(e.move) {
			moves = append(moves, Move{Move: e.move, Weight: int(e.weight), Score: int(e.score), Games: int(e.games)})
		}
	}
	return moves
}

// first returns the index of the first entry whose key is at least key.
func (t *Table) first(key uint64) int {
	return sort.Search(t.Len(), func(i int) bool { return t.at(i).key >= key })
}

// Len implements [Book].
func (t *Table) Len() int { return len(t.entries) / entrySize }

// Positions returns the number of positions.
func (t *Table) Positions() (n int) {
	for i := range t.Len() {
		if i == 0 || t.at(i-1).key != t.at(i).key {
			n++
		}
	}
	return n
}

// Note returns how the book was made.
func (t *Table) Note() string { return t.note }

// String implements [Book].
func (t *Table) String() string {
	return fmt.Sprintf("zhbot book, %d positions, %d moves", t.Positions(), t.Len())
}

// reachable returns the table without positions that cannot arise when one side plays book
// moves: those after moves that turned out bad.
func (t *Table) reachable() (*Table, error) {
	w := reachability{table: t, visited: map[visit]bool{}, reached: map[uint64]bool{}}
	for _, side := range []rules.Color{rules.White, rules.Black} {
		w.visit(rules.StartPosition(), side)
	}
	var entries []entry
	for i := range t.Len() {
		if e := t.at(i); w.reached[e.key] {
			entries = append(entries, e)
		}
	}
	return newTable(t.note, entries)
}

// visit is a position visited with one side playing book moves.
type visit struct {
	key  uint64
	side rules.Color
}

// reachability traverses the games in which one side plays book moves.
type reachability struct {
	table   *Table
	visited map[visit]bool
	reached map[uint64]bool // positions with that side to move
}

func (w *reachability) visit(p rules.Position, side rules.Color) {
	v := visit{p.Key(), side}
	if w.visited[v] {
		return
	}
	w.visited[v] = true
	if p.Turn() != side {
		for _, m := range p.LegalMoves() {
			w.visit(p.After(m), side)
		}
		return
	}
	w.reached[p.Key()] = true
	for _, m := range w.table.Moves(&p) {
		w.visit(p.After(m.Move), side)
	}
}

package book

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"

	"github.com/zhbot/zhbot/internal/file"
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
	headerSize   = 24
	entrySize    = 18
	maxNote      = 64 << 10
)

// tableHeader is the header with the magic.
type tableHeader struct {
	Magic                  [4]byte
	Version, Entries, Note uint32
	Start                  uint64
}

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
	var h tableHeader
	if _, err := binary.Decode(data, binary.LittleEndian, &h); err != nil || string(h.Magic[:]) != tableMagic {
		return nil, fmt.Errorf("%w: %d bytes without the header of a book", ErrBadBook, len(data))
	}
	startPosition := rules.StartPosition()
	switch {
	case h.Version != tableVersion:
		return nil, fmt.Errorf("%w: version %d, this program reads %d; rebuild it", ErrBadBook, h.Version, tableVersion)
	case h.Start != startPosition.Key():
		return nil, fmt.Errorf("%w: made for other position keys; rebuild it", ErrBadBook)
	case h.Note > maxNote:
		return nil, fmt.Errorf("%w: a note of %d bytes", ErrBadBook, h.Note)
	case uint64(len(data)) != headerSize+uint64(h.Note)+uint64(h.Entries)*entrySize+sha256.Size:
		return nil, fmt.Errorf("%w: %d bytes are not those of %d entries: the file is cut short or damaged",
			ErrBadBook, len(data), h.Entries)
	}
	body, digest := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], digest) {
		return nil, fmt.Errorf("%w: its checksum is wrong: the file is damaged, download it again", ErrBadBook)
	}
	rest := body[headerSize:]
	t := &Table{note: string(rest[:h.Note]), entries: rest[h.Note:]}
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
	h := tableHeader{[4]byte([]byte(tableMagic)), tableVersion, uint32(t.Len()), uint32(len(t.note)), start.Key()}
	file, _ := binary.Append(nil, binary.LittleEndian, h) // its size is fixed
	file = append(file, t.note...)
	file = append(file, t.entries...)
	sum := sha256.Sum256(file)
	return append(file, sum[:]...)
}

// Replaceable reports whether a file is a table, perhaps a damaged or an older one, or is empty or
// not there.
func Replaceable(path string) bool {
	data, err := file.ReadRegular(path, maxFile)
	return errors.Is(err, fs.ErrNotExist) || err == nil && (len(data) == 0 || bytes.HasPrefix(data, []byte(tableMagic)))
}

// Save writes the table to a file, which it replaces atomically.
func (t *Table) Save(path string) error {
	if err := file.Replace(path, t.encode(), 0o644); err != nil {
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

// Hash implements [Book].
func (t *Table) Hash() string { return hash(t.entries) }

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

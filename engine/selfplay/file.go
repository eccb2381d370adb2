package selfplay

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"

	"github.com/zhbot/zhbot/internal/file"
)

// A games file is a sequence of blocks, each written at once and synced:
//
//	magic    "ZHG2"
//	uint32   length of the payload
//	uint32   number of games
//	uint32   number of searched plies
//	uint32   CRC-32C of the three numbers and the payload
//	payload  the games, packed
//
// The payload of the first block, which has no games, is the [Recipe] in JSON.
//
// A crash can only truncate the last block: reading ends before it, and opening the file
// for writing removes it. A bad block that others follow is an error, and stays.
const (
	magic      = "ZHG2"
	headerSize = 20

	maxBlock      = 1 << 20 // bytes of a payload
	maxBlockSize  = maxBlock + headerSize
	maxBlockPlies = 1 << 20
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// ErrTruncated reports an incomplete or damaged block at the end of a file.
	ErrTruncated = errors.New("truncated block")
	// ErrDamaged reports a damaged block before others.
	ErrDamaged = errors.New("damaged block")
)

// block is a block of a file.
type block struct {
	games, plies int
	payload      []byte
}

// appendBlock appends a block.
func appendBlock(dst, payload []byte, games, plies int) []byte {
	start := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(games))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(plies))
	sum := crc32.Update(crc32.Checksum(dst[start+4:], castagnoli), castagnoli, payload)
	dst = binary.LittleEndian.AppendUint32(dst, sum)
	return append(dst, payload...)
}

// blockReader reads complete blocks.
type blockReader struct {
	file   io.ReaderAt
	offset int64 // after the last whole block
}

// next returns the next block. It returns io.EOF at the end, and ErrTruncated or ErrDamaged
// for an incomplete or damaged block.
func (r *blockReader) next() (block, error) {
	var header [headerSize]byte
	n, err := r.file.ReadAt(header[:], r.offset)
	switch known := bytes.HasPrefix(header[:n], []byte(magic)); {
	case n == 0 && errors.Is(err, io.EOF):
		return block{}, io.EOF
	case !known && n >= len(magic) && r.offset == 0:
		return block{}, errors.New("not a games file")
	case err != nil:
		return block{}, r.bad(maxBlockSize, err.Error())
	case !known:
		return block{}, r.bad(maxBlockSize, "no block header")
	}
	length := int(binary.LittleEndian.Uint32(header[4:]))
	b := block{games: int(binary.LittleEndian.Uint32(header[8:])), plies: int(binary.LittleEndian.Uint32(header[12:]))}
	if length > maxBlock || b.games > maxBlock || b.plies > maxBlockPlies {
		return block{}, r.bad(maxBlockSize, "bad block header")
	}
	b.payload = make([]byte, length)
	if _, err := r.file.ReadAt(b.payload, r.offset+headerSize); err != nil {
		return block{}, r.bad(maxBlockSize, err.Error())
	}
	sum := crc32.Update(crc32.Checksum(header[4:16], castagnoli), castagnoli, b.payload)
	if sum != binary.LittleEndian.Uint32(header[16:]) {
		return block{}, r.bad(headerSize+length, "checksum differs")
	}
	r.offset += int64(headerSize + length)
	return b, nil
}

// bad returns the error for the next block, of at most this size: ErrTruncated if the file
// ends with it, or else ErrDamaged. Since its length may be wrong, it looks for the header
// of another one in it.
func (r *blockReader) bad(size int, reason string) error {
	rest, err := io.ReadAll(io.NewSectionReader(r.file, r.offset, int64(size)+1))
	if err != nil {
		return err
	}
	kind := ErrTruncated
	if len(rest) > size || bytes.LastIndex(rest, []byte(magic)) > 0 {
		kind = ErrDamaged
	}
	return fmt.Errorf("%w: %s", kind, reason)
}

// blockPlies is the number of plies after which a block is written.
const blockPlies = 1 << 16

// Writer appends games to a file. It is not safe for concurrent use.
type Writer struct {
	file   *os.File
	lock   io.Closer
	packer *packer
	block  []byte
}

// OpenWriter opens a games file for appending, or creates it, and removes a truncated last
// block. The file must have been made with the same recipe, and no other process may be
// writing it. It returns the number of games and searched plies in the file.
func OpenWriter(path string, recipe Recipe) (w *Writer, games, plies int, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("open games file: %w", err)
	}
	lock, err := file.Lock(path)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("open games file %s: %w", path, errors.Join(err, f.Close()))
	}
	w = &Writer{file: f, lock: lock, packer: newPacker()}
	if games, plies, err = w.resume(recipe); err != nil {
		return nil, 0, 0, fmt.Errorf("open games file %s: %w", path, errors.Join(err, f.Close(), lock.Close()))
	}
	return w, games, plies, nil
}

// resume goes to the end of the last complete block. It writes the recipe to a new file.
func (w *Writer) resume(recipe Recipe) (games, plies int, err error) {
	r := &blockReader{file: w.file}
	for first := true; ; first = false {
		b, err := r.next()
		if errors.Is(err, io.EOF) || errors.Is(err, ErrTruncated) {
			break
		}
		if errors.Is(err, ErrDamaged) {
			return 0, 0, fmt.Errorf("byte %d: %w; the file was left unchanged, since games may follow: use another one",
				r.offset, err)
		}
		if err == nil && first {
			err = checkRecipe(b, recipe)
		}
		if err != nil {
			return 0, 0, err
		}
		games += b.games
		plies += b.plies
	}
	if err := w.file.Truncate(r.offset); err != nil {
		return 0, 0, err
	}
	if _, err := w.file.Seek(r.offset, io.SeekStart); err != nil || r.offset > 0 {
		return games, plies, err
	}
	text, err := json.Marshal(recipe)
	if err != nil {
		return 0, 0, err
	}
	return 0, 0, w.write(text, 0, 0)
}

// Add appends a game. It is written with its block.
func (w *Writer) Add(g *Game) error {
	if err := w.packer.add(g); err != nil {
		return fmt.Errorf("write games: %w", err)
	}
	if w.packer.plies < blockPlies {
		return nil
	}
	return w.Flush()
}

// Flush writes the games added since the last block.
func (w *Writer) Flush() error {
	games, plies := w.packer.games, w.packer.plies
	if games == 0 {
		return nil
	}
	if err := w.write(w.packer.pack(), games, plies); err != nil {
		return fmt.Errorf("write games: %w", err)
	}
	return nil
}

func (w *Writer) write(payload []byte, games, plies int) error {
	w.block = appendBlock(w.block[:0], payload, games, plies)
	if _, err := w.file.Write(w.block); err != nil {
		return err
	}
	return w.file.Sync()
}

// Close writes the remaining games and closes the file.
func (w *Writer) Close() error { return errors.Join(w.Flush(), w.file.Close(), w.lock.Close()) }

// Games yields the games of a file in order. A game is valid until the next one. A
// truncated last block yields [ErrTruncated], another bad one [ErrDamaged].
func Games(path string) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		for b, err := range blocks(path) {
			var games []Game
			if err == nil && b.games > 0 { // not the recipe
				if games, err = b.unpack(); err != nil {
					err = fmt.Errorf("read games %s: %w", path, err)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range games {
				if !yield(&games[i], nil) {
					return
				}
			}
		}
	}
}

// blocks yields the blocks of a file in order, and at last the error for one that is not
// whole.
func blocks(path string) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(block{}, fmt.Errorf("read games: %w", err))
			return
		}
		defer f.Close()
		for r := (&blockReader{file: f}); ; {
			b, err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				err = fmt.Errorf("read games %s at byte %d: %w", path, r.offset, err)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

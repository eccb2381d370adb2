package train

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
)

// A games file is a sequence of blocks, each written in one piece and synced:
//
//	magic    "ZHG1"
//	uint32   length of the payload
//	uint32   number of games
//	uint32   CRC-32C of the payload
//	payload  game records
//
// A crash can tear only the last block; opening the file for writing cuts a
// torn tail off, reading ends before it.
const (
	blockMagic  = "ZHG1"
	headerSize  = 16
	blockTarget = 64 << 10
	maxBlock    = 1 << 20
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// ErrTorn reports a block that was not written to its end.
	ErrTorn = errors.New("torn block")
)

// Writer appends games to a file. It is not safe for concurrent use.
type Writer struct {
	file  *os.File
	block []byte
	games int
}

// OpenWriter opens a games file for appending, creates it if there is none,
// and cuts off a torn tail. It returns the number of games and searched plies
// that the file holds.
func OpenWriter(path string) (w *Writer, games, plies int, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("open games file: %w", err)
	}
	end, games, plies, err := measure(f)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, 0, 0, fmt.Errorf("open games file %s: %w", path, err)
	}
	return &Writer{file: f, block: make([]byte, headerSize, 2*blockTarget)}, games, plies, nil
}

// measure returns where the last whole block ends and what is before it.
func measure(f *os.File) (end int64, games, plies int, err error) {
	r := blockReader{in: bufio.NewReaderSize(f, maxBlock)}
	var g Game
	for {
		payload, n, err := r.next()
		if errors.Is(err, io.EOF) || errors.Is(err, ErrTorn) {
			return end, games, plies, nil
		}
		if err != nil {
			return 0, 0, 0, err
		}
		for range n {
			if payload, err = g.decode(payload); err != nil {
				return 0, 0, 0, err
			}
			plies += len(g.Plies)
		}
		games += n
		end = r.offset
	}
}

// Add appends a game. It reaches the disk with the block it is in.
func (w *Writer) Add(g *Game) error {
	w.block = g.append(w.block)
	w.games++
	if len(w.block) < blockTarget {
		return nil
	}
	return w.Flush()
}

// Flush writes the games added since the last block.
func (w *Writer) Flush() error {
	if w.games == 0 {
		return nil
	}
	payload := w.block[headerSize:]
	copy(w.block, blockMagic)
	binary.LittleEndian.PutUint32(w.block[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(w.block[8:], uint32(w.games))
	binary.LittleEndian.PutUint32(w.block[12:], crc32.Checksum(payload, castagnoli))
	if _, err := w.file.Write(w.block); err != nil {
		return fmt.Errorf("write games: %w", err)
	}
	w.block, w.games = w.block[:headerSize], 0
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("write games: %w", err)
	}
	return nil
}

// Close writes what is left and closes the file.
func (w *Writer) Close() error { return errors.Join(w.Flush(), w.file.Close()) }

// Games yields the games of a file in order. The game is valid until the next
// one. A torn tail ends the file with [ErrTorn].
func Games(path string) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, fmt.Errorf("read games: %w", err))
			return
		}
		defer f.Close()
		r := blockReader{in: bufio.NewReaderSize(f, maxBlock)}
		for {
			payload, n, err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			var g Game
			for i := 0; err == nil && i < n; i++ {
				if payload, err = g.decode(payload); err == nil && !yield(&g, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, fmt.Errorf("read games %s at byte %d: %w", path, r.offset, err))
				return
			}
		}
	}
}

// blockReader reads whole blocks.
type blockReader struct {
	in      *bufio.Reader
	offset  int64 // after the last whole block
	payload []byte
}

// next returns the payload of the next block and its number of games, io.EOF
// at the end, ErrTorn when the block is incomplete or damaged.
func (r *blockReader) next() (payload []byte, games int, err error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r.in, header[:]); err == io.EOF {
		return nil, 0, io.EOF
	} else if err != nil {
		return nil, 0, fmt.Errorf("%w: %v", ErrTorn, err) //nolint:errorlint // the end of the file is no end of the games here
	}
	length, count := binary.LittleEndian.Uint32(header[4:]), binary.LittleEndian.Uint32(header[8:])
	if string(header[:4]) != blockMagic || length > maxBlock || count > length {
		if r.offset == 0 {
			return nil, 0, errors.New("not a games file")
		}
		return nil, 0, fmt.Errorf("%w: no block header", ErrTorn)
	}
	if cap(r.payload) < int(length) {
		r.payload = make([]byte, length)
	}
	r.payload = r.payload[:length]
	if _, err := io.ReadFull(r.in, r.payload); err != nil {
		return nil, 0, fmt.Errorf("%w: %v", ErrTorn, err) //nolint:errorlint // the end of the file is no end of the games here
	}
	if crc32.Checksum(r.payload, castagnoli) != binary.LittleEndian.Uint32(header[12:]) {
		return nil, 0, fmt.Errorf("%w: checksum differs", ErrTorn)
	}
	r.offset += headerSize + int64(length)
	return r.payload, int(count), nil
}

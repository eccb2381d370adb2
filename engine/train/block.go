package train

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A games file is a sequence of blocks, each written in one piece and synced:
//
//	magic    "ZHG2"
//	uint32   length of the payload
//	uint32   number of games
//	uint32   number of searched plies
//	uint32   CRC-32C of the three numbers and the payload
//	payload  the games, packed
//
// The payload of the first block, which has no games, is the [Recipe] in JSON.
// Files of the first format are read too. Their blocks lack the plies and the
// recipe, and their payload is a sequence of plain records:
//
//	magic    "ZHG1"
//	uint32   length of the payload
//	uint32   number of games
//	uint32   CRC-32C of the payload
//
// A crash can cut short only the last block: reading ends before it, and
// opening the file for writing removes it.
const (
	magicV1, magicV2 = "ZHG1", "ZHG2"
	headerV1         = 16
	headerV2         = 20

	maxBlock      = 1 << 20 // bytes of a payload
	maxBlockPlies = 1 << 20
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// ErrTruncated reports a block that was not written to its end.
	ErrTruncated = errors.New("truncated block")
)

// block is a block as it stands in a file.
type block struct {
	packed       bool // of the second format
	games, plies int  // plies are unknown in the first format: 0
	payload      []byte
}

// appendBlock appends a block of the second format.
func appendBlock(dst, payload []byte, games, plies int) []byte {
	at := len(dst)
	dst = append(dst, magicV2...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(games))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(plies))
	sum := crc32.Update(crc32.Checksum(dst[at+4:], castagnoli), castagnoli, payload)
	dst = binary.LittleEndian.AppendUint32(dst, sum)
	return append(dst, payload...)
}

// blockReader reads whole blocks.
type blockReader struct {
	in      *bufio.Reader
	offset  int64 // after the last whole block
	payload []byte
}

func newBlockReader(r io.Reader) *blockReader {
	return &blockReader{in: bufio.NewReaderSize(r, 1<<16)}
}

// next returns the next block, whose payload is valid until the one after it.
// It returns io.EOF at the end, ErrTruncated when the block is incomplete or
// damaged.
func (r *blockReader) next() (block, error) {
	var header [headerV2]byte
	magic, err := r.in.Peek(4)
	if len(magic) == 0 && errors.Is(err, io.EOF) {
		return block{}, io.EOF
	}
	size, packed := headerV2, true
	switch {
	case string(magic) == magicV1:
		size, packed = headerV1, false
	case len(magic) < 4:
		return block{}, fmt.Errorf("%w: %d bytes", ErrTruncated, len(magic))
	case string(magic) != magicV2 && r.offset == 0:
		return block{}, errors.New("not a games file")
	case string(magic) != magicV2:
		return block{}, fmt.Errorf("%w: no block header", ErrTruncated)
	}
	if _, err := io.ReadFull(r.in, header[:size]); err != nil {
		return block{}, fmt.Errorf("%w: %v", ErrTruncated, err) //nolint:errorlint // the end of the file is no end of the games here
	}
	b := block{packed: packed, games: int(binary.LittleEndian.Uint32(header[8:]))}
	if packed {
		b.plies = int(binary.LittleEndian.Uint32(header[12:]))
	}
	length := int(binary.LittleEndian.Uint32(header[4:]))
	if length > maxBlock || b.games > maxBlock || b.plies > maxBlockPlies {
		return block{}, fmt.Errorf("%w: bad block header", ErrTruncated)
	}
	if b.payload, err = r.read(length); err != nil {
		return block{}, fmt.Errorf("%w: %v", ErrTruncated, err) //nolint:errorlint // as above
	}
	sum := uint32(0)
	if packed {
		sum = crc32.Checksum(header[4:size-4], castagnoli)
	}
	if crc32.Update(sum, castagnoli, b.payload) != binary.LittleEndian.Uint32(header[size-4:]) {
		return block{}, fmt.Errorf("%w: checksum differs", ErrTruncated)
	}
	r.offset += int64(size + length)
	return b, nil
}

func (r *blockReader) read(length int) ([]byte, error) {
	if cap(r.payload) < length {
		r.payload = make([]byte, length)
	}
	r.payload = r.payload[:length]
	_, err := io.ReadFull(r.in, r.payload)
	return r.payload, err
}

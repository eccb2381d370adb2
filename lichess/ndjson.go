package lichess

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine bounds the length of a stream's line in bytes; a gameFull with 600 moves
// has about 4 KiB.
const maxLine = 256 << 10

// whitespace is JSON's whitespace.
const whitespace = " \t\r\n"

// lineReader splits a stream into lines of bounded length.
type lineReader struct {
	src    *bufio.Reader
	line   []byte
	maxLen int
}

func newLineReader(src io.Reader, maxLen int) *lineReader {
	return &lineReader{src: bufio.NewReader(src), maxLen: maxLen}
}

// next returns the next line that is not blank; it is valid until the next call.
// ErrLineTooLong comes with the beginning of the line, and reading may continue;
// io.EOF is the regular end, io.ErrUnexpectedEOF a truncated line.
func (r *lineReader) next() ([]byte, error) {
	for {
		line, err := r.read()
		if line = bytes.Trim(line, whitespace); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

// read returns a line. The last one may lack its line feed if it is complete.
func (r *lineReader) read() ([]byte, error) {
	r.line = r.line[:0]
	tooLong := false
	for {
		chunk, err := r.src.ReadSlice('\n')
		room := r.maxLen - len(r.line)
		tooLong = tooLong || len(bytes.TrimRight(chunk, whitespace)) > room
		r.line = append(r.line, chunk[:min(len(chunk), room)]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(bytes.Trim(r.line, whitespace)) > 0:
			return r.line, endOfLine(r.line, tooLong)
		case err == nil && tooLong:
			return r.line, ErrLineTooLong
		}
		return r.line, err
	}
}

// endOfLine returns an error if a last line without a line feed is truncated.
func endOfLine(line []byte, tooLong bool) error {
	if tooLong || !json.Valid(line) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// lineError returns a [*LineError] for an invalid line.
func lineError(line []byte, err error, token Token) error {
	return &LineError{Line: excerpt(token.redact(string(line))), Err: err}
}

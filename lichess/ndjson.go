package lichess

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine bounds a line of a stream; the longest real one, a gameFull with 600
// moves, has about 4 KiB.
const maxLine = 256 << 10

// blanks are what JSON takes for space.
const blanks = " \t\r\n"

// lineReader splits a stream into lines of bounded length.
type lineReader struct {
	src  *bufio.Reader
	line []byte
	most int
}

func newLineReader(src io.Reader, most int) *lineReader {
	return &lineReader{src: bufio.NewReader(src), most: most}
}

// next returns the next line that is not blank; it is valid until the following
// call. After ErrLineTooLong, which comes with the line's beginning, reading
// goes on; io.EOF is the regular end and io.ErrUnexpectedEOF a cut line.
func (r *lineReader) next() ([]byte, error) {
	for {
		line, err := r.read()
		if line = bytes.Trim(line, blanks); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

// read returns a line. The last one may lack its line feed if it is whole.
func (r *lineReader) read() ([]byte, error) {
	r.line = r.line[:0]
	tooLong := false
	for {
		part, err := r.src.ReadSlice('\n')
		room := r.most - len(r.line)
		tooLong = tooLong || len(bytes.TrimRight(part, blanks)) > room
		r.line = append(r.line, part[:min(len(part), room)]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(bytes.Trim(r.line, blanks)) > 0:
			return r.line, endOf(r.line, tooLong)
		case err == nil && tooLong:
			return r.line, ErrLineTooLong
		}
		return r.line, err
	}
}

// endOf says whether a stream that ended without a line feed ended well.
func endOf(line []byte, tooLong bool) error {
	if tooLong || !json.Valid(line) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// lineError shows how a bad line begins.
func lineError(line []byte, err error, token Token) error {
	return &LineError{Line: excerpt(token.scrub(string(line))), Err: err}
}

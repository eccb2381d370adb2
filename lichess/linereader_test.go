package lichess

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestLineReader(t *testing.T) {
	type line struct {
		Text string
		Err  error
	}
	tests := []struct {
		in   string
		want []line
	}{
		{"", nil},
		{"\n\n \r\n", nil},
		{"ab\r\ncd\n", []line{{"ab", nil}, {"cd", nil}}},
		{"12345678\n", []line{{"12345678", nil}}},
		{"123456789\nx\n", []line{{"12345678", ErrLineTooLong}, {"x", nil}}},
		{"x                \n", []line{{"x", nil}}},
		{"                x\n{}\n", []line{{"", ErrLineTooLong}, {"{}", nil}}},
		{"{}", []line{{"{}", nil}}},
		{"{}\n  ", []line{{"{}", nil}}},
		{"{", []line{{"{", io.ErrUnexpectedEOF}}},
		{"123456789", []line{{"12345678", io.ErrUnexpectedEOF}}},
	}
	for _, tc := range tests {
		readers := map[string]io.Reader{
			"whole": strings.NewReader(tc.in),
			"bytes": iotest.OneByteReader(strings.NewReader(tc.in)),
		}
		for name, src := range readers {
			var got []line
			for lines := newLineReader(src, 8); ; {
				text, err := lines.next()
				if err == io.EOF {
					break
				}
				got = append(got, line{string(text), err})
			}
			same := cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) })
			if diff := cmp.Diff(tc.want, got, same); diff != "" {
				t.Errorf("%q %s (-want +got):\n%s", tc.in, name, diff)
			}
		}
	}
}

func TestLineReader_BoundsMemory(t *testing.T) {
	lines := newLineReader(io.LimitReader(endlessLine{}, 64<<20), maxLine)
	if _, err := lines.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if size := cap(lines.line); size > 2*maxLine {
		t.Errorf("buffer of %d bytes", size)
	}
}

// endlessLine is a line without an end.
type endlessLine struct{}

func (endlessLine) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{'x'}, len(p)))
	return len(p), nil
}

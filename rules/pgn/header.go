package pgn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/zhbot/zhbot/rules"
)

// Header is a game's tags and the number of its moves: all that statistics need,
// read in a fraction of the time.
type Header struct {
	Tags   []Tag
	Plies  int
	Last   string       // the last move as written; "" without moves
	Result rules.Result // at the end of the moves
}

// Tag returns the value of a tag, "" if there is none.
func (o *Header) Tag(name string) string { return tagValue(o.Tags, name) }

// Headers yields the header of each game of a file, or an error if the file
// cannot be read. Moves are not checked; malformed tags are skipped.
func Headers(r io.Reader) iter.Seq2[*Header, error] {
	return func(yield func(*Header, error) bool) {
		o := headerReader{in: bufio.NewReaderSize(r, maxLine)}
		for {
			game, err := o.next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, fmt.Errorf("read PGN: %w", err))
				return
			case !yield(game, nil):
				return
			}
		}
	}
}

// maxLine is the longest line that is read at once; a word at the cut of a longer
// one may be counted twice.
const maxLine = 256 << 10

// headerReader reads PGN line by line, since tags have lines of their own and most
// of the rest is comments, which are quickly skipped.
type headerReader struct {
	in        *bufio.Reader
	line      []byte // the rest of the line, valid until the next one is read
	lineStart bool   // at the start of the line
	inComment bool   // within braces
	depth     int    // of variations
}

// next returns the next game.
func (o *headerReader) next() (*Header, error) {
	game := new(Header)
	moves, empty := false, true
	for {
		if len(o.line) == 0 {
			if err := o.nextLine(); err != nil {
				if errors.Is(err, io.EOF) && !empty {
					return game, nil
				}
				return nil, err
			}
		}
		switch {
		case len(o.line) == 0:
		case o.lineStart && !o.nested() && o.line[0] == '%':
			o.line = nil
		case o.lineStart && !o.nested() && o.line[0] == '[':
			if moves {
				return game, nil // the result was missing
			}
			empty = false
			if tag, err := parseTag(string(bytes.Trim(o.line, "[]"))); err == nil && len(game.Tags) < maxTags {
				game.Tags = append(game.Tags, tag)
			}
			o.line = nil
		default:
			moves, empty = true, false
			if o.scanWords(game) {
				return game, nil
			}
		}
	}
}

func (o *headerReader) nested() bool { return o.inComment || o.depth > 0 }

// nextLine reads the next line.
func (o *headerReader) nextLine() error {
	line, err := o.in.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		return err
	}
	o.line, o.lineStart = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark)), true
	return nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// scanWords adds the words of the line to the game, and reports whether one of
// them was the result.
func (o *headerReader) scanWords(game *Header) (done bool) {
	o.lineStart = false
	for len(o.line) > 0 {
		if o.inComment {
			o.skipComment()
			continue
		}
		switch c := o.line[0]; {
		case c == '{':
			o.inComment = true
		case c == ';':
			o.line = nil
		case c == '(':
			o.depth++
			o.line = o.line[1:]
		case c == ')':
			o.depth = max(o.depth-1, 0)
			o.line = o.line[1:]
		case c <= ' ' || c == '}':
			o.line = o.line[1:]
		default:
			if word := o.nextWord(); o.depth == 0 && game.addWord(word) {
				return true
			}
		}
	}
	return false
}

// skipComment skips to the end of a comment or of the line.
func (o *headerReader) skipComment() {
	end := bytes.IndexByte(o.line, '}')
	if end < 0 {
		o.line = nil
		return
	}
	o.inComment, o.line = false, o.line[end+1:]
}

// nextWord cuts the next word off the line.
func (o *headerReader) nextWord() []byte {
	n := 1
	for n < len(o.line) && !endsWord(o.line[n]) {
		n++
	}
	word := o.line[:n]
	o.line = o.line[n:]
	return word
}

func endsWord(c byte) bool {
	return c <= ' ' || c == '{' || c == '}' || c == '(' || c == ')' || c == ';'
}

// addWord adds a word of the movetext and reports whether it was the result.
func (o *Header) addWord(word []byte) bool {
	if result, ok := rules.ParseResult(string(word)); ok {
		o.Result = result
		return true
	}
	digits := 0
	for digits < len(word) && word[digits] >= '0' && word[digits] <= '9' {
		digits++
	}
	if digits == len(word) {
		return false // a number
	}
	if word[digits] == '.' {
		word = bytes.TrimLeft(word[digits:], ".")
	}
	if len(word) > 0 && word[0] != '$' && word[0] != '!' && word[0] != '?' {
		o.Plies++
		o.Last = string(word)
	}
	return false
}

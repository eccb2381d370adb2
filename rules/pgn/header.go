package pgn

import (
	"errors"
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
func (h *Header) Tag(name string) string { return tagValue(h.Tags, name) }

// Headers yields the header of each game of a file, or an error if the file
// cannot be read. Moves are not checked; malformed tags are skipped.
func Headers(r io.Reader) iter.Seq2[*Header, error] {
	return func(yield func(*Header, error) bool) {
		l := newLexer(r)
		l.skipComments = true
		var last []byte // the last move of a game
		for {
			h := new(Header)
			found, err := h.read(&l, &last)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case !found || !yield(h, nil):
				return
			}
		}
	}
}

// read reads the next game and reports whether there is one. The last move is kept in
// a buffer, so that only one is copied.
func (h *Header) read(l *lexer, last *[]byte) (found bool, err error) {
	*last = (*last)[:0]
	defer func() { h.Last = string(*last) }()
	moves := false
	for {
		t, err := l.next()
		switch {
		case err == nil:
		case errors.Is(err, errSyntax):
			continue
		case errors.Is(err, io.EOF):
			return found, nil
		default:
			return false, err
		}
		if t.kind == tagToken && moves { // the result is missing
			l.unread(t)
			return true, nil
		}
		found, moves = true, t.kind != tagToken
		switch t.kind {
		case tagToken:
			if tag, err := parseTag(string(t.text)); err == nil && len(h.Tags) < maxTags {
				h.Tags = append(h.Tags, tag)
			}
		case moveToken:
			h.Plies++
			*last = append((*last)[:0], t.text...)
		case resultToken:
			h.Result, _ = rules.ParseResult(string(t.text)) // the lexer checked it
			return true, nil
		}
	}
}

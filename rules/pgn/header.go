package pgn

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// Header is where a game is in a text, its tags and the number of its moves: all that
// statistics need, read in a fraction of the time.
type Header struct {
	Tags    []Tag
	Plies   int
	Last    string       // the last move as written; "" without moves
	Drops   bool         // it has some
	Comment string       // the last one
	Result  rules.Result // by the end of the moves, or by the tag

	// The game is in the bytes from Start to End, with the empty lines after it. The next
	// one begins at End.
	Start, End int64
	Truncated  bool // the text ends before the game has a result
}

// Tag returns the value of a tag, "" if there is none.
func (h *Header) Tag(name string) string { return tagValue(h.Tags, name) }

// IsCrazyhouse reports whether the game is crazyhouse, as its tags and drops say. By the standard
// a game without a variant is chess; one without any tags is taken for what its reader wants.
func (h *Header) IsCrazyhouse() bool { return isCrazyhouse(h.Tags, h.Drops) }

func isCrazyhouse(tags []Tag, drops bool) bool {
	event := strings.ToLower(tagValue(tags, "Event"))
	board, _, _ := strings.Cut(tagValue(tags, "FEN"), " ")
	switch variant := tagValue(tags, "Variant"); {
	case variant != "":
		return strings.EqualFold(variant, "crazyhouse")
	case len(tags) == 0, strings.Contains(event, "crazyhouse"):
		return true
	case strings.Contains(event, "bughouse"), tagValue(tags, "WhiteA") != "":
		return false
	}
	return drops || strings.Contains(board, "[") || strings.Count(board, "/") > 7
}

// Headers yields the header of each game of a file, or an error if the file
// cannot be read. Moves are not checked; malformed tags are skipped.
func Headers(r io.Reader) iter.Seq2[*Header, error] {
	return func(yield func(*Header, error) bool) {
		l := newLexer(r)
		var last, comment []byte // of a game, of all of which only one is copied
		for end, atEnd := int64(0), false; !atEnd; {
			h, found := &Header{Start: end}, false
			err := l.readGame(func(t token, err error) {
				if err == nil {
					found = found || t.kind != commentToken
					h.add(t, &last, &comment)
				}
			})
			if atEnd = errors.Is(err, io.EOF); err != nil && !atEnd {
				yield(nil, err)
				return
			}
			end = l.offset
			h.End, h.Truncated, h.Last = end, atEnd, string(last)
			h.Comment, h.Result = toUTF8(comment), resultOf(h.Result, h.Tags)
			last, comment = last[:0], comment[:0]
			if found && !yield(h, nil) {
				return
			}
		}
	}
}

// add adds a token of the game.
func (h *Header) add(t token, last, comment *[]byte) {
	switch t.kind {
	case commentToken:
		*comment = append((*comment)[:0], t.text...)
	case tagToken:
		if tag, err := parseTag(toUTF8(t.text)); err == nil && len(h.Tags) < maxTags {
			h.Tags = append(h.Tags, tag)
		}
	case moveToken:
		h.Plies++
		h.Drops = h.Drops || bytes.IndexByte(t.text, '@') >= 0
		*last, *comment = append((*last)[:0], t.text...), (*comment)[:0]
	case resultToken:
		h.Result, _ = rules.ParseResult(string(t.text)) // the lexer checked it
	}
}

// resultOf returns the result of a game by that at the end of its moves or, where that says
// nothing, by its tag.
func resultOf(atEnd rules.Result, tags []Tag) rules.Result {
	if atEnd == rules.NoResult {
		atEnd, _ = rules.ParseResult(tagValue(tags, "Result"))
	}
	return atEnd
}

// NextGame returns where the first game at or after an offset of a text begins: at tags
// that follow an empty line. It returns the end of the text if there is none.
func NextGame(text io.ReaderAt, offset int64) (int64, error) {
	if offset <= 0 {
		return 0, nil
	}
	l := newLexer(io.NewSectionReader(text, offset, math.MaxInt64-offset))
	for {
		switch err := l.readLine(); {
		case errors.Is(err, io.EOF):
			return offset + l.offset + int64(len(l.buf)), nil
		case err != nil:
			return 0, err
		case l.line > 2 && l.afterEmpty && l.buf[0] == '[': // the first line is cut
			return offset + l.offset, nil
		}
	}
}

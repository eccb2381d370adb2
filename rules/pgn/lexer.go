package pgn

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/zhbot/zhbot/rules"
)

// tokenKind is a kind of token of movetext or tags.
type tokenKind int

const (
	tagToken tokenKind = iota
	moveToken
	commentToken
	resultToken
	nagToken
	endToken // the end of a game without a result
)

// token is a token without its brackets, its braces or its dollar sign. The text is
// valid until the next token is read.
type token struct {
	kind tokenKind
	text []byte
}

// errSyntax is in the chain of errors after which reading can continue.
var errSyntax = errors.New("unreadable text")

// The bounds on tokens and lines. A tag stands on one line. A longer line is read as
// several.
const (
	maxToken = 64 << 10
	maxWord  = 64
	maxLine  = 1 << 20
)

// lexer splits PGN into tokens. Move numbers, signs such as ±, variations and escaped lines are
// skipped. It works on lines, in which the ends of comments, which are most of a file, are quickly
// found.
type lexer struct {
	in         *bufio.Reader
	buf        []byte // the line, valid until the next one is read
	pos        int    // in the line
	line       int    // its number
	offset     int64  // of the line in the text
	afterEmpty bool   // the line follows an empty one
	long       []byte // memory of a line that is longer than the buffer of in
	text       []byte // of a token on several lines
	moves      bool   // the tags of the game are over
	depth      int    // of nested variations
	variations int    // so far, without those in others
}

func newLexer(r io.Reader) lexer { return lexer{in: bufio.NewReaderSize(r, maxToken)} }

// readGame passes the tokens of the next game to handle, and errors with errSyntax in
// their chain, up to its result. It returns [io.EOF] if the text ends before. A game
// begins on a new line, or after a space with tags or its first move: else the line of a
// result belongs to its game to the end.
func (l *lexer) readGame(handle func(token, error)) error {
	l.moves = false
	for {
		t, err := l.next()
		switch {
		case err != nil && !errors.Is(err, errSyntax):
			return err
		case err == nil && t.kind == endToken:
			return nil
		}
		l.moves = l.moves || err == nil && t.kind != tagToken && t.kind != commentToken
		handle(t, err)
		if err == nil && t.kind == resultToken {
			return l.skipLine()
		}
	}
}

// next returns the next token, an error with errSyntax in its chain, or [io.EOF].
func (l *lexer) next() (token, error) {
	for {
		if l.pos == len(l.buf) {
			if err := l.readLine(); err != nil {
				return token{}, cmp.Or(l.endVariation(), err)
			}
		}
		switch c := l.buf[l.pos]; c {
		case '[':
			switch {
			case l.depth > 0 && l.afterEmpty && l.startsLine(): // the next game
				return token{}, l.endVariation()
			case l.depth == 0 && !l.moves:
				return l.readTag()
			case l.depth == 0 && l.startsLine():
				return token{kind: endToken}, nil
			}
			l.pos++
		case '{', ';':
			if text, err := l.readUntil(endOf[c]); err != nil || l.depth == 0 {
				return token{commentToken, text}, err
			}
		case '%':
			if _, err := l.readUntil('\n'); err != nil {
				return token{}, err
			}
		case '(':
			if l.depth == 0 {
				l.variations++
			}
			l.depth++
			l.pos++
		case ')':
			l.depth = max(0, l.depth-1)
			l.pos++
		case ']', '}', 0xef, 0xbb, 0xbf: // unmatched; a byte order mark
			l.pos++
		default:
			if c <= ' ' {
				l.pos++
			} else if t, ok := l.readWord(); ok && l.depth == 0 {
				return t, nil
			}
		}
	}
}

// endVariation ends a variation that is open where the text or its game ends, which is an
// error.
func (l *lexer) endVariation() error {
	if l.depth == 0 {
		return nil
	}
	l.depth = 0
	return fmt.Errorf("%w: variation without end", errSyntax)
}

// startsLine reports whether nothing is before the position in its line.
func (l *lexer) startsLine() bool { return len(bytes.TrimLeft(l.buf[:l.pos], space)) == 0 }

// endOf holds the ends of comments by their first bytes.
var endOf = [256]byte{'{': '}', ';': '\n'}

// space are the bytes that may stand before what begins a line.
const space = " \t\r\n\x00\ufeff"

// readLine reads the next line.
func (l *lexer) readLine() error {
	l.offset += int64(len(l.buf))
	l.afterEmpty = l.isEmpty()
	l.line++
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		for l.long = l.long[:0]; errors.Is(err, bufio.ErrBufferFull) && len(l.long) < maxLine; {
			l.long = append(l.long, line...)
			line, err = l.in.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	l.buf, l.pos = line, 0
	switch atEnd := errors.Is(err, io.EOF); {
	case atEnd && len(line) == 0:
		return io.EOF
	case err != nil && !atEnd && !errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("read PGN: %w", err)
	}
	return nil
}

// isEmpty reports whether the line is empty.
func (l *lexer) isEmpty() bool { return len(bytes.TrimSpace(l.buf)) == 0 }

// atGame reports whether a game begins at the position, which is within a line, after a
// space: with a tag, or with the number of its first move.
func (l *lexer) atGame() bool {
	text := l.buf[l.pos-1:]
	return len(text) > 2 && text[0] <= ' ' &&
		(text[1] == '[' && unicode.IsLetter(rune(text[2])) || text[1] == '1' && text[2] == '.')
}

// skipLine skips the rest of the line up to the next game, with comments that begin in it,
// and empty lines.
func (l *lexer) skipLine() error {
	for l.pos < len(l.buf) {
		if l.pos == 0 || l.atGame() { // as on a line of its own; at 0 after a comment without end
			l.offset += int64(l.pos)
			l.buf, l.pos = l.buf[l.pos:], 0
			return nil
		}
		if l.buf[l.pos] != '{' {
			l.pos++
		} else if _, err := l.readUntil('}'); err != nil && !errors.Is(err, errSyntax) {
			return err
		}
	}
	for {
		if err := l.readLine(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil || !l.isEmpty() {
			return err
		}
	}
}

// tagLine matches a line of nothing but a tag.
var tagLine = regexp.MustCompile(`^\[[A-Z]\w* ".*"\]\s*$`)

// readUntil reads what follows the first byte up to another, or to the end of the file. A line
// with a tag ends a comment, whose game was cut, as by an interrupted download.
func (l *lexer) readUntil(end byte) ([]byte, error) {
	l.pos++
	l.text = l.text[:0]
	for found := false; !found; {
		var part, after []byte
		part, after, found = bytes.Cut(l.buf[l.pos:], []byte{end})
		l.pos = len(l.buf) - len(after)
		if len(l.text) <= maxToken {
			l.text = append(l.text, part...)
		}
		if !found {
			if err := l.readLine(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if l.buf[0] == '[' && tagLine.Match(l.buf) {
				l.depth = 0
				return nil, fmt.Errorf("%w: comment without end", errSyntax)
			}
		}
	}
	if len(l.text) > maxToken {
		return nil, fmt.Errorf("%w: more than %d bytes without %q", errSyntax, maxToken, end)
	}
	return bytes.TrimSpace(l.text), nil
}

// readTag reads a tag up to its bracket, which quotes may hide, or to the end of the
// line.
func (l *lexer) readTag() (token, error) {
	rest, quoted := l.buf[l.pos+1:], false
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\n', c == ']' && !quoted:
			l.pos += i + 2
			return token{tagToken, rest[:i]}, nil
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted && i+1 < len(rest) && rest[i+1] != '\n':
			i++ // what is escaped
		}
	}
	l.pos = len(l.buf)
	return token{}, fmt.Errorf("%w: tag without end", errSyntax)
}

// readWord reads a move, a result, or a NAG or its glyph. Move numbers and signs are skipped: ok
// is false then.
func (l *lexer) readWord() (t token, ok bool) {
	word := wordOf(l.buf[l.pos:])
	l.pos += len(word)
	if word[0] >= utf8.RuneSelf {
		word = []byte(toUTF8(word))
	}
	if word[0] <= '9' || word[0] >= utf8.RuneSelf { // it may be a result, a number, a NAG
		if _, ok := rules.ParseResult(string(word)); ok {
			return token{resultToken, word}, true
		}
		word = trimNumber(word)
	}
	switch {
	case len(word) > 0 && word[0] == '$':
		return token{nagToken, word[1:]}, true
	case len(word) > 0 && len(bytes.Trim(word, "!?")) == 0:
		return token{nagToken, word}, true
	case isSign(word):
		return token{}, false
	}
	return token{moveToken, word}, true
}

// isSign reports whether a word is no move, but a sign of annotators, such as ±, +-, -- or N.
func isSign(word []byte) bool {
	switch string(word) {
	case "N", "D", "e.p.", "ep", "Z0":
		return true
	}
	return !bytes.ContainsFunc(word, func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '@')
	})
}

// wordOf returns the word at the beginning of a text.
func wordOf(text []byte) []byte {
	n := 1 // a NAG begins with what ends a word
	for n < len(text) && n < maxWord && !endsWord[text[n]] {
		n++
	}
	return text[:n]
}

// endsWord tells by byte what ends a word: spaces, brackets, the start of a comment or of a NAG.
var endsWord = func() (ends [256]bool) {
	for c := range ' ' + 1 {
		ends[c] = true
	}
	for _, c := range "[]{}();$" {
		ends[c] = true
	}
	return ends
}()

// trimNumber removes a move number: 12.Nf3 and 12…Nf3 become Nf3, and 12 or 12... nothing.
func trimNumber(word []byte) []byte {
	rest := bytes.TrimLeft(word, "0123456789")
	move := bytes.TrimLeft(rest, ".…")
	if len(move) > 0 && len(move) == len(rest) { // no dots
		return word
	}
	return move
}

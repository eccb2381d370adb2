package pgn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

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
)

// token is a token without its brackets, its braces or its dollar sign. The text is
// valid until the next token is read.
type token struct {
	kind tokenKind
	text []byte
}

// errSyntax is in the chain of errors after which reading can continue.
var errSyntax = errors.New("unreadable text")

// The bounds on tokens. A tag stands on one line, and a line is read at once if it is
// not longer than maxToken.
const (
	maxToken = 64 << 10
	maxWord  = 64
)

// lexer splits PGN into tokens. Move numbers, annotation symbols such as !?, variations
// and escaped lines are skipped. It works on lines, in which comments, which are most of
// a file, have quickly found ends.
type lexer struct {
	in           *bufio.Reader
	skipComments bool   // comments are not tokens, and may have any length
	buf          []byte // the line, valid until the next one is read
	pos          int    // in the line
	line         int    // its number
	offset       int64  // of the line in the text
	tagOffset    int64  // of the last tag
	cut          bool   // the line continues after buf
	text         []byte // of a token that does not lie within buf
	pushed       token  // pushed back, to be returned again
	hasPushed    bool
}

func newLexer(r io.Reader) lexer { return lexer{in: bufio.NewReaderSize(r, maxToken)} }

// unread pushes the last token back, to be returned by the next call of next.
func (l *lexer) unread(t token) { l.pushed, l.hasPushed = t, true }

// next returns the next token, an error with errSyntax in its chain, or [io.EOF].
func (l *lexer) next() (token, error) {
	if l.hasPushed {
		l.hasPushed = false
		return l.pushed, nil
	}
	for {
		if l.pos == len(l.buf) {
			if err := l.readLine(); err != nil {
				return token{}, err
			}
		}
		switch c := l.buf[l.pos]; c {
		case '[':
			return l.readTag()
		case '{', ';':
			text, err := l.readUntil(endOf[c])
			if err != nil || !l.skipComments {
				return token{commentToken, text}, err
			}
		case '%':
			if _, err := l.readUntil('\n'); err != nil {
				return token{}, err
			}
		case '(':
			if err := l.skipVariation(); err != nil {
				return token{}, err
			}
		case ']', '}', ')', 0xef, 0xbb, 0xbf: // unmatched; a byte order mark
			l.pos++
		default:
			if c <= ' ' {
				l.pos++
			} else if t, ok, err := l.readWord(); ok || err != nil {
				return t, err
			}
		}
	}
}

// endOf holds the ends of comments by their first bytes.
var endOf = [256]byte{'{': '}', ';': '\n'}

// readLine reads the next line, or as much of it as the buffer holds.
func (l *lexer) readLine() error {
	line, err := l.in.ReadSlice('\n')
	full := errors.Is(err, bufio.ErrBufferFull)
	switch atEnd := errors.Is(err, io.EOF); {
	case atEnd && len(line) == 0:
		return io.EOF
	case err != nil && !atEnd && !full:
		return fmt.Errorf("read PGN: %w", err)
	}
	if !l.cut {
		l.line++
	}
	l.offset += int64(len(l.buf))
	l.buf, l.pos, l.cut = line, 0, full
	return nil
}

// skipSpace skips empty space, to where the next game begins.
func (l *lexer) skipSpace() error {
	for {
		if l.pos += len(l.buf[l.pos:]) - len(bytes.TrimLeft(l.buf[l.pos:], " \t\r\n")); l.pos < len(l.buf) {
			return nil
		}
		if err := l.readLine(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// readUntil reads what follows the first byte up to another, or to the end of the file.
// It returns no text if comments are skipped.
func (l *lexer) readUntil(end byte) ([]byte, error) {
	l.pos++
	l.text = l.text[:0]
	for {
		part, found := l.buf[l.pos:], false
		if n := bytes.IndexByte(part, end); n >= 0 {
			part, found = part[:n], true
			l.pos++
		}
		l.pos += len(part)
		switch {
		case l.skipComments:
		case len(l.text)+len(part) > maxToken:
			return nil, fmt.Errorf("%w: more than %d bytes without %q", errSyntax, maxToken, end)
		case found && len(l.text) == 0:
			return bytes.TrimSpace(part), nil
		default:
			l.text = append(l.text, part...)
		}
		if found {
			return bytes.TrimSpace(l.text), nil
		}
		if err := l.readLine(); errors.Is(err, io.EOF) {
			return bytes.TrimSpace(l.text), nil
		} else if err != nil {
			return nil, err
		}
	}
}

// readTag reads a tag up to its bracket, which quotes may hide, or to the end of the
// line.
func (l *lexer) readTag() (token, error) {
	l.tagOffset = l.offset + int64(l.pos)
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

// skipVariation skips text in parentheses, nested ones included. One without end does not
// go beyond its game: the next one begins at tags that follow an empty line.
func (l *lexer) skipVariation() error {
	for depth := 0; ; {
		if l.pos == len(l.buf) {
			empty := len(bytes.TrimSpace(l.buf)) == 0
			if err := l.readLine(); err != nil && !errors.Is(err, io.EOF) {
				return err
			} else if err != nil || empty && l.buf[0] == '[' {
				return fmt.Errorf("%w: variation without end", errSyntax)
			}
		}
		switch c := l.buf[l.pos]; c {
		case '{', ';':
			if _, err := l.readUntil(endOf[c]); err != nil {
				return err
			}
			continue
		case '(':
			depth++
		case ')':
			depth--
		}
		l.pos++
		if depth == 0 {
			return nil
		}
	}
}

// readWord reads a move, a result or a NAG. Move numbers and annotation symbols are
// skipped: ok is false then.
func (l *lexer) readWord() (t token, ok bool, err error) {
	word := wordOf(l.buf[l.pos:])
	l.pos += len(word)
	if l.pos == len(l.buf) && l.cut {
		l.text = append(l.text[:0], word...)
		if err := l.readLine(); err != nil && !errors.Is(err, io.EOF) {
			return token{}, false, err
		}
		more := wordOf(l.buf[l.pos:])
		l.pos += len(more)
		word = append(l.text, more...)
	}
	if word[0] <= '9' { // it may be a result, a number, a NAG
		if _, ok := rules.ParseResult(string(word)); ok {
			return token{resultToken, word}, true, nil
		}
		word = trimNumber(word)
	}
	switch {
	case len(word) == 0, (word[0] == '!' || word[0] == '?') && len(bytes.Trim(word, "!?")) == 0:
		return token{}, false, nil
	case word[0] == '$':
		return token{nagToken, word[1:]}, true, nil
	}
	return token{moveToken, word}, true, nil
}

// wordOf returns the word at the beginning of a text.
func wordOf(text []byte) []byte {
	n := 0
	for n < len(text) && n < maxWord && !endsWord[text[n]] {
		n++
	}
	return text[:n]
}

// endsWord tells by byte what ends a word: spaces, brackets, the start of a comment.
var endsWord = func() (ends [256]bool) {
	for c := range ' ' + 1 {
		ends[c] = true
	}
	for _, c := range "[]{}();" {
		ends[c] = true
	}
	return ends
}()

// trimNumber removes a move number: 12.Nf3 becomes Nf3, and 12 or 12... nothing.
func trimNumber(word []byte) []byte {
	n := 0
	for n < len(word) && word[n] >= '0' && word[n] <= '9' {
		n++
	}
	switch {
	case n == len(word):
		return nil
	case word[n] == '.':
		return bytes.TrimLeft(word[n:], ".")
	}
	return word
}

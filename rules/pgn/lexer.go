package pgn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

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

type token struct {
	kind tokenKind
	text string
}

// errSyntax is in the chain of errors after which reading can continue.
var errSyntax = errors.New("unreadable text")

// maxToken bounds a tag, comment or move.
const maxToken = 64 << 10

// lexer splits PGN into tokens. Move numbers, annotation symbols such as !?,
// variations and escaped lines are skipped.
type lexer struct {
	in     *bufio.Reader
	line   int // line breaks read
	pushed []token
}

// unread pushes a token back, to be returned by the next call of next.
func (l *lexer) unread(t token) { l.pushed = append(l.pushed, t) }

func (l *lexer) next() (token, error) {
	if n := len(l.pushed); n > 0 {
		t := l.pushed[n-1]
		l.pushed = l.pushed[:n-1]
		return t, nil
	}
	for {
		c, err := l.read()
		if err != nil {
			return token{}, err
		}
		switch {
		case c <= ' ' || c == 0xef || c == 0xbb || c == 0xbf: // space, byte order mark
		case c == '[':
			text, err := l.readTag()
			return token{tagToken, text}, err
		case c == '{':
			text, err := l.readUntil('}')
			return token{commentToken, text}, err
		case c == ';' || c == '%':
			text, err := l.readUntil('\n')
			if c == ';' || err != nil {
				return token{commentToken, text}, err
			}
		case c == '(':
			if err := l.skipVariation(); err != nil {
				return token{}, err
			}
		default:
			if t, ok, err := l.readWord(c); ok || err != nil {
				return t, err
			}
		}
	}
}

func (l *lexer) read() (byte, error) {
	c, err := l.in.ReadByte()
	if c == '\n' {
		l.line++
	}
	if err != nil && err != io.EOF {
		return 0, fmt.Errorf("read PGN: %w", err)
	}
	return c, err
}

// readUntil reads up to a byte, or the end of the text.
func (l *lexer) readUntil(end byte) (string, error) {
	var b strings.Builder
	for b.Len() < maxToken {
		c, err := l.read()
		if c == end && err == nil || errors.Is(err, io.EOF) {
			return strings.TrimSpace(b.String()), nil
		}
		if err != nil {
			return "", err
		}
		b.WriteByte(c)
	}
	return "", fmt.Errorf("%w: more than %d bytes without %q", errSyntax, maxToken, end)
}

// readTag reads a tag up to its bracket, which quotes may hide.
func (l *lexer) readTag() (string, error) {
	var b strings.Builder
	quoted, escaped := false, false
	for b.Len() < maxToken {
		c, err := l.read()
		if err != nil {
			return "", fmt.Errorf("%w: tag without end", errSyntax)
		}
		switch {
		case escaped:
			escaped = false
		case c == '\\' && quoted:
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == '\n', c == ']' && !quoted:
			return b.String(), nil
		}
		b.WriteByte(c)
	}
	return "", fmt.Errorf("%w: tag of more than %d bytes", errSyntax, maxToken)
}

// skipVariation skips text in parentheses, nested ones included.
func (l *lexer) skipVariation() error {
	for depth := 1; depth > 0; {
		c, err := l.read()
		if err != nil {
			return fmt.Errorf("%w: variation without end", errSyntax)
		}
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case '{':
			if _, err := l.readUntil('}'); err != nil {
				return err
			}
		}
	}
	return nil
}

// readWord reads a move, a result or a NAG. Move numbers and annotation symbols are
// skipped: ok is false then.
func (l *lexer) readWord(first byte) (t token, ok bool, err error) {
	b := []byte{first}
	for len(b) < 64 {
		c, err := l.in.Peek(1)
		if err != nil || c[0] <= ' ' || strings.IndexByte("[]{}();", c[0]) >= 0 {
			break
		}
		if _, err := l.read(); err != nil {
			return token{}, false, err
		}
		b = append(b, c[0])
	}
	text := string(b)
	if _, ok := rules.ParseResult(text); ok {
		return token{resultToken, text}, true, nil
	}
	if rest := strings.TrimLeft(text, "0123456789"); strings.HasPrefix(rest, ".") {
		text = strings.TrimLeft(rest, ".") // 12.Nf3
	} else if rest == "" {
		text = ""
	}
	if strings.HasPrefix(text, "$") {
		return token{nagToken, text[1:]}, true, nil
	}
	if text == "" || strings.Trim(text, "!?") == "" || text == ")" || text == "]" || text == "}" {
		return token{}, false, nil
	}
	return token{moveToken, text}, true, nil
}

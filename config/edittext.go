package config

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// text is a YAML file that is edited in place, at the positions of its nodes.
type text struct{ data []byte }

// offset returns where a node begins.
func (t text) offset(n *yaml.Node) int {
	at := t.lineStart(n.Line)
	for range n.Column - 1 { // of characters
		_, size := utf8.DecodeRune(t.data[at:])
		at += size
	}
	return at
}

// lineStart returns where a line begins, the first being 1; the end if there are fewer.
func (t text) lineStart(line int) int {
	at := 0
	for range line - 1 {
		end := bytes.IndexByte(t.data[at:], '\n')
		if end < 0 {
			return len(t.data)
		}
		at += end + 1
	}
	return at
}

// splice returns the text with another one between two offsets.
func (t text) splice(from, to int, replacement string) []byte {
	return slices.Concat(t.data[:from], []byte(replacement), t.data[to:])
}

// appendLines adds lines at the end, after an empty one.
func (t text) appendLines(lines string) []byte {
	switch {
	case len(t.data) == 0:
	case t.data[len(t.data)-1] != '\n':
		lines = "\n\n" + lines
	default:
		lines = "\n" + lines
	}
	return t.splice(len(t.data), len(t.data), lines)
}

// insertBlock adds lines at the end of a section, behind its last line that is deeper
// indented than its name and no comment.
func (t text) insertBlock(name *yaml.Node, lines string) []byte {
	at := t.lineStart(name.Line + 1)
	for next := at; next < len(t.data); {
		line, _, _ := bytes.Cut(t.data[next:], []byte("\n"))
		next = min(next+len(line)+1, len(t.data))
		content := bytes.TrimLeft(line, " ")
		if len(bytes.TrimSpace(content)) == 0 || content[0] == '#' {
			continue
		}
		if len(line)-len(content) < name.Column {
			break
		}
		at = next
	}
	if at > 0 && t.data[at-1] != '\n' {
		lines = "\n" + lines
	}
	return t.splice(at, at, lines)
}

// insertFlow adds nested keys at the start of a section such as {min: 0, max: 0}.
func (t text) insertFlow(section *yaml.Node, parts []string, value string) ([]byte, error) {
	at := t.offset(section)
	if at >= len(t.data) || t.data[at] != '{' {
		return nil, errLayout
	}
	entry := strings.Join(parts, ": {") + ": " + value + strings.Repeat("}", len(parts)-1)
	if len(section.Content) > 0 {
		entry += ", "
	}
	return t.splice(at+1, at+1, entry), nil
}

// replace gives a key another value.
func (t text) replace(name, content *yaml.Node, value string) ([]byte, error) {
	colon := t.afterKey(name)
	if colon < 0 {
		return nil, errLayout
	}
	switch {
	case content.Kind == yaml.AliasNode:
		return nil, errAlias
	case isNull(content) && content.Value == "":
		return t.splice(colon, colon, " "+value), nil
	case content.Kind == yaml.SequenceNode && content.Style&yaml.FlowStyle == 0:
		last := content.Content[len(content.Content)-1]
		end := t.scalarEnd(last)
		if end < 0 {
			return nil, errLayout
		}
		return t.splice(colon, end, " "+value), nil
	}
	end := t.scalarEnd(content)
	if content.Kind == yaml.SequenceNode {
		end = t.flowEnd(content)
	}
	if end < 0 {
		return nil, errLayout
	}
	return t.splice(t.offset(content), end, value), nil
}

// afterKey returns where the colon of a key ends, -1 if that is not known.
func (t text) afterKey(name *yaml.Node) int {
	end := t.scalarEnd(name)
	if end < 0 {
		return -1
	}
	rest := bytes.TrimLeft(t.data[end:], " ")
	if len(rest) == 0 || rest[0] != ':' {
		return -1
	}
	return len(t.data) - len(rest) + 1
}

// scalarEnd returns where a scalar ends, -1 if that is not known.
func (t text) scalarEnd(n *yaml.Node) int {
	at := t.offset(n)
	switch {
	case n.Kind != yaml.ScalarNode || n.Anchor != "":
		return -1
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return t.quotedEnd(at)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && bytes.HasPrefix(t.data[at:], []byte(n.Value)):
		return at + len(n.Value)
	}
	return -1
}

// quotedEnd returns the end of the quoted text that begins at an offset, -1 if there is
// none.
func (t text) quotedEnd(at int) int {
	if at >= len(t.data) || t.data[at] != '"' && t.data[at] != '\'' {
		return -1
	}
	quote := t.data[at]
	for i := at + 1; i < len(t.data); i++ {
		switch {
		case quote == '"' && t.data[i] == '\\':
			i++
		case t.data[i] == quote && quote == '\'' && i+1 < len(t.data) && t.data[i+1] == quote:
			i++ // an apostrophe
		case t.data[i] == quote:
			return i + 1
		}
	}
	return -1
}

// flowEnd returns the end of a list such as [a, b], -1 if that is not known.
func (t text) flowEnd(n *yaml.Node) int {
	at, depth := t.offset(n), 0
	if at >= len(t.data) || t.data[at] != '[' {
		return -1
	}
	for i := at; i < len(t.data); i++ {
		switch c := t.data[i]; {
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case (c == '"' || c == '\'') && startsItem(t.data[i-1]):
			if i = t.quotedEnd(i) - 1; i < 0 {
				return -1
			}
		case c == '#' && (t.data[i-1] == ' ' || t.data[i-1] == '\n'):
			if end := bytes.IndexByte(t.data[i:], '\n'); end >= 0 {
				i += end
			}
		}
	}
	return -1
}

// startsItem reports whether a quote after this character begins an item of a list.
func startsItem(before byte) bool { return strings.IndexByte("[, \n\t", before) >= 0 }

package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Change gives a setting a value, written as for a flag.
type Change struct{ Key, Value string }

// Given returns the keys that are set by the file with this content, by the environment
// or by a flag; all others have their default.
func (s *Source) Given(data []byte) []string {
	merged, _ := s.merge(data)
	return slices.DeleteFunc(Keys(), func(key string) bool { return !merged.IsSet(key) })
}

// Edit returns the content of a config file with some settings changed, and which of the
// changes it lacked. The rest of it, comments and layout included, stays as it is. The file
// must be valid, and a value that is written in a way that cannot be edited, such as an
// alias, is an error.
func Edit(file string, data []byte, changes []Change) (edited []byte, made []Change, err error) {
	source := Source{File: file}
	have, err := Parse(source, data)
	if err != nil {
		return nil, nil, fmt.Errorf("the file has an error that the environment or a flag hides; correct it first: %w", err)
	}
	given := source.Given(data)
	source.Flags = map[string]string{}
	for _, c := range changes {
		source.Flags[c.Key] = c.Value
	}
	want, err := Parse(source, data)
	if err != nil {
		return nil, nil, err
	}
	changed := Diff(have, want)
	made = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return slices.Contains(given, c.Key) && !slices.Contains(changed, c.Key) })
	edited = endLastLine(data)
	for _, c := range made {
		if edited, err = edit(edited, c); err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w; change it to %s yourself", file, c.Key, err, c.Value)
		}
	}
	got, err := Parse(Source{File: file}, edited)
	if err != nil || len(Diff(want, got)) > 0 {
		return nil, nil, fmt.Errorf("%s: its layout cannot be edited; set %s yourself", file, formatChanges(made))
	}
	return edited, made, nil
}

// endLastLine ends the last line of a file. If it belongs to a block text, which would then
// end in a line break, too, the text is marked as one without.
func endLastLine(data []byte) []byte {
	var doc yaml.Node
	if len(data) == 0 || bytes.HasSuffix(data, []byte("\n")) || yaml.Unmarshal(data, &doc) != nil {
		return data
	}
	last := &doc
	for len(last.Content) > 0 {
		last = last.Content[len(last.Content)-1]
	}
	lines, end := splitLines(string(data))
	if last.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && !strings.HasSuffix(last.Value, "\n") {
		line := lines[last.Line-1]
		lines[last.Line-1] = line[:last.Column-1] + blockHeader.ReplaceAllString(line[last.Column-1:], "$1-$2")
	}
	return []byte(strings.Join(lines, end) + end)
}

// blockHeader matches what begins a block text: its style, indentation and line breaks.
var blockHeader = regexp.MustCompile(`^([|>])[+-]?([1-9]?)[+-]?`)

// formatChanges lists changes as flags have them.
func formatChanges(changes []Change) string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[i] = c.Key + "=" + c.Value
	}
	return strings.Join(texts, ", ")
}

// Parts of a file that cannot be edited.
var (
	errAlias    = errors.New("this part of the file is an alias of another")
	errComments = errors.New("comments are between its lines")
)

// edit changes one setting through the nodes of the file: it encodes the innermost entry
// that has lines of its own and holds the setting, such as "rating: {min: 0, max: 0}", or
// adds one. The other lines stay as they are, since the encoder would drop the empty ones
// and the alignment of comments.
func edit(data []byte, c Change) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	if doc.Kind != 0 && !isNull(doc.Content[0]) {
		root = doc.Content[0]
	}
	lines, end := splitLines(string(data))
	e := findEntry(root, strings.Split(c.Key, "."), lines)
	comment, err := takeComment(e.node)
	if err != nil {
		return nil, err
	}
	setting, _ := new(Config).setting(c.Key)
	if err := setNode(e.node, e.path, valueNode(setting.Type(), c.Value)); err != nil {
		return nil, err
	}
	edited, err := e.encode()
	if err != nil {
		return nil, err
	}
	if comment != "" { // where it was if there is room
		before, _, _ := strings.Cut(lines[e.from], comment)
		width := max(utf8.RuneCountInString(before), utf8.RuneCountInString(edited[0])+1)
		edited[0] = fmt.Sprintf("%-*s%s", width, edited[0], comment)
	}
	if e.from > 0 && e.from == e.to && e.indent == 0 { // a new section
		edited = slices.Insert(edited, 0, "")
	}
	lines = slices.Concat(lines[:e.from], edited, lines[e.to:])
	return []byte(strings.Join(lines, end) + end), nil
}

// splitLines returns the lines of a text and what is at the end of each.
func splitLines(text string) (lines []string, end string) {
	end = "\n"
	if n := strings.Count(text, "\r\n"); n > 0 && n == strings.Count(text, "\n") {
		end = "\r\n"
	}
	if text == "" {
		return nil, end
	}
	return strings.Split(strings.TrimSuffix(text, end), end), end
}

// entry is a name with its value, on lines of a file that hold nothing else.
type entry struct {
	node     *yaml.Node // a mapping with nothing but the entry, or without it if it is new
	path     []string   // of the setting in node
	indent   int        // of the first line
	from, to int        // the lines, to excluded
}

// findEntry returns the innermost entry that holds a setting. A whole file in braces is
// one, too.
func findEntry(root *yaml.Node, path []string, lines []string) entry {
	section, next := root, len(lines)+1 // the line of the entry after the section
	for section.Style&yaml.FlowStyle == 0 {
		i := IndexOf(section, path[0])
		if i < 0 {
			e := entry{node: &yaml.Node{Kind: yaml.MappingNode}, path: path, from: len(lines), to: len(lines)}
			if section != root {
				e.indent, e.from = section.Content[0].Column-1, lastLine(lines, next)
				e.to = e.from
			}
			return e
		}
		name, value := section.Content[i], section.Content[i+1]
		if i+2 < len(section.Content) {
			next = section.Content[i+2].Line
		}
		if len(path) == 1 || value.Kind != yaml.MappingNode || value.Style&yaml.FlowStyle != 0 {
			node := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{name, value}}
			return entry{node, path, name.Column - 1, name.Line - 1, lastLine(lines, next)}
		}
		section, path = value, path[1:]
	}
	return entry{root, path, 0, root.Line - 1, lastLine(lines, next)}
}

// lastLine returns the number of the last line before another that is neither empty nor
// a comment.
func lastLine(lines []string, next int) int {
	for next--; next > 0; next-- {
		if line := strings.TrimSpace(lines[next-1]); line != "" && line[0] != '#' {
			break
		}
	}
	return next
}

// IndexOf returns where a section of a file has a name, -1 if it has not.
func IndexOf(section *yaml.Node, name string) int {
	for i := 0; i+1 < len(section.Content); i += 2 {
		if section.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// takeComment removes the comments from a mapping and returns the one beside its value,
// "" for none. There must be no others.
func takeComment(n *yaml.Node) (comment string, err error) {
	for i, child := range n.Content {
		inner, err := takeComment(child)
		one := child.LineComment + inner
		if err != nil || i > 0 && child.HeadComment != "" || comment != "" && one != "" || child.LineComment != "" && inner != "" {
			return "", errComments
		}
		comment += one
		child.HeadComment, child.LineComment, child.FootComment = "", "", ""
	}
	return comment, nil
}

// setNode gives a setting in a mapping a value, and adds its sections as needed.
func setNode(n *yaml.Node, path []string, value *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return errAlias
	}
	i := IndexOf(n, path[0])
	if i < 0 {
		i = len(n.Content)
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: path[0]}, &yaml.Node{Kind: yaml.MappingNode})
	}
	if len(path) == 1 {
		n.Content[i+1] = value
		return nil
	}
	if isNull(n.Content[i+1]) {
		n.Content[i+1] = &yaml.Node{Kind: yaml.MappingNode}
	}
	return setNode(n.Content[i+1], path[1:], value)
}

// encode returns the lines of the entry.
func (e *entry) encode() ([]string, error) {
	var text strings.Builder
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(e.node); err != nil {
		return nil, err
	}
	lines, _ := splitLines(text.String())
	for i := range lines {
		lines[i] = strings.Repeat(" ", e.indent) + lines[i]
	}
	return lines, nil
}

// valueNode returns a value of a type, given as for a flag.
func valueNode(t reflect.Type, flag string) *yaml.Node {
	var doc yaml.Node
	switch {
	case t.Kind() == reflect.String:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: flag}
	case t.Kind() == reflect.Slice && t != contendersType:
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range splitList(flag) {
			list.Content = append(list.Content, valueNode(reflect.TypeFor[string](), item))
		}
		return list
	case yaml.Unmarshal([]byte(flag), &doc) != nil || doc.Kind == 0:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	return doc.Content[0]
}

package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader collects the settings of a file and what is wrong with them.
//
// It reads the nodes, not what a YAML decoder makes of them: a node has a line, and keeps
// a value such as 007 or yes as written.
type reader struct {
	*problems
	file string
}

func (r *reader) addAt(line int, format string, args ...any) {
	r.list = append(r.list, problem{location{r.file, line}, fmt.Errorf(format, args...)})
	r.malformed = true
}

// read returns a file's values as texts, lists and maps: every key known, every list and
// section where one belongs. A key without a value has none.
func (r *reader) read(data []byte) map[string]any {
	root, line, err := ParseYAML(data)
	if err != nil {
		r.addAt(line, "%w", err)
	}
	if root == nil {
		return nil
	}
	if program := otherProgram(root); program != "" {
		r.addAt(0, "these are settings of %s: write ours instead, "+
			"as \"Coming from lichess-bot or BotLi\" in docs/install.md shows", program)
		return nil
	}
	values, _ := r.value("", reflect.TypeFor[Config](), root).(map[string]any)
	return values
}

// otherProgram returns the program whose settings have these top-level keys, some of which
// ours never have; "" for none.
func otherProgram(root *yaml.Node) string {
	has := func(name string) bool {
		for i := 0; i+1 < len(root.Content); i += 2 {
			if root.Content[i].Value == name {
				return true
			}
		}
		return false
	}
	switch {
	case root.Kind != yaml.MappingNode || !has("challenge"): // ours is challenges
		return ""
	case has("engines"):
		return "BotLi"
	case has("engine") && (has("token") || has("url")):
		return "lichess-bot"
	}
	return ""
}

// ParseYAML returns the root of the only document in a file, nil for an empty file. An error
// has the line of the mistake, 0 if there is none.
func ParseYAML(data []byte) (root *yaml.Node, line int, err error) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := documents.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, 0, nil
	case err != nil:
		text := err.Error()
		if bytes.Count(data, []byte("\n")) <= maxSearchedLines {
			line, text = invalidLine(data), yamlLine.ReplaceAllString(text, "")
		}
		return nil, line, fmt.Errorf("%s; check indentation, brackets and quotes", text)
	}
	if err := documents.Decode(&second); !errors.Is(err, io.EOF) {
		return doc.Content[0], 0, errors.New("more than one YAML document; want only one")
	}
	return doc.Content[0], 0, nil
}

// yamlLine matches the line in an error of the parser: that of the section around the
// mistake, if it is not that before.
var yamlLine = regexp.MustCompile(`^yaml: (line \d+: )?`)

// maxSearchedLines bounds the time that invalidLine takes, which grows with their square.
const maxSearchedLines = 2000

// invalidLine returns the line with which YAML becomes invalid, whatever follows.
func invalidLine(data []byte) int {
	valid := len(data)
	for valid > 0 && yaml.Unmarshal(data[:valid], new(yaml.Node)) != nil {
		valid = bytes.LastIndexByte(data[:valid-1], '\n') + 1
	}
	return bytes.Count(data[:valid], []byte("\n")) + 1
}

// value returns what a node gives for a setting or section of a type, nil for nothing.
// Aliases cannot cause a cycle: each step down follows the types.
func (r *reader) value(path string, t reflect.Type, n *yaml.Node) any {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	isList := t.Kind() == reflect.Slice
	switch {
	case isNull(n):
		return nil
	case isSection(t) && n.Kind == yaml.MappingNode:
		return r.section(path, t, n)
	case isList && n.Kind == yaml.SequenceNode:
		return r.items(path, t.Elem(), n)
	case (!isSection(t) && !isList || t == urlsType) && n.Kind == yaml.ScalarNode:
		return n.Value
	}
	r.addAt(n.Line, "%s: want %s", cmp.Or(path, "the file"), describeType(t))
	return nil
}

func (r *reader) section(path string, t reflect.Type, n *yaml.Node) map[string]any {
	values := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		key := join(path, name.Value)
		field, known := fieldOf(t, name.Value)
		if advice, gone := removedKeys[key]; gone {
			r.addAt(name.Line, "%s: %s", key, advice)
			continue
		}
		if !known {
			r.addAt(name.Line, "unknown key %s%s", key, hint(path, name.Value, t))
			continue
		}
		if first, twice := r.locations[key]; twice {
			r.addAt(name.Line, "%s: given twice, first at %s", key, first)
		}
		r.locations[key] = location{r.file, name.Line}
		if v := r.value(key, field.Type, n.Content[i+1]); v != nil {
			values[name.Value] = v
		}
	}
	return values
}

func (r *reader) items(path string, t reflect.Type, n *yaml.Node) []any {
	items := make([]any, len(n.Content))
	for i, item := range n.Content {
		key := fmt.Sprintf("%s[%d]", path, i)
		r.locations[key] = location{r.file, item.Line}
		if items[i] = r.value(key, t, item); isNull(item) {
			r.addAt(item.Line, "%s: want %s", key, describeType(t))
		}
	}
	return items
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// hint names the nearest key of the section, or all if none is close.
func hint(path, name string, t reflect.Type) string {
	var names []string
	for _, f := range fieldsOf(t) {
		names = append(names, f.Tag.Get("key"))
	}
	if n := nearest(name, names); n != "" {
		return fmt.Sprintf("; did you mean %s?", join(path, n))
	}
	return fmt.Sprintf("; %s has %s", cmp.Or(path, "the file"), strings.Join(names, ", "))
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

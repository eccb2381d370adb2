package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// readFile reads a file's values: every key known, every value of its type. A
// key without a value keeps its default.
//
// It reads the nodes, not what a YAML decoder makes of them: a node has a line,
// and keeps a value such as 007 or yes as written.
func readFile(name string, data []byte) *fileReader {
	r := &fileReader{file: name, settings: viper.New(), locations: map[string]string{}}
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := documents.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return r // empty
	case err != nil:
		location, problem := name, err.Error()
		if bytes.Count(data, []byte("\n")) <= maxSearchedLines {
			location, problem = fmt.Sprintf("%s:%d", name, invalidLine(data)), yamlLine.ReplaceAllString(problem, "")
		}
		r.fail(location, "%s; check indentation, brackets and quotes", problem)
		return r
	}
	r.section("", doc.Content[0])
	if err := documents.Decode(&second); !errors.Is(err, io.EOF) {
		r.fail(name, "more than one YAML document; want only one")
	}
	return r
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

// fileReader collects the settings of a file.
type fileReader struct {
	file      string
	settings  *viper.Viper
	locations map[string]string // the position of each key
	problems  []error
}

func (r *fileReader) location(n *yaml.Node) string { return fmt.Sprintf("%s:%d", r.file, n.Line) }

func (r *fileReader) fail(location, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s: %w", location, fmt.Errorf(format, args...)))
}

func (r *fileReader) add(n *yaml.Node, format string, args ...any) {
	r.fail(r.location(n), format, args...)
}

// section reads the keys of a section. Aliases cannot
// cause a cycle: each step down follows the settings' own tree.
func (r *fileReader) section(path string, n *yaml.Node) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.add(n, "%s: want a section with keys of its own", orFile(path))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		full := join(path, name.Value)
		switch setting := new(Config).setting(full); {
		case r.locations[full] != "":
			r.add(name, "%s: given twice, first at %s", full, r.locations[full])
		case len(keysIn(full)) > 0:
			r.locations[full] = r.location(name)
			r.section(full, value)
		case setting.IsValid():
			r.locations[full] = r.location(name)
			r.value(full, setting.Type(), value)
		default:
			r.add(name, "unknown key %s%s", full, hint(path, name.Value))
		}
	}
}

func orFile(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// hint names the nearest key of the section, or all if none is close.
func hint(path, name string) string {
	names := keysIn(path)
	if n := nearest(name, names); n != "" {
		return fmt.Sprintf("; did you mean %s?", join(path, n))
	}
	return fmt.Sprintf("; %s has %s", orFile(path), strings.Join(names, ", "))
}

// keysIn lists what a section holds, "" for the file, by the last part of the keys.
func keysIn(section string) (names []string) {
	for _, key := range Keys() {
		if rest, ok := strings.CutPrefix(key, join(section, "")); ok {
			if first, _, _ := strings.Cut(rest, "."); !slices.Contains(names, first) {
				names = append(names, first)
			}
		}
	}
	return names
}

// value reads the value of a key.
func (r *fileReader) value(path string, t reflect.Type, n *yaml.Node) {
	if value := r.read(path, t, n); value != nil {
		r.settings.SetDefault(path, value)
	}
}

// read returns a value of a type, nil if there is none or an invalid one.
func (r *fileReader) read(path string, t reflect.Type, n *yaml.Node) any {
	n = resolve(n)
	switch {
	case isNull(n):
		return nil
	case t == listType && n.Kind == yaml.SequenceNode:
		return r.list(path, n)
	case t == contendersType && n.Kind == yaml.SequenceNode:
		return r.contenders(path, n)
	case n.Kind != yaml.ScalarNode || t == listType || t == contendersType:
		r.add(n, "%s: want %s", path, describeType(t))
		return nil
	}
	value, err := parse(t, n.Value)
	if err != nil {
		r.add(n, "%s: %w", path, err)
		return nil
	}
	return value
}

func (r *fileReader) list(path string, n *yaml.Node) []string {
	items := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		item = resolve(item)
		if item.Kind != yaml.ScalarNode || isNull(item) {
			r.add(item, "%s: want strings in the list", path)
			continue
		}
		items = append(items, item.Value)
	}
	return items
}

// resolve returns the node that an alias refers to.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

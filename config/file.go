package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// read returns what a source has for a key, "" for a whole file: maps, lists and texts, which
// are as written; nil for nothing.
func (p *problems) read(source, key string, data []byte) (values any) {
	root, line, err := parseYAML(data)
	if root != nil {
		switch program := otherProgram(root); {
		case program != "":
			err = fmt.Errorf("these are settings of %s: write ours instead, "+
				"as \"Coming from lichess-bot or BotLi\" in docs/install.md shows", program)
		case key == "" && root.Kind != yaml.MappingNode && !isNull(root):
			line, err = root.Line, errors.New("want sections such as games: {max: 4}")
		default:
			p.locate(source, key, root)
			err = cmp.Or(err, root.Decode(&values))
		}
	}
	if err != nil {
		p.list = append(p.list, problem{location{source: source, line: line}, key, err})
	}
	return values
}

// maxAliases ends the search in an alias that contains itself.
const maxAliases = 100

// locate records where each key below path is. It marks all scalars as strings, so that 007 and yes
// are read as written, and rejects and drops keys that viper would accept: duplicates, and those
// with capitals.
func (p *problems) locate(source, path string, n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		if !isNull(n) {
			n.Tag = "!!str"
		}
	case yaml.AliasNode:
		if p.aliases++; p.aliases < maxAliases {
			p.locate(source, path, n.Alias)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			key := fmt.Sprintf("%s[%d]", path, i)
			p.locations[key] = location{source: source, line: item.Line}
			if isNull(item) {
				p.add(key, "has no value; want one, or [] for an empty list")
			}
			p.locate(source, key, item)
		}
	case yaml.MappingNode:
		pairs := n.Content
		n.Content = nil
		for i := 0; i+1 < len(pairs); i += 2 {
			name, value := pairs[i], pairs[i+1]
			key := join(path, name.Value)
			if p.locations[key].line != 0 {
				p.add(key, "given again in line %d", name.Line)
				continue
			}
			p.locations[key] = location{source, name.Line, isNull(value)}
			if name.Value != strings.ToLower(name.Value) {
				p.add(key, "unknown key; keys are in lower case")
				continue
			}
			name.Tag = "!!str"
			p.locate(source, key, value)
			n.Content = append(n.Content, name, value)
		}
	}
}

// otherProgram returns the program whose settings have these top-level keys, some of which
// ours never have; "" for none.
func otherProgram(root *yaml.Node) string {
	var keys map[string]yaml.Node
	_ = root.Decode(&keys) // if that fails, it is a mistake in ours
	has := func(name string) bool { return keys[name].Kind != 0 }
	switch {
	case !has("challenge"): // ours is challenges
		return ""
	case has("engines"):
		return "BotLi"
	case has("engine") && (has("token") || has("url")):
		return "lichess-bot"
	}
	return ""
}

// parseYAML returns the root of the only document in a file, nil for an empty file. An error
// has the line of the mistake, 0 if there is none.
func parseYAML(data []byte) (root *yaml.Node, line int, err error) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := documents.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, 0, nil
	case err != nil:
		text := err.Error()
		if bytes.Count(data, []byte("\n")) <= maxSearchedLines {
			line, text = invalidLine(data), yamlLine.ReplaceAllString(text, "")
			if tab.Match(slices.Collect(bytes.Lines(data))[line-1]) {
				return nil, line, errors.New("begins with a tab; indent it by spaces")
			}
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

// tab matches the beginning of a line that is not indented by spaces alone.
var tab = regexp.MustCompile(`^ *\t`)

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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

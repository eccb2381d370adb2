package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a config file.
const maxFile = 1 << 20

// checkFile reads the form of a file: every key known, every value of its
// type. It returns what is wrong, and where each key stands.
func checkFile(name string, data []byte) (problems []error, places map[string]string) {
	places = map[string]string{}
	if len(data) > maxFile {
		return []error{fmt.Errorf("%s: %d bytes, want at most %d", name, len(data), maxFile)}, places
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return []error{fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))}, places
	}
	if len(doc.Content) == 0 {
		return nil, places // empty
	}
	c := checker{file: name, keys: allKeys(), places: places}
	c.sections = sections(c.keys)
	c.mapping("", doc.Content[0])
	return c.problems, places
}

type checker struct {
	file     string
	keys     []key
	sections map[string]bool
	places   map[string]string
	problems []error
}

func (c *checker) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", c.file, n.Line) }

func (c *checker) add(n *yaml.Node, format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("%s: %w", c.at(n), fmt.Errorf(format, args...)))
}

// mapping checks a section.
func (c *checker) mapping(path string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // a section without keys
	}
	if n.Kind != yaml.MappingNode {
		c.add(n, "%s: want a section with keys of its own", orFile(path))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		full := join(path, name.Value)
		switch t, known := c.typeOf(full); {
		case c.places[full] != "":
			c.add(name, "%s: given twice, first at %s", full, c.places[full])
		case c.sections[full]:
			c.places[full] = c.at(name)
			c.mapping(full, value)
		case known:
			c.places[full] = c.at(name)
			c.value(full, t, value)
		default:
			c.add(name, "unknown key %s%s", full, c.hint(path, name.Value))
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

func (c *checker) typeOf(path string) (reflect.Type, bool) {
	for _, k := range c.keys {
		if k.path == path {
			return k.typ, true
		}
	}
	return nil, false
}

// hint names the nearest key of the section.
func (c *checker) hint(path, name string) string {
	var names []string
	for _, k := range c.keys {
		rest := k.path
		if path != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, path+"."); !ok {
				continue
			}
		}
		first, _, _ := strings.Cut(rest, ".")
		names = append(names, first)
	}
	if n := nearest(name, names); n != "" {
		return fmt.Sprintf("; did you mean %s?", join(path, n))
	}
	return fmt.Sprintf("; %s knows none like it", orFile(path))
}

// value checks a value against the type of its key.
func (c *checker) value(path string, t reflect.Type, n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if t == listType {
		c.list(path, n)
		return
	}
	if n.Kind != yaml.ScalarNode {
		c.add(n, "%s: want %s", path, want(t))
		return
	}
	if t.Kind() == reflect.String && n.Tag == "!!null" {
		return
	}
	if err := checkText(t, n.Value); err != nil {
		c.add(n, "%s: %q is not %s", path, shown(t, n.Value), want(t))
	}
}

func (c *checker) list(path string, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		c.add(n, "%s: want %s", path, want(listType))
		return
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			c.add(item, "%s: want texts in the list", path)
		}
	}
}

// shown keeps secrets out of messages.
func shown(t reflect.Type, value string) string {
	if t == reflect.TypeFor[Secret]() {
		return hidden
	}
	return value
}

var errForm = errors.New("wrong form")

// checkText reports whether a text can be a value of a type.
func checkText(t reflect.Type, text string) error {
	var err error
	switch {
	case t == durationType:
		var d time.Duration
		if d, err = time.ParseDuration(text); err == nil && d < 0 {
			err = errForm
		}
	case t.Kind() == reflect.Bool:
		if text != "true" && text != "false" {
			err = errForm
		}
	case t.Kind() == reflect.Int:
		_, err = strconv.Atoi(text)
	}
	return err
}

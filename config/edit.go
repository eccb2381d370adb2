package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

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

// Edit returns the content of a config file with some settings changed. The rest of it,
// comments and layout included, stays as it is. The file must be valid, and a value that
// is written in a way that cannot be edited, such as an alias, is an error.
func Edit(file string, data []byte, changes []Change) ([]byte, error) {
	flags := map[string]string{}
	for _, c := range changes {
		flags[c.Key] = c.Value
	}
	want, err := Parse(Source{File: file, Flags: flags}, data)
	if err != nil {
		return nil, err
	}
	edited := data
	for _, c := range changes {
		if edited, err = edit(edited, c); err != nil {
			return nil, fmt.Errorf("%s: %s: %w; change it to %s yourself", file, c.Key, err, c.Value)
		}
	}
	got, err := Parse(Source{File: file}, edited)
	if err != nil || len(Diff(want, got)) > 0 {
		return nil, fmt.Errorf("%s: its layout cannot be edited; set %s yourself", file, formatChanges(changes))
	}
	return edited, nil
}

// formatChanges lists changes as flags have them.
func formatChanges(changes []Change) string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[i] = c.Key + "=" + c.Value
	}
	return strings.Join(texts, ", ")
}

// Values that cannot be edited, since their extent in the text is unknown.
var (
	errAlias  = errors.New("this part of the file is an alias of another")
	errLayout = errors.New("its value spans several lines or has an anchor")
)

// edit changes one setting: its value if it has one, else it is inserted into the
// innermost of its sections that exists.
func edit(data []byte, c Change) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	t := text{data}
	parts := strings.Split(c.Key, ".")
	setting, _ := new(Config).setting(c.Key)
	value := formatValue(setting.Type(), c.Value)
	if doc.Kind == 0 || isNull(doc.Content[0]) {
		return t.appendLines(blockLines(parts, value, 0)), nil
	}
	section := doc.Content[0]
	var header *yaml.Node // the section's name, nil for the file
	for i, part := range parts {
		if section.Kind == yaml.AliasNode {
			return nil, errAlias
		}
		name, content := child(section, part)
		switch {
		case name == nil && section.Style&yaml.FlowStyle != 0:
			return t.insertFlow(section, parts[i:], value)
		case name == nil && header == nil:
			return t.appendLines(blockLines(parts, value, 0)), nil
		case name == nil:
			return t.insertBlock(header, blockLines(parts[i:], value, section.Column-1)), nil
		case i == len(parts)-1:
			return t.replace(name, content, value)
		case isNull(content) && section.Style&yaml.FlowStyle != 0:
			return nil, errLayout
		case isNull(content):
			return t.insertBlock(name, blockLines(parts[i+1:], value, name.Column+1)), nil
		}
		header, section = name, content
	}
	return nil, errLayout
}

// child returns a key of a section with its value, nil if there is none.
func child(section *yaml.Node, part string) (name, value *yaml.Node) {
	for i := 0; i+1 < len(section.Content); i += 2 {
		if section.Content[i].Value == part {
			return section.Content[i], section.Content[i+1]
		}
	}
	return nil, nil
}

// blockLines writes nested keys with a value, one on each line.
func blockLines(parts []string, value string, indent int) string {
	var b strings.Builder
	for i, part := range parts {
		fmt.Fprintf(&b, "%*s%s:", indent+2*i, "", part)
		if i == len(parts)-1 {
			b.WriteString(" " + value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// plainText is what needs no quotes in YAML, wherever it stands.
var plainText = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_/.+-]*$`)

// plainWords look like plain text but are not strings.
var plainWords = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

// formatValue writes a value of a type, given as for a flag, in YAML.
func formatValue(t reflect.Type, flag string) string {
	if t.Kind() == reflect.Slice {
		items := splitList(flag)
		for i := range items {
			items[i] = quote(items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if t.Kind() == reflect.String {
		return quote(flag)
	}
	return flag
}

// quote writes a string in YAML, of which a JSON string is one form.
func quote(s string) string {
	if plainText.MatchString(s) && !slices.Contains(plainWords, strings.ToLower(s)) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return strings.TrimSpace(b.String())
}

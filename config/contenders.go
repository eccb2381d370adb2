package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Contender is one of the engines among which the games are shared out. What it does not
// set is taken from the section engine.
type Contender struct {
	Name    string   `key:"name"`
	Weight  int      `key:"weight"`  // of its share of the games
	Network *string  `key:"network"` // nil if not set
	Book    []string `key:"book"`    // nil if not set
	Command *string  `key:"command"` // nil if not set
	Options []string `key:"options"` // nil if not set
}

func contenderNames(list []Contender) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// contenders reads a list of contenders. The position of each, and of their keys, is
// noted under names such as contenders[0].weight.
func (r *fileReader) contenders(path string, n *yaml.Node) []Contender {
	list := make([]Contender, 0, len(n.Content))
	for i, item := range n.Content {
		list = append(list, r.contender(fmt.Sprintf("%s[%d]", path, i), item))
	}
	return list
}

func (r *fileReader) contender(path string, n *yaml.Node) Contender {
	c := Contender{Weight: 1}
	r.locations[path] = r.location(n)
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		r.add(n, "%s: want keys of its own: %s", path, strings.Join(contenderKeys(), ", "))
		return c
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		key := path + "." + name.Value
		field := c.field(name.Value)
		switch {
		case !field.IsValid():
			r.add(name, "unknown key %s%s", key, contenderHint(name.Value))
			continue
		case r.locations[key] != "":
			r.add(name, "%s: given twice, first at %s", key, r.locations[key])
		}
		r.locations[key] = r.location(name)
		t := field.Type()
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		value := reflect.ValueOf(r.read(key, t, n.Content[i+1]))
		switch {
		case !value.IsValid(): // none
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.New(t))
			field.Elem().Set(value)
		default:
			field.Set(value)
		}
	}
	return c
}

// field returns the setting of a key, the zero Value if there is none.
func (c *Contender) field(key string) reflect.Value {
	for f, value := range reflect.ValueOf(c).Elem().Fields() {
		if f.Tag.Get("key") == key {
			return value
		}
	}
	return reflect.Value{}
}

func contenderKeys() (keys []string) {
	for f := range reflect.TypeFor[Contender]().Fields() {
		keys = append(keys, f.Tag.Get("key"))
	}
	return keys
}

func contenderHint(name string) string {
	if n := nearest(name, contenderKeys()); n != "" {
		return fmt.Sprintf("; did you mean %s?", n)
	}
	return fmt.Sprintf("; a contender has %s", strings.Join(contenderKeys(), ", "))
}

// overrideContenders replaces the file's list by one that is written as in a file.
func (r *fileReader) overrideContenders(key, location, text string) {
	given := readFile(location, []byte(key+": "+text))
	r.problems = append(r.problems, given.problems...)
	r.settings.Set(key, given.settings.Get(key))
	for name, at := range given.locations {
		r.locations[name] = at
	}
}

// contenderName matches the names of contenders, which are printed in tables and tags.
var contenderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,39}$`)

// Bounds on contenders. Each has its own memory.
const (
	maxContenders = 8
	maxWeight     = 1000
)

func (c *Config) validateContenders(p *problems) {
	if len(c.Contenders) > maxContenders {
		p.add("contenders", "%d are too many, want at most %d", len(c.Contenders), maxContenders)
	}
	first, weights := map[string]int{}, 0
	for i, k := range c.Contenders {
		key := fmt.Sprintf("contenders[%d]", i)
		before, known := first[strings.ToLower(k.Name)]
		switch {
		case k.Name == "":
			p.add(key, "no name; want one that identifies its games in the records")
		case !contenderName.MatchString(k.Name):
			p.add(key+".name", "%q is not a name; want up to 40 letters, digits, spaces and . _ + -", k.Name)
		case known:
			p.add(key+".name", "%q is also the name of contenders[%d]", k.Name, before)
		default:
			first[strings.ToLower(k.Name)] = i
		}
		if k.Command != nil {
			p.checkCommand(key+".command", *k.Command)
		}
		p.checkOptions(key+".options", k.Options)
		p.atLeast(key+".weight", k.Weight, 0)
		p.atMost(key+".weight", k.Weight, maxWeight)
		weights += k.Weight
	}
	if len(c.Contenders) > 0 && weights <= 0 {
		p.add("contenders", "all have a weight of 0, so none would get a game; want at least one with more")
	}
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
)

// Error lists everything that is wrong with the settings.
type Error struct {
	Problems []error
}

// Error puts each problem on its own line.
func (e *Error) Error() string {
	return "configuration:\n  " + strings.ReplaceAll(errors.Join(e.Problems...).Error(), "\n", "\n  ")
}

// Unwrap returns the problems.
func (e *Error) Unwrap() []error { return e.Problems }

// location is where a setting is given.
type location struct {
	source string // a file, a variable of the environment, or --set; "" for a default
	line   int    // of the file; 0 for none
	empty  bool   // the key has no value
}

func (l location) String() string {
	if l.line == 0 {
		return l.source
	}
	return fmt.Sprintf("%s:%d", l.source, l.line)
}

// problem is what is wrong with a key, "" for all, at a location, which may be zero.
type problem struct {
	location
	key string
	err error
}

func (p problem) Error() string {
	text, key := p.err.Error(), p.key
	if i := strings.IndexAny(key, ":="); i >= 0 { // what follows may be a secret
		key, text = key[:i], "unknown key; want a colon and a blank after it"
	}
	for _, place := range []string{key, p.location.String()} {
		if place != "" {
			text = place + ": " + text
		}
	}
	return text
}

// problems collects what is wrong with the settings.
type problems struct {
	config    *Config             // what is decoded so far
	locations map[string]location // of keys, and of the items of lists
	aliases   int                 // that were followed
	list      []problem
}

// add adds a problem with a setting, a section, or an item of a list, unless it has one already:
// what cannot be decoded has no value to check.
func (p *problems) add(key, format string, args ...any) {
	if slices.ContainsFunc(p.list, func(other problem) bool { return other.key == key }) {
		return
	}
	at, found := p.locations[key]
	for around := key; !found && around != ""; at, found = p.locations[around] {
		around = around[:max(strings.LastIndexAny(around, ".["), 0)]
	}
	p.list = append(p.list, problem{at, key, fmt.Errorf(format, args...)})
}

// addIf adds an error, if there is one.
func (p *problems) addIf(key string, err error) {
	if err != nil {
		p.add(key, "%w", err)
	}
}

// addDecoding adds the errors of mapstructure.
func (p *problems) addDecoding(err error) {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			p.addDecoding(e)
		}
	} else if one, ok := errors.AsType[*mapstructure.DecodeError](err); ok {
		section := one.Name()
		names, unused := strings.CutPrefix(one.Unwrap().Error(), "has invalid keys: ")
		if !unused {
			p.add(section, "%w", one.Unwrap())
			return
		}
		if section == reflect.TypeFor[Config]().String() {
			section = ""
		}
		for name := range strings.SplitSeq(names, ", ") {
			p.add(join(section, name), "%s", p.adviseKey(section, name))
		}
	}
}

// adviseKey says what to write instead of an unknown key: the nearest of its section, or all if
// none is close.
func (p *problems) adviseKey(section, name string) string {
	if advice, gone := removedKeys[join(section, name)]; gone {
		return advice
	}
	if name == "<<" {
		return "merge keys are not supported; write the settings out, or give the whole section by an alias, " +
			"as in bots: *name"
	}
	var names []string
	p.config.section().visit(func(s setting) {
		if s.key == section {
			for _, f := range fieldsOf(s.Type()) {
				names = append(names, f.Tag.Get("key"))
			}
		}
	})
	if n := nearest(name, names); n != "" {
		return "unknown key; did you mean " + join(section, n) + "?"
	}
	return fmt.Sprintf("unknown key; %s has %s", cmp.Or(section, "the file"), strings.Join(names, ", "))
}

// err returns an *[Error] with all problems in the order of their lines, nil for none.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	e := new(Error)
	for _, one := range p.list {
		e.Problems = append(e.Problems, one)
	}
	return e
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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
	source string // a file, a variable of the environment, or --set
	line   int    // of the file; 0 for none
}

func (l location) String() string {
	if l.line == 0 {
		return l.source
	}
	return fmt.Sprintf("%s:%d", l.source, l.line)
}

// problem is what is wrong at a location, which is zero if it is unknown.
type problem struct {
	location location
	err      error
}

// Error prefixes the problem with its location.
func (p problem) Error() string {
	if p.location == (location{}) {
		return p.err.Error()
	}
	return p.location.String() + ": " + p.err.Error()
}

// Unwrap returns the problem without its location.
func (p problem) Unwrap() error { return p.err }

// problems collects what is wrong with the settings.
type problems struct {
	locations map[string]location // of each key that is given, and of the items of lists
	list      []problem
	malformed bool // some values are missing for their type or place, so that others may seem wrong
}

// add adds a problem with a setting, or with an item of a list.
func (p *problems) add(key, format string, args ...any) {
	at, found := p.locations[key]
	for section := key; !found && section != ""; at, found = p.locations[section] {
		section = section[:max(strings.LastIndexAny(section, ".["), 0)]
	}
	p.list = append(p.list, problem{at, fmt.Errorf("%s: %w", key, fmt.Errorf(format, args...))})
}

// addIf adds an error, if there is one.
func (p *problems) addIf(key string, err error) {
	if err != nil {
		p.add(key, "%w", err)
	}
}

// addDecoding adds the errors of decoding.
func (p *problems) addDecoding(err error) {
	var one *mapstructure.DecodeError
	var many interface{ Unwrap() []error }
	switch {
	case errors.As(err, &many):
		for _, e := range many.Unwrap() {
			p.addDecoding(e)
		}
	case errors.As(err, &one):
		p.add(one.Name(), "%w", one.Unwrap())
		p.malformed = p.malformed || errors.As(one, new(*typeError))
	}
}

// relocate has a setting come from another source.
func (p *problems) relocate(key, source string) {
	maps.DeleteFunc(p.locations, func(k string, _ location) bool { return strings.HasPrefix(k, key+"[") })
	p.locations[key] = location{source: source}
}

// err returns an *[Error] with all problems in the order of their lines, nil for none.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b problem) int { return cmp.Compare(a.location.line, b.location.line) })
	e := new(Error)
	for _, one := range p.list {
		e.Problems = append(e.Problems, one)
	}
	return e
}

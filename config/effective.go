package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// Effective is a setting in force.
type Effective struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`  // true or false, a number, a text, or a list of texts; secrets are hidden
	Origin string `json:"origin"` // default, a file with a line, a variable of the environment, or --set
}

// Text returns the value as written in a config file.
func (e *Effective) Text() string { return formatPlain(e.Value) }

// Effective returns every setting in force, in the order of the structs, or an *[Error].
// data is the content of the file.
func (s *Source) Effective(data []byte) (list []Effective, err error) {
	c, p := s.parse(data)
	if err := p.err(); err != nil {
		return nil, err
	}
	c.section().visit(func(s setting) {
		at := p.locations[s.key]
		given := at.source != "" && !at.empty
		// Unset, a contender's field is that of the section engine, which is listed there.
		isDefault := s.Kind() != reflect.Int && strings.Contains(s.key, "[")
		if isSection(s.Type()) || s.Type() == contendersType && s.Len() > 0 || !given && isDefault {
			return
		}
		origin := "default"
		if given {
			origin = at.String()
		}
		list = append(list, Effective{s.key, s.plain(), origin})
	})
	return list, nil
}

// Format returns the value of a setting as written in a config file, "" for unknown keys
// and secrets.
func Format(c *Config, key string) string {
	s, ok := c.setting(key)
	if !ok || isSecret(s.Type()) {
		return ""
	}
	return formatPlain(s.plain())
}

// private is what may be secret in a command or an address: all after the program or the path.
var private = regexp.MustCompile(`(?s)[\s=?].*`)

// plain returns the value as other programs read it, without what is secret.
func (s setting) plain() any {
	switch v := reflect.Indirect(s.Value); {
	case s.tag.Get("form") == "command":
		return private.ReplaceAllString(strings.TrimSpace(v.String()), " "+hidden)
	case v.Kind() == reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = fmt.Sprint(v.Index(i))
			if v.Type() == urlsType {
				items[i] = private.ReplaceAllString(items[i], " "+hidden)
			}
		}
		return items
	case v.Type() == durationType:
		return zeros.ReplaceAllString(fmt.Sprint(v), "$1")
	case v.Kind() == reflect.Bool, v.Kind() == reflect.Int:
		return v.Interface()
	default:
		return fmt.Sprint(v.Interface())
	}
}

func formatPlain(value any) string {
	if items, ok := value.([]string); ok {
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// zeros matches the end of a duration that is left out: 3h rather than 3h0m0s.
var zeros = regexp.MustCompile(`([hm])(0m)?0s$`)

package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
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
	c, err := Parse(*s, data)
	if err != nil {
		return nil, err
	}
	merged, p := s.merge(data)
	add := func(s setting, given bool) {
		origin := "default"
		if given {
			origin = p.locations[s.key].String()
		}
		list = append(list, Effective{s.key, s.plain(), origin})
	}
	for _, s := range c.settings() {
		if s.Type() != contendersType || s.Len() == 0 {
			add(s, merged.IsSet(s.key))
			continue
		}
		for i := range s.Len() {
			for _, s := range (setting{Value: s.Index(i), key: fmt.Sprintf("%s[%d]", s.key, i)}).settings() {
				_, given := p.locations[s.key]
				if given || s.Kind() == reflect.Int { // what else it does not set is that of the section engine
					add(s, given)
				}
			}
		}
	}
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
		return FormatDuration(time.Duration(v.Int()))
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

// FormatDuration returns a duration without what is zero: 3h rather than 3h0m0s.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

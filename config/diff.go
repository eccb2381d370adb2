package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Diff returns the keys of the settings that differ.
func Diff(a, b *Config) (names []string) {
	values := map[string]any{}
	for key, v := range b.settings() {
		values[key] = v.Interface()
	}
	for key, v := range a.settings() {
		if !equal(v.Interface(), values[key]) {
			names = append(names, key)
		}
	}
	return names
}

// equal compares two values of a setting; no list is an empty one.
func equal(a, b any) bool {
	switch list := a.(type) {
	case []string:
		return slices.Equal(list, b.([]string))
	case []Contender:
		return slices.EqualFunc(list, b.([]Contender), func(x, y Contender) bool { return reflect.DeepEqual(x, y) })
	}
	return a == b
}

// Format returns the value of a setting as written in a config file, "" for unknown keys
// and secrets.
func Format(c *Config, key string) string {
	v := c.setting(key)
	if !v.IsValid() {
		return ""
	}
	switch value := v.Interface().(type) {
	case Secret:
		return ""
	case []string:
		return "[" + strings.Join(value, ", ") + "]"
	case []Contender:
		return "[" + strings.Join(contenderNames(value), ", ") + "]"
	default:
		return fmt.Sprint(value)
	}
}

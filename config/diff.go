package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Keys returns the keys of a section such as "challenges", or all keys if it is "".
func Keys(section string) (names []string) {
	for _, k := range allKeys() {
		if section == "" || strings.HasPrefix(k.path, section+".") {
			names = append(names, k.path)
		}
	}
	return names
}

// Diff returns the keys of the settings that differ.
func Diff(a, b *Config) (names []string) {
	values := map[string]any{}
	visitSettings(b, func(path string, v reflect.Value) { values[path] = v.Interface() })
	visitSettings(a, func(path string, v reflect.Value) {
		if !equal(v.Interface(), values[path]) {
			names = append(names, path)
		}
	})
	return names
}

// equal compares two values of a setting; no list is an empty one.
func equal(a, b any) bool {
	if list, ok := a.([]string); ok {
		return slices.Equal(list, b.([]string))
	}
	return a == b
}

// Format returns the value of a setting as a config file has it, "" for unknown
// keys and secrets.
func Format(c *Config, name string) (text string) {
	visitSettings(c, func(path string, v reflect.Value) {
		if path == name {
			text = format(v.Interface())
		}
	})
	return text
}

func format(value any) string {
	switch value := value.(type) {
	case Secret:
		return ""
	case []string:
		return "[" + strings.Join(value, ", ") + "]"
	default:
		return fmt.Sprint(value)
	}
}

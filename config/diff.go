package config

import (
	"fmt"
	"reflect"
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
func Diff(a, b *Config) []string {
	return diff("", reflect.ValueOf(*a), reflect.ValueOf(*b))
}

func diff(prefix string, a, b reflect.Value) (names []string) {
	for i := range a.NumField() {
		path := prefix + a.Type().Field(i).Tag.Get("mapstructure")
		switch x, y := a.Field(i), b.Field(i); {
		case x.Kind() == reflect.Struct:
			names = append(names, diff(path+".", x, y)...)
		case x.Kind() == reflect.Slice && x.Len() == 0 && y.Len() == 0: // nil or not
		case !reflect.DeepEqual(x.Interface(), y.Interface()):
			names = append(names, path)
		}
	}
	return names
}

// Format returns the value of a setting as a config file has it, "" for unknown
// keys and secrets.
func Format(c *Config, name string) string {
	v := reflect.ValueOf(*c)
	for part := range strings.SplitSeq(name, ".") {
		if v.Kind() != reflect.Struct {
			return ""
		}
		field := -1
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("mapstructure") == part {
				field = i
			}
		}
		if field < 0 {
			return ""
		}
		v = v.Field(field)
	}
	switch value := v.Interface().(type) {
	case Secret:
		return ""
	case []string:
		return "[" + strings.Join(value, ", ") + "]"
	default:
		if v.Kind() == reflect.Struct {
			return ""
		}
		return fmt.Sprint(value)
	}
}

package config

import (
	"reflect"
	"strings"
)

// Keys returns the names of the settings in a section such as "challenges", or
// of all if it is "".
func Keys(section string) (names []string) {
	for _, k := range allKeys() {
		if section == "" || strings.HasPrefix(k.path, section+".") {
			names = append(names, k.path)
		}
	}
	return names
}

// Changed returns the names of the settings that differ.
func Changed(a, b *Config) []string {
	return changed("", reflect.ValueOf(*a), reflect.ValueOf(*b))
}

func changed(prefix string, a, b reflect.Value) (names []string) {
	for i := range a.NumField() {
		path := prefix + a.Type().Field(i).Tag.Get("mapstructure")
		switch x, y := a.Field(i), b.Field(i); {
		case x.Kind() == reflect.Struct:
			names = append(names, changed(path+".", x, y)...)
		case x.Kind() == reflect.Slice && x.Len() == 0 && y.Len() == 0: // nil or not
		case !reflect.DeepEqual(x.Interface(), y.Interface()):
			names = append(names, path)
		}
	}
	return names
}

package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// key is a setting: its path such as "games.max", and its type.
type key struct {
	path string
	typ  reflect.Type
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	listType     = reflect.TypeFor[[]string]()
)

// allKeys lists every setting, in the order of the structs.
func allKeys() (keys []key) {
	visitSettings(new(Config), func(path string, v reflect.Value) { keys = append(keys, key{path, v.Type()}) })
	return keys
}

// visitSettings calls a function with each setting, in the order of the structs. A
// section may be spread over several structs.
func visitSettings(c *Config, visit func(path string, v reflect.Value)) {
	visitFields("", reflect.ValueOf(c).Elem(), visit)
}

func visitFields(prefix string, v reflect.Value, visit func(path string, v reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		path := prefix + f.Tag.Get("mapstructure")
		switch {
		case f.Anonymous:
			visitFields(prefix, v.Field(i), visit)
		case f.Type.Kind() == reflect.Struct:
			visitFields(path+".", v.Field(i), visit)
		default:
			visit(path, v.Field(i))
		}
	}
}

// sections are the paths that hold other keys.
func sections(keys []key) map[string]bool {
	found := map[string]bool{}
	for _, k := range keys {
		for path := k.path; strings.Contains(path, "."); {
			path = path[:strings.LastIndexByte(path, '.')]
			found[path] = true
		}
	}
	return found
}

const envPrefix = "ZHBOT_"

// EnvVar returns the environment variable of a key.
func EnvVar(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// nearest returns the name closest to the given one by edit distance, "" if none
// is close. A name of which the other is a prefix is always close.
func nearest(name string, names []string) string {
	best, least := "", len(name)/2+1
	for _, n := range names {
		d := editDistance(name, n)
		if n != "" && name != "" && (strings.HasPrefix(name, n) || strings.HasPrefix(n, name)) {
			d = 1
		}
		if d < least {
			best, least = n, d
		}
	}
	return best
}

// editDistance returns the Levenshtein distance.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// Known reports whether there is a setting of this name.
func Known(path string) bool {
	return slices.ContainsFunc(allKeys(), func(k key) bool { return k.path == path })
}

// UnknownKey returns the error for an unknown key.
func UnknownKey(path string) error {
	var names []string
	for _, k := range allKeys() {
		names = append(names, k.path)
	}
	if n := nearest(path, names); n != "" {
		return fmt.Errorf("unknown setting %q; did you mean %s?", path, n)
	}
	return fmt.Errorf("unknown setting %q; config.example.yaml lists them all", path)
}

// IsSecret reports whether the value of a setting must not be shown.
func IsSecret(path string) bool {
	return slices.ContainsFunc(allKeys(), func(k key) bool { return k.path == path && k.typ == reflect.TypeFor[Secret]() })
}

// SecretOnCommandLine returns the error for a secret given as a flag, which every
// user of the machine can read.
func SecretOnCommandLine(path string) error {
	return fmt.Errorf("%s: a command line can be seen by every user of this machine; use %s or the file", path, EnvVar(path))
}

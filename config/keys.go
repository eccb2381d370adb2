package config

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"time"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	listType     = reflect.TypeFor[[]string]()
	secretType   = reflect.TypeFor[Secret]()

	contendersType = reflect.TypeFor[[]Contender]()
)

// Keys returns the key of every setting, such as "games.max", in the order of the structs.
func Keys() (keys []string) {
	for key := range new(Config).settings() {
		keys = append(keys, key)
	}
	return keys
}

// settings yields each setting with its key, in the order of the structs. A section may
// be spread over several structs.
func (c *Config) settings() iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) { visit("", reflect.ValueOf(c).Elem(), yield) }
}

// visit yields the settings in a struct until yield returns false, and reports whether
// it never did.
func visit(prefix string, v reflect.Value, yield func(string, reflect.Value) bool) bool {
	for f, value := range v.Fields() {
		key := prefix + f.Tag.Get("key")
		var more bool
		switch {
		case f.Anonymous:
			more = visit(prefix, value, yield)
		case f.Type.Kind() == reflect.Struct:
			more = visit(key+".", value, yield)
		default:
			more = yield(key, value)
		}
		if !more {
			return false
		}
	}
	return true
}

// setting returns the setting of a key, the zero Value if there is none.
func (c *Config) setting(key string) reflect.Value {
	for k, v := range c.settings() {
		if k == key {
			return v
		}
	}
	return reflect.Value{}
}

const envPrefix = "ZHBOT_"

// envVar returns the environment variable of a key.
func envVar(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// nearest returns the name closest to the given one by edit distance, "" if none
// is close. A name of which the other is a prefix is always close.
func nearest(name string, names []string) string {
	best, shortest := "", len(name)/2+1
	for _, n := range names {
		d := editDistance(name, n)
		if n != "" && name != "" && (strings.HasPrefix(name, n) || strings.HasPrefix(n, name)) {
			d = 1
		}
		if d < shortest {
			best, shortest = n, d
		}
	}
	return best
}

// DidYouMean returns a suffix of an error: the name closest to the given one, "" if none is
// close.
func DidYouMean(name string, names []string) string {
	if n := nearest(name, names); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

// NotOneOf returns the error for a value that is none of the choices.
func NotOneOf(value string, choices []string) error {
	return fmt.Errorf("%q is not one of %s%s", value, strings.Join(choices, ", "), DidYouMean(value, choices))
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

// CheckFlag returns an error if a setting cannot be given as a flag: there is none with
// this key, or it is a secret, which every user of the machine could read.
func CheckFlag(key string) error {
	v := new(Config).setting(key)
	if v.IsValid() && v.Type() == secretType {
		return fmt.Errorf("%s: every user of this machine can see a command line; use %s or the file", key, envVar(key))
	}
	if v.IsValid() {
		return nil
	}
	return fmt.Errorf("unknown setting %q%s", key, cmp.Or(DidYouMean(key, Keys()), "; config.example.yaml lists them all"))
}

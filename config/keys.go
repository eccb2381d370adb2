package config

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

var (
	durationType   = reflect.TypeFor[time.Duration]()
	secretType     = reflect.TypeFor[Secret]()
	contendersType = reflect.TypeFor[[]Contender]()
	urlsType       = reflect.TypeFor[URLs]()
	textType       = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// isSection reports whether a type has keys of its own.
func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(textType)
}

// isSecret reports whether a type holds secrets, one or a list.
func isSecret(t reflect.Type) bool {
	return t == secretType || t.Kind() == reflect.Slice && t.Elem() == secretType
}

// fieldsOf returns the settings and sections of a struct, those of embedded ones included.
func fieldsOf(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return f.Tag.Get("key") == ""
	})
}

// Keys returns the key of every setting, such as "games.max", in the order of the structs.
func Keys() (keys []string) {
	for _, s := range new(Config).settings() {
		keys = append(keys, s.key)
	}
	return keys
}

// setting is the value of a key, or a section.
type setting struct {
	reflect.Value

	key     string
	tag     reflect.StructTag
	initial string // its default, as a flag would have it
	limits  string // of a number or a duration
	reloads string // the key of it, or of a section around it, that can change while the bot runs
}

// section returns all settings.
func (c *Config) section() setting { return setting{Value: reflect.ValueOf(c).Elem()} }

// visit calls do with a section, then with each section and setting in it, in the order of the
// structs. Contenders are sections, too.
func (s setting) visit(do func(setting)) {
	do(s)
	switch {
	case isSection(s.Type()):
		for _, f := range fieldsOf(s.Type()) {
			s.field(f).visit(do)
		}
	case s.Type() == contendersType:
		for i := range s.Len() {
			setting{Value: s.Index(i), key: fmt.Sprintf("%s[%d]", s.key, i)}.visit(do)
		}
	}
}

// field returns a field of a section.
func (s setting) field(f reflect.StructField) setting {
	name := f.Tag.Get("key")
	tag := func(kind, inSection string) string {
		for text := range strings.FieldsSeq(inSection) {
			if value, ok := strings.CutPrefix(text, name+"="); ok {
				return value
			}
		}
		return f.Tag.Get(kind)
	}
	field := setting{
		Value: s.FieldByIndex(f.Index), key: join(s.key, name), tag: f.Tag,
		initial: tag("default", s.initial), limits: tag("range", s.limits), reloads: s.reloads,
	}
	if field.initial == "all" {
		field.initial = strings.Join(field.choices(), ",")
	}
	if field.reloads == "" && f.Tag.Get("reload") == "true" {
		field.reloads = field.key
	}
	return field
}

// settings returns each setting, in the order of the structs; the contenders are one.
func (c *Config) settings() (list []setting) {
	c.section().visit(func(s setting) {
		if !isSection(s.Type()) && !strings.Contains(s.key, "[") {
			list = append(list, s)
		}
	})
	return list
}

// setting returns the setting of a key, if there is one.
func (c *Config) setting(key string) (s setting, ok bool) {
	for _, s := range c.settings() {
		if s.key == key {
			return s, true
		}
	}
	return s, false
}

// removedKeys are the keys that are gone, and what to do instead.
var removedKeys = map[string]string{
	"explorer":                   "the opening explorer is no longer asked; build a book: see \"zhbot book build --help\"",
	"explorer.enabled":           "the opening explorer is no longer asked; remove this key",
	"matchmaking.games_in_a_row": "matchmaking.games_per_opponent limits the games with one opponent; remove this key",
	"matchmaking.rest":           "matchmaking.games_per_opponent limits the games with one opponent; remove this key",
	"engine.processes":           "there is now one process for each place in games.max; remove this key",
	"notify.urls_file":           "write the URLs to notify.urls, or to ZHBOT_NOTIFY_URLS; remove this key",
}

// removedCommands are the values of chat.commands that are gone.
var removedCommands = map[string]string{
	"opening": "leave it out",
	"rematch": "leave it out; people press Lichess's own button, which sends a challenge like any other",
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
	s, known := new(Config).setting(key)
	if known && isSecret(s.Type()) {
		return fmt.Errorf("%s: every user of this machine can see a command line; use %s or the file", key, envVar(key))
	}
	if known {
		return nil
	}
	if advice, gone := removedKeys[key]; gone {
		return fmt.Errorf("%s: %s", key, advice)
	}
	return fmt.Errorf("unknown setting %q%s", key,
		cmp.Or(DidYouMean(key, Keys()), "; \"zhbot config example\" lists them all"))
}

package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
)

// strictly makes mapstructure find settings by key, refuse other keys, and parse texts.
func strictly(d *mapstructure.DecoderConfig) {
	d.TagName, d.Squash, d.ErrorUnused, d.WeaklyTypedInput, d.DecodeHook = "key", true, true, false, parse
}

// parse refuses what does not fit a type, and parses texts. A list replaces the one before.
func parse(from, to reflect.Value) (any, error) {
	t := to.Type()
	text, isText := from.Interface().(string)
	isList := t.Kind() == reflect.Slice
	switch {
	case t.Kind() == reflect.Pointer: // what it points to is parsed next
		return from.Interface(), nil
	case isText && t == urlsType:
		return splitList(text), nil
	case isText && !isList && !isSection(t):
		return fromText(text, t)
	case isText && isList && !isSecret(t):
		return nil, fmt.Errorf("%q is not %s", text, describe(t))
	case isList && from.Kind() == reflect.Slice:
		to.SetZero()
		return from.Interface(), nil
	case isSection(t) && from.Kind() == reflect.Map:
		if t == contendersType.Elem() {
			to.Set(reflect.ValueOf(Contender{Weight: 1}))
		}
		return from.Interface(), nil
	}
	return nil, fmt.Errorf("want %s", describe(t))
}

// fromText parses a text. The error shows it; secrets cannot fail.
func fromText(text string, t reflect.Type) (value any, err error) {
	to := reflect.New(t)
	if u, ok := to.Interface().(encoding.TextUnmarshaler); ok {
		err = u.UnmarshalText([]byte(text))
		return to.Elem().Interface(), err
	}
	switch {
	case t == durationType:
		value, err = time.ParseDuration(text)
	case t.Kind() == reflect.Int:
		value, err = strconv.Atoi(text)
	case t.Kind() != reflect.Bool:
		return text, nil
	case text == "true" || text == "false":
		return text == "true", nil
	default:
		err = strconv.ErrSyntax
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not %s", text, describe(t))
	}
	return value, nil
}

// splitList returns the items of a comma-separated list; white space has none.
func splitList(text string) []string {
	if strings.TrimSpace(text) == "" {
		return []string{}
	}
	items := strings.Split(text, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// describe describes the values of a type.
func describe(t reflect.Type) string {
	switch {
	case isSection(t):
		return "a section with keys of its own"
	case t == durationType:
		return "a duration such as 30s, 5m or 0s"
	case t == contendersType:
		return "a list such as [{name: a}, {name: b, network: new.zhnn}]"
	case t.Kind() == reflect.Slice:
		return "a list in brackets, such as [a, b]"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	}
	return "a text"
}

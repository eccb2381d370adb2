package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// parse reads a value of a type. Lists are separated by commas. The error shows
// the text; secrets cannot fail.
func parse(t reflect.Type, text string) (value any, err error) {
	switch {
	case t == listType:
		return splitList(text), nil
	case t == durationType:
		var d time.Duration
		if d, err = time.ParseDuration(text); err == nil && d < 0 {
			err = strconv.ErrRange
		}
		value = d
	case t.Kind() == reflect.Bool:
		if value = text == "true"; text != "true" && text != "false" {
			err = strconv.ErrSyntax
		}
	case t.Kind() == reflect.Int:
		value, err = strconv.Atoi(text)
	default:
		value = text
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not %s", text, describeType(t))
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

// describeType describes the values of a type.
func describeType(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 30s, 5m or 0s"
	case t == listType:
		return "a list such as [a, b]"
	case t == contendersType:
		return "a list such as [{name: a}, {name: b, network: new.zhnn}]"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	}
	return "a text"
}

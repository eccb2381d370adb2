package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
)

// decoding has mapstructure find each setting by its key, read texts strictly, and replace
// a default list by the one that is given.
func decoding(d *mapstructure.DecoderConfig) {
	d.TagName, d.Squash, d.ZeroFields, d.WeaklyTypedInput = "key", true, true, false
	d.DecodeHook = mapstructure.ComposeDecodeHookFunc(parse, mapstructure.TextUnmarshallerHookFunc())
}

// parse reads a text as a value of a type, as far as it is not a text itself. Lists are
// separated by commas. The error shows the text; secrets cannot fail.
func parse(from, to reflect.Value) (value any, err error) {
	if from.Kind() == reflect.Map && to.Type() == contendersType.Elem() {
		return withWeight(from.Interface().(map[string]any)), nil
	}
	if from.Kind() != reflect.String {
		return from.Interface(), nil
	}
	text := from.String()
	switch t := to.Type(); {
	case t == durationType:
		var d time.Duration
		if d, err = time.ParseDuration(text); err == nil && d < 0 {
			err = strconv.ErrRange
		}
		value = d
	case t.Kind() == reflect.Slice:
		value = splitList(text)
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
		return nil, &typeError{text, to.Type()}
	}
	return value, nil
}

// typeError means that a text is no value of a type.
type typeError struct {
	text string
	want reflect.Type
}

func (e *typeError) Error() string { return fmt.Sprintf("%q is not %s", e.text, describeType(e.want)) }

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
	case isSection(t):
		return "a section with keys of its own"
	case t == durationType:
		return "a duration such as 30s, 5m or 0s"
	case t == contendersType:
		return "a list such as [{name: a}, {name: b, network: new.zhnn}]"
	case t.Kind() == reflect.Slice:
		return "a list such as [a, b]"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	}
	return "a text"
}

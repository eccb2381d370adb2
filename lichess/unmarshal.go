package lichess

import (
	"encoding/json"
	"errors"
	"reflect"
)

// unmarshal is [json.Unmarshal], but a field or a list entry of an unexpected type keeps its value
// instead of failing the whole. For that, no UnmarshalJSON of a field may return an error.
func unmarshal(b []byte, v any) error {
	err := json.Unmarshal(b, v) // which decodes the rest in any case
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		whole := reflect.TypeOf(v).Elem()
		// The error of a method UnmarshalJSON names a type of its own.
		if odd.Type != whole && (whole.Kind() != reflect.Struct || odd.Field != "") {
			return nil
		}
	}
	return err
}

package lichess

import (
	"encoding/json"
	"errors"
	"reflect"
)

// unmarshal is [json.Unmarshal], but a field of another type than expected, or an entry of a
// list, spoils nothing else: it stays as it was. For that, no method UnmarshalJSON of a field
// may fail.
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

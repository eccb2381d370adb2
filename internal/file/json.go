package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// MaxSize is how many bytes a file may have that is read as a whole.
const MaxSize = 64 << 20

// ReadJSON reads a value from a file as [ReadRegular] does. A missing file is a zero value. With an
// error, the value has those fields of a struct, or entries of a map, that can be decoded.
func ReadJSON[T any](path string) (value T, err error) {
	text, err := ReadRegular(path, MaxSize)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return value, nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(text, &members) // since an error of a method UnmarshalJSON ends the first try
	for name, member := range members {
		one, _ := json.Marshal(map[string]json.RawMessage{name: member})
		_ = json.Unmarshal(one, &value)
	}
	return value, fmt.Errorf("read %s: %w", filepath.Base(path), err)
}

// WriteJSON writes a value to a file, as [Replace] does.
func WriteJSON(path string, value any, mode fs.FileMode) error {
	text, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return Replace(path, append(text, '\n'), mode)
}

// SetAside copies a file that is damaged, or renames what is no file, to a name of its own, which it
// adds to the reason.
func SetAside(path string, reason error) error {
	damaged := path + time.Now().UTC().Format(".20060102-150405.000000000.damaged")
	text, err := ReadRegular(path, MaxSize)
	if err == nil {
		err = Replace(damaged, text, 0o600)
	} else {
		err = os.Rename(path, damaged)
	}
	return errors.Join(fmt.Errorf("%w; kept as %s", reason, damaged), err)
}

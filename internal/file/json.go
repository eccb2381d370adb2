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

// ReadJSON reads a value from a file as [ReadRegular] does. A missing file is a zero value.
func ReadJSON[T any](path string) (value T, err error) {
	text, err := ReadRegular(path, MaxSize)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err != nil:
		return *new(T), fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return value, err
}

// WriteJSON writes a value to a file, as [Replace] does.
func WriteJSON(path string, value any, mode fs.FileMode) error {
	text, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return Replace(path, append(text, '\n'), mode)
}

// SetAside renames what cannot be used to a name of its own, which it adds to the reason.
func SetAside(path string, reason error) error {
	damaged := path + time.Now().UTC().Format(".20060102-150405.000000000.damaged")
	return errors.Join(fmt.Errorf("%w; renamed to %s", reason, damaged), os.Rename(path, damaged))
}
